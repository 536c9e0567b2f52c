"""The types that adapters use."""

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

Feature = Literal[
    "deltas",
    "history",
    "conversation",
    "native-tools",
    "request-limit",
    "context-limit",
    "idle-limit",
    "tool-filter",
    "restart",
    "cancel",
    "sessions",
    "approval",
    "steering",
    "observer",
    "own-tools",
    "fixed-tools",
    "images",
    "user-images",
    "server-tools",
    "structured-output",
    "tool-choice",
    "model-switch",
    "compaction",
    "fallback",
    "open-models",
    "tool-search",
]
"""What an agent can do besides answering a message; cases that need a missing feature are not verified.

`deltas`: `send` yields text while the model writes. `history`: it starts from `setup.history`. `conversation`: it keeps
the turns of one instance. `native-tools`: it uses the wire's own tool calls. `request-limit`, `context-limit`,
`idle-limit`: it keeps to `setup.limits`. `tool-filter`: it offers only enabled tools. `restart`: it continues from
`setup.state_dir`.
`cancel`: a turn can be cancelled. `observer`: it calls `setup.observe`. `own-tools`: it offers tools of its own.
`approval`: it asks `setup.approve` before it runs a tool with `approval`. `steering`: it takes a message during a turn.
`images`: pictures in results reach the model as pictures. `user-images`: `send` takes a list of `Part` too.
`sessions`: `send` takes the name of a session, each of which is a conversation of its own.
`server-tools`: it declares `setup.server_tools`, which the provider runs, and continues a turn that the provider has
paused. `model-switch`: between turns it goes on with another model or provider: `switch(setup)`. `fallback`: where the
provider fails, it asks that of `setup.fallback`. `compaction`: between turns `compact()` makes all shorter.
`structured-output`: it ends a turn with JSON of `setup.output_schema`. `tool-choice`: it keeps to `setup.tool_choice`.
`open-models`: servers of open models, gateways or other providers of the wire than its own are behind it, which hand on
calls and thoughts as text, and have rules of their own. `fixed-tools`: all its tools are in its own code, so that names
and schemas of others, as MCP servers have them, do not reach it. `tool-search`: it offers a tool with `deferred` once
its own tool that searches for tools has found it.
"""


class AgentError(Exception):
    """A controlled failure: the agent gave up. Raise it in `send`, or a class listed in `errors` of the adapter."""


class Cancelled(AgentError):
    """Raised by `send` when `cancel()`, called from another thread, has ended the turn."""


class ToolError(Exception):
    """A tool failed. Raised by `Tool.call` and `Tool.acall`; if it leaves `send`, it is a controlled failure."""


class Pending(Exception):
    """The user has not answered yet. Raised by `setup.approve`; the turn then ends, by this exception or a return."""


class CannotRestore(Exception):
    """The agent cannot hold this history. Raise it in `__init__` or `send`; the case is then not verified."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Reply(str):
    """The agent's reply, if `send` yields deltas: `yield Reply(text)` comes last. A subclass of `str`."""

    __slots__ = ()


class StructuredResult(str):
    """What a tool returned that has a text and structured data, as MCP has them: from `Tool.content` and `acontent`.

    As a string it is both: the text, and the data as JSON below it, unless the text is that JSON already. An agent that
    treats them apart reads `said`, the text alone, which may be empty, and `structured`.
    """

    said: str
    structured: Mapping[str, Any]

    def __new__(cls, said: str, structured: Mapping[str, Any]) -> "StructuredResult":
        data = json.dumps(structured, ensure_ascii=False)
        both = said if _is_json_of(said, structured) else "\n".join(filter(None, (said, data)))
        result = super().__new__(cls, both)
        result.said, result.structured = said, structured
        return result

    def __reduce__(self) -> tuple[Any, ...]:
        """It can be copied and pickled, as agents do with their history."""
        return StructuredResult, (self.said, self.structured)


def _is_json_of(text: str, value: Any) -> bool:
    try:
        return bool(json.loads(text) == value)
    except (ValueError, RecursionError):
        return False


@dataclass(frozen=True, slots=True)
class Withdrawn:
    """Text that is taken off the user's screen again, as before a visible retry: `yield Withdrawn()`.

    The last `characters` that were yielded in this turn; without a number, all of them.
    """

    characters: int | None = None


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call in a history. It has either `arguments` (a JSON object) or `arguments_text` (verbatim, maybe no JSON)."""

    id: str | None
    name: str
    arguments: Mapping[str, Any] | None = None
    arguments_text: str | None = None

    @property
    def text(self) -> str:
        """The arguments as text: `arguments_text`, or `arguments` as JSON."""
        if self.arguments_text is not None:
            return self.arguments_text
        return json.dumps(self.arguments or {}, ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a history.

    `thinking` and `tool_calls` belong to the role `assistant`. A message of the role `tool` is the result of one call:
    `tool_call_id` is its call, `name` the tool if the history has the call, `is_error` whether the tool failed. If a
    message of the user or a result has pictures, `parts` are its texts and pictures, and `text` the same as text.
    `signature` is what the provider `signed_by` sent with the thinking: Anthropic's `signature`, `encrypted_content` of
    Responses, Gemini's `thoughtSignature`, which there stands with the first call, or the text. Others refuse it.
    """

    role: Literal["system", "user", "assistant", "tool"]
    text: str = ""
    thinking: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None
    name: str | None = None
    is_error: bool = False
    parts: "tuple[Part, ...]" = ()
    signature: str | None = None
    signed_by: str | None = None


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a case: model requests per turn, tokens per request, seconds per turn, and seconds without a byte
    of a response, after which the agent gives up waiting for it. None: no limit.
    """

    requests: int | None = None
    context_tokens: int | None = None
    seconds: float | None = None
    idle_seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a tool result, or of a message of the user, with several parts.

    A `text` part has `text`; an `image` part has `media_type` (`image/png`) and `data` (base64).
    """

    type: Literal["text", "image"]
    text: str = ""
    media_type: str = ""
    data: str = ""


class Tool:
    """One tool of the scenario. The suite records every call; the agent need not report anything.

    `name` and `description` are strings, `parameters` is the JSON Schema of an object. One with `approval` runs only
    after `setup.approve` has returned true for the call, one with `deferred` is offered once a search has found it.
    `call` and `acall` take the arguments, normally a dict. Arguments that the schema accepts run the tool and return
    its value: a string, another JSON value, or, for an adapter with the feature `images`, a list of `Part`. Others
    return a string that begins with `Error:`. Both raise `ToolError` if the tool fails.
    `output_schema` is the JSON Schema of the structured data, where the tool declares one.
    """

    def __init__(
        self,
        name: str,
        description: str,
        parameters: Mapping[str, Any],
        *,
        run: Callable[[Any], Any],
        arun: Callable[[Any], Awaitable[Any]],
        is_enabled: Callable[[], bool] = lambda: True,
        approval: Literal["ask"] | None = None,
        deferred: bool = False,
        gives_parts: bool = True,
        output_schema: Mapping[str, Any] | None = None,
    ) -> None:
        self.name = name
        self.description = description
        self.parameters = parameters
        self.approval = approval
        self.deferred = deferred
        self.gives_parts = gives_parts
        self.output_schema = output_schema
        self._run = run
        self._arun = arun
        self._is_enabled = is_enabled

    def __repr__(self) -> str:
        return f"Tool({self.name!r})"

    @property
    def enabled(self) -> bool:
        """Whether the tool may be offered now. It can change during a turn; read it before each request."""
        return self._is_enabled()

    def call(self, arguments: Any) -> Any:
        """Run the tool with these arguments and return its value. Raises `ToolError`."""
        return self.given(self._run(arguments))

    async def acall(self, arguments: Any) -> Any:
        """The same for asynchronous agents."""
        return self.given(await self._arun(arguments))

    def content(self, arguments: Any) -> Any:
        """As `call`, with pictures whatever the adapter declares, and a `StructuredResult` where there are structured
        data: for what hands them on by itself, as MCP does.
        """
        return self._run(arguments)

    async def acontent(self, arguments: Any) -> Any:
        """The same for asynchronous agents."""
        return await self._arun(arguments)

    def given(self, value: Any) -> Any:
        """As `call` returns it. `Part` and `StructuredResult` are types of the suite: an adapter that knows nothing of
        pictures would make JSON of the one, and not every encoder takes the other.
        """
        if isinstance(value, StructuredResult):
            return str(value)
        is_parts = isinstance(value, list) and any(isinstance(part, Part) for part in value)
        return self.text(value) if is_parts and not self.gives_parts else value

    def function(self) -> Callable[..., Any]:
        """A typed, documented Python function that runs the tool, for frameworks that accept nothing else."""
        from agent_conformance.adapter.functions import typed_function

        return typed_function(self)

    def afunction(self) -> Callable[..., Awaitable[Any]]:
        """The same as a coroutine function."""
        from agent_conformance.adapter.functions import typed_async_function

        return typed_async_function(self)

    @staticmethod
    def text(value: Any) -> str:
        """A tool's value as text: strings as they are, parts joined by line breaks, everything else as JSON."""
        if isinstance(value, str):
            return value
        if isinstance(value, list) and value and all(isinstance(part, Part) for part in value):
            return "\n".join(part.text or f"[{part.media_type}]" for part in value)
        return json.dumps(value, ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class NamedTool:
    """A `tool_choice` that names one tool."""

    tool: str


ToolChoice = Literal["auto", "required", "none"] | NamedTool
"""`required`: the model has to call a tool before it answers; `NamedTool`: that one. Only the first request of a turn
forces it, until the tool has its result. `none`: it may not call any. `auto`: it decides."""


def _allow(call: ToolCall) -> bool:
    return True


async def _aallow(call: ToolCall) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Fallback:
    """A second provider: whom to ask, on which wire and for which model, where the first one fails."""

    wire: str
    provider: str
    base_url: str
    api_key: str
    model: str


@dataclass(frozen=True, slots=True)
class Setup:
    """What an agent is started with, once per case.

    `wire` is one of the adapter's `wires`, and `provider` the provider that is imitated. Requests go to `base_url`,
    which has the form that the wire's official SDK takes, with `api_key` and `model`; they ask for a stream if `stream`
    is true. `system` is the system prompt, maybe empty. The conversation starts with `history`, which may be malformed.
    `state_dir` is a folder that survives a restart. `observe`, if not None, takes any event of the agent. `approve` and
    `aapprove` ask the user whether a call may run, and raise `Pending` if the user has not answered yet.
    `server_tools` names tools that the provider runs itself, such as `web_search`. `output_schema` is the JSON Schema
    of the reply, and `tool_choice` what the model has to call first; None where the agent decides. `fallback` is the
    provider to ask where this one fails.
    """

    wire: str
    provider: str
    base_url: str
    api_key: str
    model: str
    stream: bool
    system: str
    tools: tuple[Tool, ...]
    history: tuple[Message, ...]
    limits: Limits
    state_dir: Path
    observe: Callable[[Any], None] | None = field(default=None, compare=False)
    server_tools: tuple[str, ...] = ()
    approve: Callable[[ToolCall], bool] = field(default=_allow, compare=False)
    aapprove: Callable[[ToolCall], Awaitable[bool]] = field(default=_aallow, compare=False)
    output_schema: Mapping[str, Any] | None = None
    tool_choice: ToolChoice | None = None
    fallback: Fallback | None = None
