"""The scenario format as types: what a checked file holds."""

from collections.abc import Set
from functools import cache
from typing import Annotated, Any, Literal, get_args, get_type_hints

from msgspec import Meta, field

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
    "arrives",
    "steered",
    "answered",
    "failed-result",
    "no-picture-text",
    "kept-whole",
    "restored",
    "whole-rounds",
    "authority",
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

Maker = Literal["anthropic", "gemini", "openai", "open-models"]
"""Whose models are known to write something."""


class ToolSpec(Strict, frozen=True):
    """One tool; `parameters` is a JSON Schema by the time it is here, the short form has been written out."""

    name: str
    description: str
    parameters: dict[str, Any] = field(default_factory=lambda: {"type": "object", "properties": {}})
    returns: Any = None
    structured: dict[str, Any] | None = None
    output_schema: dict[str, Any] | None = None
    results: list[Any] | None = None
    content: Parts | None = None
    raises: str | None = None
    enabled: bool = True
    enables: list[str] = field(default_factory=list)
    delay: float | int = 0
    approval: Literal["ask"] | None = None
    deferred: bool = False


class CallSpec(Strict, frozen=True):
    """A call that the scripted model makes, or that stands in the history."""

    name: str
    arguments: Arguments | None = None
    arguments_text: str | None = None
    id: str | None = None
    may_run: list[str] = field(default_factory=list)
    numbered: bool = False
    means: "ArgumentsMeaning | None" = None

    def mistake(self, given: Set[str]) -> str | None:
        if self.arguments is not None and self.arguments_text is not None:
            return "`arguments` and `arguments_text` are both given. Keep one."
        if self.means and self.arguments_text is None:
            return "`means` of a call explains `arguments_text`, which is not given."
        return None


class ArgumentsMeaning(Strict, frozen=True):
    """What a right agent may read into argument text that is no JSON object."""

    arguments: Arguments


class ThinkingSpec(Strict, frozen=True):
    """Reasoning in a history, and who signed it: the provider of the case, another one, or nobody."""

    text: str
    signature: Literal["own", "foreign", "absent"]


class AssistantMessage(Strict, frozen=True):
    text: str = ""
    calls: list[CallSpec] = field(default_factory=list)
    thinking: str | ThinkingSpec = ""


class ToolMessage(Strict, frozen=True):
    id: str | None = None
    name: str | None = None
    result: Any = ""
    error: bool = False


class HistoryMessage(Strict, frozen=True):
    """One message; exactly one of the four fields is given."""

    user: str | Parts | None = None
    system: str | None = None
    assistant: str | AssistantMessage | None = None
    tool: ToolMessage | None = None

    def mistake(self, given: Set[str]) -> str | None:
        if len(given) != 1 or getattr(self, *given) is None:
            return "a message of the history has exactly one of `user`, `system`, `assistant`, `tool`."
        return None


class TextMeaning(Strict, frozen=True):
    """What a text of the model is: a call to run, protocol to hide, or prose to show."""

    handling: Literal["run", "run_or_hide", "hide", "show"]
    calls: list[CallSpec] = field(default_factory=list)
    show: str | None = None
    never_show: list[str] = field(default_factory=list)


class FaultSpec(Strict, frozen=True):
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
    noise: list[Literal["single-bytes", "crlf", "no-blank", "comments", "pings", "unknown-events"]] = field(
        default_factory=list
    )


ServerTool = Literal["web_search", "file_search", "code_interpreter", "image_generation"]


class ServerCallSpec(Strict, frozen=True):
    """A call of a tool that the provider runs itself, with what it found. Scripts alone have a `server`."""

    name: str
    arguments: Arguments | None = None
    result: str | None = None
    server: str | None = None


class SourceSpec(Strict, frozen=True):
    """What the text of a reply rests on: a page, or else a file."""

    url: str | None = None
    title: str = ""
    file: str | None = None
    text: str | None = None


class UsageSpec(Strict, frozen=True):
    """The tokens that the provider says it has counted."""

    input: int | None = None
    output: int | None = None
    cached: int | None = None
    reasoning: int | None = None


class ReplySpec(Strict, frozen=True):
    """One scripted reply of the model, and how often it is sent."""

    text: str | None = None
    thinking: str | None = None
    calls: list[CallSpec] = field(default_factory=list)
    finish: Finish | None = None
    chunks: list[str] = field(default_factory=list)
    blocks: list[str] = field(default_factory=list)
    thoughts: list[str] = field(default_factory=list)
    fault: FaultSpec | None = None
    quirks: list[Quirk] = field(default_factory=list)
    server_calls: list[ServerCallSpec] = field(default_factory=list)
    sources: list[SourceSpec] = field(default_factory=list)
    alternatives: list[str] = field(default_factory=list)
    id: str | None = None
    item_ids: list[str] = field(default_factory=list)
    usage: UsageSpec | None = None
    means: TextMeaning | None = None
    times: Annotated[int, Meta(ge=1)] = 1
    forever: bool = False
    until: Literal["answered"] | None = None
    spare: bool = False


class ReplyExpectation(Strict, frozen=True):
    equals: str | None = None
    exactly: str | None = None
    contains: list[str] = field(default_factory=list)
    lacks: list[str] = field(default_factory=list)
    matches: str | None = None
    one_of: list[str] = field(default_factory=list)
    json: Any = None


Executed = list[dict[str, Arguments]]


class ExecutedExpectation(Strict, frozen=True):
    """`in_order` is what a plain list is read as; exactly one field is given."""

    in_order: Executed | None = None
    any_order: Executed | None = None
    one_of: list[Executed] | None = None


class Range(Strict, frozen=True):
    min: int | None = None
    max: int | None = None


class TextExpectation(Strict, frozen=True):
    contains: list[str] = field(default_factory=list)
    lacks: list[str] = field(default_factory=list)
    blank: bool | None = None


class ResultExpectation(TextExpectation, frozen=True):
    """What a tool result must hold. `value` is its content, any JSON value; `exactly` is a text, to the last byte."""

    value: Any = None
    exactly: str | None = None


class RequestExpectation(Strict, frozen=True):
    """What one request, the last, or each request of the turn must hold, in the neutral view."""

    at: Annotated[int, Meta(ge=1)] | Literal["last", "each"]
    tools: list[str] | Literal["none"] | None = None
    lacks_tools: list[str] = field(default_factory=list)
    without: list[Literal["tools", "tool_choice", "parallel_tool_calls"]] = field(default_factory=list)
    roles: list[Literal["user", "assistant", "tool"]] | None = None
    count: int | Range | None = None
    calls: list[dict[str, Arguments]] | None = None
    results: list[str | ResultExpectation] | None = None
    images: Annotated[int, Meta(ge=0)] | None = None
    thinking: Literal["kept", "absent"] | None = None
    added: TextExpectation | None = None
    system: TextExpectation | None = None
    contains: list[str] = field(default_factory=list)
    lacks: list[str] = field(default_factory=list)
    in_order: list[str] = field(default_factory=list)
    extends: Literal["previous", "prefix"] | None = None
    waited: Annotated[dict[Literal["at_least"], float | int], Meta(min_length=1)] | None = None
    size: Annotated[dict[Literal["max"], int], Meta(min_length=1)] | None = None


class Demands(Strict, frozen=True):
    """What is expected of a turn; a plain `reply` text is read as `equals`, a plain `executed` list as `in_order`."""

    reply: ReplyExpectation | None = None
    narration: Literal["hidden", "shown"] | None = None
    executed: ExecutedExpectation | None = None
    approvals: Executed | None = None
    request_count: Range | None = None
    outcome: Literal["reply", "error", "either", "cancelled"] | None = None
    requests: list[RequestExpectation] = field(default_factory=list)
    state: list[str] = field(default_factory=list)


class Expectations(Demands, frozen=True):
    should: Demands | None = None


class Cancel(Strict, frozen=True):
    at: Literal["request", "chunk", "tool", "approval"]
    n: Annotated[int, Meta(ge=1)] = 1


class Crash(Strict, frozen=True):
    at: Literal["tool"]
    when: Literal["before", "after"]
    n: Annotated[int, Meta(ge=1)] = 1


class Steer(Strict, frozen=True):
    at: Literal["tool", "request"]
    user: str
    n: Annotated[int, Meta(ge=1)] = 1


class Switch(Strict, frozen=True):
    """The user changes the model, or the provider with another wire."""

    model: dict[WireName, str] = field(default_factory=dict)
    wire: WireName | None = None


class Turn(Strict, frozen=True):
    """One user message, the model's script and what is expected."""

    user: str | Parts
    model: list[ReplySpec] = field(default_factory=list)
    expect: Expectations = field(default_factory=Expectations)
    tools: list[str] | None = None
    restart: bool = False
    cancel: Cancel | None = None
    crash: Crash | None = None
    steer: list[Steer] = field(default_factory=list)
    session: str | None = None
    switch: Switch | None = None
    compact: bool = False
    forgotten: bool = False
    together: bool = False
    observer: bool = False
    approve: dict[str, UserAnswer | list[UserAnswer]] = field(default_factory=dict)

    @property
    def user_text(self) -> str:
        """What the user says, without pictures."""
        return text_of(self.user)


class NamedToolSpec(Strict, frozen=True):
    tool: str


class LimitSpec(Strict, frozen=True):
    requests: Annotated[int, Meta(ge=1)] | None = None
    context_tokens: Annotated[int, Meta(ge=1)] | None = None
    seconds: float | int | None = None
    idle_seconds: float | int | None = None


class WindowWords(Strict, frozen=True):
    status: int
    body: Any


class FallbackSpec(Strict, frozen=True):
    """A second provider, which the agent may ask when the first one fails."""

    provider: str
    wire: WireName | None = None


class Window(Strict, frozen=True):
    tokens: Annotated[int, Meta(ge=1)]
    words: WindowWords | None = None
    how: Literal["truncate"] | None = None


def fields_of(*sorts: FieldSort, model: type["Scenario"] | None = None) -> tuple[str, ...]:
    """The fields of these sorts, in the order in which a scenario has them."""
    return tuple(name for name, said in sorts_of(model or Scenario).items() if not said.isdisjoint(sorts))


@cache
def sorts_of(model: type["Scenario"]) -> dict[str, frozenset[FieldSort]]:
    """By the name of a field."""
    hints = get_type_hints(model, include_extras=True)
    return {
        name: frozenset(one for one in getattr(hints[name], "__metadata__", ()) if isinstance(one, FieldSort))
        for name in model.__struct_fields__
    }


class Scenario(Strict, frozen=True, kw_only=True):
    """One scenario, or one row of its examples written out."""

    format: Literal[1] = 1
    description: Annotated[str, Meta(max_length=72), REMARK]
    profile: Annotated[Profile, WEIGHT]
    level: Annotated[Level, WEIGHT] = "must"
    source: Annotated[str | None, REMARK] = None
    formerly: Annotated[list[str], NAME] = field(default_factory=list)
    needs: list[Feature] = field(default_factory=list)
    written_by: Annotated[Annotated[list[Maker], Meta(min_length=1)] | None, REACH] = None
    wires: list[WireName] | Literal["first"] | None = None
    providers: list[str] | None = None
    modes: list[Mode] | Literal["first"] | None = None
    model: dict[WireName, str] = field(default_factory=dict)
    served_model: str | None = None
    system: str = ""
    tools: list[ToolSpec] = field(default_factory=list)
    server_tools: list[ServerTool] = field(default_factory=list)
    tool_choice: Literal["auto", "required", "none"] | NamedToolSpec | None = None
    output_schema: dict[str, Any] | None = None
    history: list[HistoryMessage] = field(default_factory=list)
    limits: LimitSpec = field(default_factory=LimitSpec)
    window: Window | None = None
    fallback: FallbackSpec | None = None
    summaries: list[ReplySpec] = field(default_factory=list)
    conversation: Annotated[list[Turn], Meta(min_length=1)]
    effects: dict[str, Range] = field(default_factory=dict)
    waive: Annotated[dict[LawId, str], WEIGHT] = field(default_factory=dict)

    def mistake(self, given: Set[str]) -> str | None:
        try:
            self.description.encode()
        except UnicodeEncodeError:
            return "`description` has half a character, which cannot be printed."
        return None

    @property
    def may_be_shortened(self) -> bool:
        """Whether an agent has a reason to make the conversation shorter."""
        is_limited = self.limits.context_tokens is not None or self.window is not None
        return is_limited or any(turn.compact for turn in self.conversation)
