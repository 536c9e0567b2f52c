"""The public types an adapter is written with. Knows neither scenarios nor judging nor any wire."""

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
    "tool-filter",
    "restart",
    "cancel",
    "sessions",
    "approval",
    "observer",
    "own-tools",
]


class AgentError(Exception):
    """A controlled failure: the agent gave up and says so. Raise it, or a class listed in `Adapter.errors`."""


class Cancelled(AgentError):
    """Raised by `send` when `cancel()`, called from another thread, has ended the turn."""


class ToolError(Exception):
    """A tool failed while running. Raised by `Tool.call`; letting it through is a controlled failure."""


class CannotRestore(Exception):
    """The agent's session type cannot hold this history; the case is then not verified."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Reply(str):
    """The agent's finished answer, where `send` yields deltas: `yield Reply(text)` last in an async generator."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call in a history. Exactly one of `arguments` (a JSON object) and `arguments_text` (verbatim) is given."""

    id: str | None
    name: str
    arguments: Mapping[str, Any] | None = None
    arguments_text: str | None = None

    @property
    def text(self) -> str:
        """The arguments as the text that a chat wire carries."""
        if self.arguments_text is not None:
            return self.arguments_text
        return json.dumps(self.arguments or {}, ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a restored history. `name` of a tool result is filled in from its call, where there is one."""

    role: Literal["system", "user", "assistant", "tool"]
    text: str = ""
    thinking: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None
    name: str | None = None
    is_error: bool = False


@dataclass(frozen=True, slots=True)
class Limits:
    """What the agent is asked to keep to: model requests a turn, tokens a request, seconds a turn."""

    requests: int | None = None
    context_tokens: int | None = None
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a tool result of several parts. `data` is base64 where `type` is `image`."""

    type: Literal["text", "image"]
    text: str = ""
    media_type: str = ""
    data: str = ""


class Tool:
    """One tool of the scenario. Every call is recorded by the suite; the agent need not report anything.

    `call` and `acall` take any value. Arguments that the schema accepts run the tool and return its JSON value, text or
    list of `Part`; others return a text that begins with `Error:`. A tool that fails raises `ToolError`.
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
    ) -> None:
        self.name = name
        self.description = description
        self.parameters = parameters
        self._run = run
        self._arun = arun
        self._is_enabled = is_enabled

    def __repr__(self) -> str:
        return f"Tool({self.name!r})"

    @property
    def enabled(self) -> bool:
        """Whether the tool may be offered now; read it before each request."""
        return self._is_enabled()

    def call(self, arguments: Any) -> Any:
        return self._run(arguments)

    async def acall(self, arguments: Any) -> Any:
        return await self._arun(arguments)

    def function(self) -> Callable[..., Any]:
        """A typed, documented Python function that runs the tool, for frameworks that take nothing else."""
        from conformance.adapter.functions import typed_function

        return typed_function(self)

    def afunction(self) -> Callable[..., Awaitable[Any]]:
        """The same as a coroutine function."""
        from conformance.adapter.functions import typed_async_function

        return typed_async_function(self)

    @staticmethod
    def text(value: Any) -> str:
        """A result as text: strings as they are, parts joined, everything else as JSON."""
        if isinstance(value, str):
            return value
        if isinstance(value, list) and value and all(isinstance(part, Part) for part in value):
            return "\n".join(part.text or f"[{part.media_type}]" for part in value)
        return json.dumps(value, ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class Setup:
    """What an agent is started with, once per case. `base_url` has the form that the wire's official SDK takes."""

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
