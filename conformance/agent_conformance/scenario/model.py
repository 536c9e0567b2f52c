"""The scenario format as types: what a checked file holds."""

import warnings
from typing import Annotated, Any, Literal, Self, get_args

from pydantic import Field, model_validator

from agent_conformance.adapter.types import Feature
from agent_conformance.scenario.base_model import NAME, REACH, REMARK, WEIGHT, FieldSort, Parts, Strict, text_of
from fake_providers.reply import Finish, Quirk

LawId = Literal[
    "accepted",
    "asked",
    "named-model",
    "system-kept",
    "user-first",
    "offered",
    "property-order",
    "tool-choice",
    "paired",
    "own-result",
    "steered",
    "answered",
    "failed-result",
    "no-picture-text",
    "kept-whole",
    "said-once",
    "apart",
    "fits",
    "steady-prefix",
    "declared-only",
    "sent-arguments",
    "approved",
    "once",
    "no-protocol-text",
    "stream-is-reply",
    "narration-apart",
    "key-kept",
    "bounded",
    "answers",
    "survives",
]
WireName = Literal[
    "openai-chat",
    "openai-responses",
    "anthropic-messages",
    "gemini-generate",
    "ollama-chat",
    "bedrock-converse",
    "cohere-chat",
]
Mode = Literal["plain", "stream"]
Level = Literal["must", "should"]
Profile = Literal["core", "hardened"]
Arguments = dict[str, Any]
UserAnswer = bool | Literal["pending"]

WIRE_NAMES: tuple[str, ...] = get_args(WireName)
MODE_NAMES: tuple[str, ...] = get_args(Mode)


def _empty() -> list[Any]:
    """`list` itself has its signature in a text, which pydantic parses anew for each field."""
    return []


Maker = Literal["anthropic", "gemini", "openai", "open-models"]
"""Whose models are known to write something."""


class ToolSpec(Strict):
    """One tool; `parameters` is a JSON Schema by the time it is here, the short form has been written out."""

    name: str
    description: str
    parameters: dict[str, Any] = Field(default_factory=lambda: {"type": "object", "properties": {}})
    returns: Any = None
    results: list[Any] | None = None
    content: Parts | None = None
    raises: str | None = None
    enabled: bool = True
    enables: list[str] = Field(default_factory=_empty)
    delay: float | int = 0
    approval: Literal["ask"] | None = None


class CallSpec(Strict):
    """A call that the scripted model makes, or that stands in the history."""

    name: str
    arguments: Arguments | None = None
    arguments_text: str | None = None
    id: str | None = None
    may_run: list[str] = Field(default_factory=_empty)
    numbered: bool = False
    means: "ArgumentsMeaning | None" = None

    @model_validator(mode="after")
    def arguments_once(self) -> Self:
        if self.arguments is not None and self.arguments_text is not None:
            raise ValueError("`arguments` and `arguments_text` are both given. Keep one.")
        if self.means and self.arguments_text is None:
            raise ValueError("`means` of a call explains `arguments_text`, which is not given.")
        return self


class ArgumentsMeaning(Strict):
    """What a right agent may read into argument text that is no JSON object."""

    arguments: Arguments


class ThinkingSpec(Strict):
    """Reasoning in a history, and who signed it: the provider of the case, another one, or nobody."""

    text: str
    signature: Literal["own", "foreign", "absent"]


class AssistantMessage(Strict):
    text: str = ""
    calls: list[CallSpec] = Field(default_factory=_empty)
    thinking: str | ThinkingSpec = ""


class ToolMessage(Strict):
    id: str | None = None
    name: str | None = None
    result: Any = ""
    error: bool = False


class HistoryMessage(Strict):
    """One message; exactly one of the four fields is given."""

    user: str | Parts | None = None
    system: str | None = None
    assistant: str | AssistantMessage | None = None
    tool: ToolMessage | None = None

    @model_validator(mode="after")
    def one_role(self) -> Self:
        given = [name for name in self.model_fields_set if getattr(self, name) is not None]
        if len(given) != 1 or len(self.model_fields_set) != 1:
            raise ValueError("a message of the history has exactly one of `user`, `system`, `assistant`, `tool`.")
        return self


class TextMeaning(Strict):
    """What a text of the model is: a call to run, protocol to hide, or prose to show."""

    handling: Literal["run", "run_or_hide", "hide", "show"]
    calls: list[CallSpec] = Field(default_factory=_empty)
    show: str | None = None
    never_show: list[str] = Field(default_factory=_empty)


class FaultSpec(Strict):
    """A fault of the provider, or of the way to it; see `fake_providers.Fault` for each field."""

    status: int | None = None
    body: Any = None
    retry_after: float | int | None = None
    retry_date: str | None = None
    cut_after: int | None = None
    error_event: str | None = None
    content_type: str | None = None
    code: str | None = None
    cut_at: int | None = None
    connection: Literal["closed", "reset", "silent"] | None = None
    ends: Literal["in-an-event", "before-the-finish", "before-the-terminator"] | None = None
    noise: list[Literal["single-bytes", "crlf", "comments", "pings", "unknown-events"]] = Field(default_factory=_empty)


ServerTool = Literal["web_search", "file_search", "code_interpreter", "image_generation"]


class ServerCallSpec(Strict):
    """A call of a tool that the provider runs itself, with what it found. Scripts alone have a `server`."""

    name: str
    arguments: Arguments | None = None
    result: str | None = None
    server: str | None = None


class SourceSpec(Strict):
    """What the text of a reply rests on: a page, or else a file."""

    url: str | None = None
    title: str = ""
    file: str | None = None
    text: str | None = None


class UsageSpec(Strict):
    """The tokens that the provider says it has counted."""

    input: int | None = None
    output: int | None = None
    cached: int | None = None
    reasoning: int | None = None


class ReplySpec(Strict):
    """One scripted reply of the model, and how often it is sent."""

    text: str | None = None
    thinking: str | None = None
    calls: list[CallSpec] = Field(default_factory=_empty)
    finish: Finish | None = None
    chunks: list[str] = Field(default_factory=_empty)
    blocks: list[str] = Field(default_factory=_empty)
    thoughts: list[str] = Field(default_factory=_empty)
    fault: FaultSpec | None = None
    quirks: list[Quirk] = Field(default_factory=_empty)
    server_calls: list[ServerCallSpec] = Field(default_factory=_empty)
    sources: list[SourceSpec] = Field(default_factory=_empty)
    alternatives: list[str] = Field(default_factory=_empty)
    id: str | None = None
    item_ids: list[str] = Field(default_factory=_empty)
    usage: UsageSpec | None = None
    means: TextMeaning | None = None
    times: Annotated[int, Field(ge=1)] = 1
    forever: bool = False
    until: Literal["answered"] | None = None
    spare: bool = False


with warnings.catch_warnings():
    warnings.simplefilter("ignore", UserWarning)  # a field named `json` hides pydantic's deprecated method

    class ReplyExpectation(Strict):
        equals: str | None = None
        exactly: str | None = None
        contains: list[str] = Field(default_factory=_empty)
        lacks: list[str] = Field(default_factory=_empty)
        matches: str | None = None
        one_of: list[str] = Field(default_factory=_empty)
        json: Any = None


Executed = list[dict[str, Arguments]]


class ExecutedExpectation(Strict):
    """`in_order` is what a plain list is read as; exactly one field is given."""

    in_order: Executed | None = None
    any_order: Executed | None = None
    one_of: list[Executed] | None = None


class Range(Strict):
    min: int | None = None
    max: int | None = None


class TextExpectation(Strict):
    contains: list[str] = Field(default_factory=_empty)
    lacks: list[str] = Field(default_factory=_empty)
    blank: bool | None = None


class ResultExpectation(TextExpectation):
    """What a tool result must hold. `value` is its content, any JSON value; `exactly` is a text, to the last byte."""

    value: Any = None
    exactly: str | None = None


class RequestExpectation(Strict):
    """What one request, the last, or each request of the turn must hold, in the neutral view."""

    at: Annotated[int, Field(ge=1)] | Literal["last", "each"]
    tools: list[str] | Literal["none"] | None = None
    lacks_tools: list[str] = Field(default_factory=_empty)
    without: list[Literal["tools", "tool_choice", "parallel_tool_calls"]] = Field(default_factory=_empty)
    roles: list[Literal["user", "assistant", "tool"]] | None = None
    count: int | Range | None = None
    calls: list[dict[str, Arguments]] | None = None
    results: list[str | ResultExpectation] | None = None
    images: Annotated[int, Field(ge=0)] | None = None
    thinking: Literal["kept", "absent"] | None = None
    added: TextExpectation | None = None
    system: TextExpectation | None = None
    contains: list[str] = Field(default_factory=_empty)
    lacks: list[str] = Field(default_factory=_empty)
    in_order: list[str] = Field(default_factory=_empty)
    extends: Literal["previous", "prefix"] | None = None
    waited: dict[Literal["at_least"], float | int] | None = None
    size: dict[Literal["max"], int] | None = None


class Demands(Strict):
    """What is expected of a turn; a plain `reply` text is read as `equals`, a plain `executed` list as `in_order`."""

    reply: ReplyExpectation | None = None
    narration: Literal["hidden", "shown"] | None = None
    executed: ExecutedExpectation | None = None
    approvals: Executed | None = None
    request_count: Range | None = None
    outcome: Literal["reply", "error", "either", "cancelled"] | None = None
    requests: list[RequestExpectation] = Field(default_factory=_empty)
    state: list[str] = Field(default_factory=_empty)


class Expectations(Demands):
    should: Demands | None = None


class Cancel(Strict):
    at: Literal["request", "chunk", "tool", "approval"]
    n: Annotated[int, Field(ge=1)] = 1


class Crash(Strict):
    at: Literal["tool"]
    when: Literal["before", "after"]
    n: Annotated[int, Field(ge=1)] = 1


class Steer(Strict):
    at: Literal["tool"]
    user: str
    n: Annotated[int, Field(ge=1)] = 1


class Switch(Strict):
    """The user changes the model, or the provider with another wire."""

    model: dict[WireName, str] = Field(default_factory=dict)
    wire: WireName | None = None


class Turn(Strict):
    """One user message, the model's script and what is expected."""

    user: str | Parts
    model: list[ReplySpec] = Field(default_factory=_empty)
    expect: Expectations = Field(default_factory=Expectations.model_construct)
    tools: list[str] | None = None
    restart: bool = False
    cancel: Cancel | None = None
    crash: Crash | None = None
    steer: list[Steer] = Field(default_factory=_empty)
    session: str | None = None
    switch: Switch | None = None
    compact: bool = False
    forgotten: bool = False
    together: bool = False
    observer: bool = False
    approve: dict[str, UserAnswer | list[UserAnswer]] = Field(default_factory=dict)

    @property
    def user_text(self) -> str:
        """What the user says, without pictures."""
        return text_of(self.user)


class NamedToolSpec(Strict):
    tool: str


class LimitSpec(Strict):
    requests: Annotated[int, Field(ge=1)] | None = None
    context_tokens: Annotated[int, Field(ge=1)] | None = None
    seconds: float | int | None = None


class WindowWords(Strict):
    status: int
    body: Any


class FallbackSpec(Strict):
    """A second provider, which the agent may ask when the first one fails."""

    provider: str
    wire: WireName | None = None


class Window(Strict):
    tokens: Annotated[int, Field(ge=1)]
    words: WindowWords | None = None
    how: Literal["truncate"] | None = None


def fields_of(*sorts: FieldSort, model: type["Scenario"] | None = None) -> tuple[str, ...]:
    """The fields of these sorts, in the order in which a scenario has them."""
    fields = (model or Scenario).model_fields
    return tuple(name for name, field in fields.items() if any(sort in field.metadata for sort in sorts))


class Scenario(Strict):
    """One scenario, or one row of its examples written out."""

    format: Literal[1] = 1
    description: Annotated[str, Field(max_length=72), REMARK]
    profile: Annotated[Profile, WEIGHT]
    level: Annotated[Level, WEIGHT] = "must"
    source: Annotated[str | None, REMARK] = None
    formerly: Annotated[list[str], NAME] = Field(default_factory=_empty)
    needs: list[Feature] = Field(default_factory=_empty)
    written_by: Annotated[list[Maker] | None, Field(min_length=1), REACH] = None
    wires: list[WireName] | Literal["first"] | None = None
    providers: list[str] | None = None
    modes: list[Mode] | Literal["first"] | None = None
    model: dict[WireName, str] = Field(default_factory=dict)
    served_model: str | None = None
    system: str = ""
    tools: list[ToolSpec] = Field(default_factory=_empty)
    server_tools: list[ServerTool] = Field(default_factory=_empty)
    tool_choice: Literal["auto", "required", "none"] | NamedToolSpec | None = None
    output_schema: dict[str, Any] | None = None
    history: list[HistoryMessage] = Field(default_factory=_empty)
    limits: LimitSpec = Field(default_factory=LimitSpec.model_construct)
    window: Window | None = None
    fallback: FallbackSpec | None = None
    summaries: list[ReplySpec] = Field(default_factory=_empty)
    conversation: Annotated[list[Turn], Field(min_length=1)]
    effects: dict[str, Range] = Field(default_factory=dict)
    waive: Annotated[dict[LawId, str], WEIGHT] = Field(default_factory=dict)

    @property
    def may_be_shortened(self) -> bool:
        """Whether an agent has a reason to make the conversation shorter."""
        is_limited = self.limits.context_tokens is not None or self.window is not None
        return is_limited or any(turn.compact for turn in self.conversation)
