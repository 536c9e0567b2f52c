"""The messages of the agent, parsed and checked, and what can go wrong with a command.

Each error names the side at fault and has the end of its standard error. That is no part of its words in a case: its
last line may be about anything, and a report shows it beside the finding.
"""

import json
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from agent_conformance.adapter.contract import AdapterMistake
from agent_conformance.adapter.types import (
    Message,
    NamedTool,
    Part,
    Setup,
    StructuredResult,
    Tool,
    ToolCall,
    ToolChoice,
)
from agent_conformance.attach.command.schema import LONGEST_SHOWN, breach, shown
from agent_conformance.transcripts.redaction import redacted
from fake_providers.values.json_texts import validator_of

LINES_SHOWN = 3
LONGEST_REASON = 120
REASON = re.compile(r"^(?:[\w.]*(?:Error|Exception)\b|Fatal Python error:|panic:|thread '.*' panicked)")
"""Lines with the reason why a program ended; runtimes write stacks before them, after them or both."""


class CommandError(Exception):
    """Base class of the errors of an agent. `stderr` is the end of its standard error."""

    def __init__(self, what: str, stderr: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.stderr = stderr

    @property
    def with_log(self) -> str:
        """The error with the line of the log that may say why."""
        said = summary(self.stderr)
        return f"{self.what}; its standard error says: {said}" if said else self.what


class NoHello(CommandError):
    """The command could not be started, or sent no hello."""


class OtherProtocol(CommandError):
    """The agent has another version of the protocol."""


class ProcessDied(CommandError):
    """The process ended, or closed its standard output, before the turn was over."""


class ProtocolBroken(CommandError):
    """The agent wrote something that the protocol does not allow."""


class AgentCrashed(CommandError):
    """The agent reports that it has crashed, with its traceback if it sends one."""

    def __init__(self, what: str, stderr: str = "", traceback: str = "") -> None:
        super().__init__(what, stderr)
        self.agent_traceback = traceback


class SuiteBrokeProtocol(AdapterMistake):
    """The suite was about to write something that the protocol does not allow. This is no verdict on the agent."""

    def __init__(self, what: str) -> None:
        super().__init__(f"the suite broke the protocol, please report it: {what}")


def summary(stderr: str) -> str:
    """The standard error of a process as one line: the reason why it ended if there is one, else the last lines."""
    lines = [line.strip() for line in redacted(stderr).splitlines() if line.strip()]
    context = [line for line in lines if REASON.match(line)]
    return context[-1][:LONGEST_REASON] if context else " | ".join(lines[-LINES_SHOWN:])[-LONGEST_REASON:]


Schema = dict[str, Any] | bool


class InvalidMessage(Exception):
    """One line of the agent is wrong: where, what was found and what was expected."""


class OtherVersion(Exception):
    """The agent's hello has another version of the protocol."""


@dataclass(frozen=True, slots=True)
class Hello:
    """What the agent declares. `opened`: it answers `open`. `together`: turns of two sessions may run at once. The
    others are the adapter's members of the same name.
    """

    wires: tuple[str, ...]
    modes: tuple[str, ...] = ("plain",)
    features: tuple[str, ...] = ()
    name: str = ""
    version: str = ""
    reuse: bool = False
    opened: bool = False
    together: bool = False
    side_request: Schema = False
    reply_tool: tuple[str, str | None] | None = None
    instructions_as_message: bool = False
    scrub: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Opened:
    """The agent is ready. `tool_names` has the tools that it offers under another name."""

    tool_names: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Delta:
    text: str


@dataclass(frozen=True, slots=True)
class TextWithdrawn:
    """The last so many characters are taken back, or all that was streamed in the turn."""

    characters: int | None


@dataclass(frozen=True, slots=True)
class ToolRequest:
    """A call for the suite to run; `id` is chosen by the agent and comes back in the result."""

    id: str | int
    tool: str
    arguments: Any


@dataclass(frozen=True, slots=True)
class ApprovalRequest:
    """A question to the user, whether a call may run; `id` comes back in the answer."""

    id: str | int
    tool: str
    arguments: Mapping[str, Any]
    call_id: str | None


@dataclass(frozen=True, slots=True)
class Event:
    """An event for an observer."""

    event: Any


@dataclass(frozen=True, slots=True)
class TurnReply:
    """The end of a turn. `text` None leaves the reply to the deltas."""

    text: str | None


@dataclass(frozen=True, slots=True)
class Failure:
    """The end of a turn in a failure: a crash if it is not `controlled`. `traceback` is that of a crash."""

    message: str
    controlled: bool = True
    traceback: str = ""
    raised_in: str = ""

    def is_deliberate_in(self, places: Iterable[str]) -> bool:
        """Whether one of these packages raised it on purpose, and not the language for a bug in it."""
        where = self.raised_in or raised_at(self.traceback)
        return any(place in where for place in places) and not BUG.search(self.message)


@dataclass(frozen=True, slots=True)
class TurnCancelled:
    """The end of a turn that was cancelled."""


@dataclass(frozen=True, slots=True)
class Parked:
    """The end of a turn that waits for the user."""


@dataclass(frozen=True, slots=True)
class NotRestored:
    """The agent cannot hold the history of this session."""

    reason: str


Incoming = (
    Hello
    | Opened
    | Delta
    | TextWithdrawn
    | ToolRequest
    | ApprovalRequest
    | Event
    | TurnReply
    | Failure
    | TurnCancelled
    | Parked
    | NotRestored
)


def fields_of(line: bytes) -> dict[str, Any]:
    """The object on a line. Raises `Unreadable`."""
    try:
        message = json.loads(line.decode(), parse_constant=_refuse)
    except (ValueError, RecursionError):
        message = None
    if not isinstance(message, dict):
        text = line[: LONGEST_SHOWN + 1].decode(errors="backslashreplace").strip()
        found = text if len(line) <= LONGEST_SHOWN else f"{text}..."
        raise InvalidMessage(
            f"found {found!r}, expected a JSON object; "
            "keep standard output for the protocol and write logs to standard error"
        )
    return message


def incoming(fields: Mapping[str, Any]) -> Incoming:
    """The message with these fields; unknown ones are ignored. Raises `Unreadable` and `NotThisVersion`."""
    if fields.get("type") == "hello":
        theirs = fields.get("protocol")
        if isinstance(theirs, int) and not isinstance(theirs, bool) and theirs != PROTOCOL:
            update = ", or update agent-conformance" if theirs > PROTOCOL else ""
            raise OtherVersion(
                f"the agent speaks protocol {theirs} and this suite {PROTOCOL}: "
                f"let the agent answer hello with the version of the suite's hello{update}"
            )
    if (broken := breach("agent", fields)) is not None:
        raise InvalidMessage(broken)
    return READERS[fields["type"]](fields)


def _hello(fields: Mapping[str, Any]) -> Hello:
    tool = fields.get("reply_tool")
    schema = fields.get("side_request", False)
    try:
        validator_of(schema)
    except ValueError as error:
        reason = str(error).partition("\n")[0]
        raise InvalidMessage(
            f"`side_request` of hello: found {shown(schema)}, expected a JSON Schema: {reason}"
        ) from None
    return Hello(
        wires=tuple(fields["wires"]),
        modes=tuple(fields.get("modes", ("plain",))),
        features=tuple(fields.get("features", ())),
        name=fields.get("name", ""),
        version=fields.get("version", ""),
        reuse=fields.get("reuse", False),
        opened=fields.get("opened", False),
        together=fields.get("together", False),
        side_request=schema,
        reply_tool=(tool["tool"], tool["argument"]) if tool else None,
        instructions_as_message=fields.get("instructions_as_message", False),
        scrub=tuple(_usable_pattern(pattern) for pattern in fields.get("scrub", ())),
        errors=tuple(fields.get("errors", ())),
    )


def _usable_pattern(pattern: str) -> str:
    try:
        re.compile(pattern)
    except re.error as error:
        raise InvalidMessage(
            f"`scrub` of hello: found {shown(pattern)}, expected a regular expression of Python: {error}"
        ) from None
    return pattern


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is not JSON")


READERS: dict[str, Callable[[Mapping[str, Any]], Incoming]] = {
    "hello": _hello,
    "opened": lambda fields: Opened(fields.get("tool_names", {})),
    "delta": lambda fields: Delta(fields["text"]),
    "withdraw": lambda fields: TextWithdrawn(fields.get("characters")),
    "call": lambda fields: ToolRequest(fields["id"], fields["tool"], fields["arguments"]),
    "approve": lambda fields: ApprovalRequest(fields["id"], fields["tool"], fields["arguments"], fields.get("call_id")),
    "event": lambda fields: Event(fields["event"]),
    "reply": lambda fields: TurnReply(fields.get("text")),
    "error": lambda fields: Failure(
        fields["message"], fields.get("controlled", True), fields.get("traceback", ""), fields.get("raised_in", "")
    ),
    "cancelled": lambda fields: TurnCancelled(),
    "parked": lambda fields: Parked(),
    "cannot-restore": lambda fields: NotRestored(fields["reason"]),
}


BUG = re.compile(
    r"Cannot (?:read|set) propert|Cannot destructure|Cannot access '|Cannot convert undefined|is not a function"
    r"|is not defined|is not iterable|is not a constructor|Assignment to constant|Maximum call stack"
    r"|object has no attribute|object is not|unsupported operand|takes \d+ positional|unexpected keyword argument"
    r"|missing \d+ required|nil pointer|index out of range|panicked at"
)
"""Messages of the engines of JavaScript, of Python, Go and Rust for a bug; code that gives up has words of its own."""

_JAVASCRIPT = re.compile(r"^\s+at .*$", re.MULTILINE)
_PYTHON = re.compile(r'^\s+File "([^"]+)"', re.MULTILINE)


def raised_at(traceback: str) -> str:
    """The line of the first frame of a stack of JavaScript, or the last file of one of Python; else empty."""
    if frames := _JAVASCRIPT.findall(traceback):
        return str(frames[0])
    files = _PYTHON.findall(traceback)
    return str(files[-1]) if files else ""


PROTOCOL = 1


def line_of(message: Mapping[str, Any]) -> bytes:
    """One line. Raises `SuiteBroke` for what the schema does not allow.

    Everything outside ASCII is escaped, so that no reader splits it at an exotic line break.
    """
    if (broken := breach("suite", message)) is not None:
        raise SuiteBrokeProtocol(broken)
    try:
        return json.dumps(message, separators=(",", ":"), allow_nan=False).encode() + b"\n"
    except ValueError:
        raise SuiteBrokeProtocol(f"{message['type']}: found a number that is not JSON, expected JSON") from None


def hello_message() -> dict[str, Any]:
    return {"type": "hello", "protocol": PROTOCOL}


def open_message(setup: Setup, *, session: str, features: Collection[str] = ()) -> dict[str, Any]:
    """What only some agents know is there for those that declare these `features`."""
    limits = setup.limits
    return {
        "type": "open",
        "session": session,
        "wire": setup.wire,
        "provider": setup.provider,
        "base_url": setup.base_url,
        "api_key": setup.api_key,
        "model": setup.model,
        "stream": setup.stream,
        "system": setup.system,
        "tools": [_tool(tool, features) for tool in setup.tools],
        "history": [_history_message(message) for message in setup.history],
        "limits": {
            "requests": limits.requests,
            "context_tokens": limits.context_tokens,
            "seconds": limits.seconds,
            **({"idle_seconds": limits.idle_seconds} if "idle-limit" in features else {}),
        },
        "state_dir": str(setup.state_dir),
        "observe": setup.observe is not None,
        **({"fallback": None if setup.fallback is None else asdict(setup.fallback)} if "fallback" in features else {}),
        **({"server_tools": list(setup.server_tools)} if "server-tools" in features else {}),
        **({"output_schema": setup.output_schema} if "structured-output" in features else {}),
        **({"tool_choice": _choice(setup.tool_choice)} if "tool-choice" in features else {}),
    }


def _choice(choice: ToolChoice | None) -> Any:
    return {"tool": choice.tool} if isinstance(choice, NamedTool) else choice


def send_message(
    message: str | list[Part], *, session: str, enabled: Iterable[str], compact: bool = False
) -> dict[str, Any]:
    """`message` is always a text; `parts` are there too if the user sends pictures."""
    sent: dict[str, Any] = {"type": "send", "session": session, "message": Tool.text(message), "enabled": list(enabled)}
    if compact:
        sent["compact"] = True
    return sent if isinstance(message, str) else sent | {"parts": _plain(message)}


def result_message(call: str | int, value: Any, *, session: str) -> dict[str, Any]:
    """`text` is always the result as text; `value` is there too if the result is more than a text, `said` and
    `structured` if it has structured data.
    """
    result = {"type": "result", "session": session, "id": call, "text": str(Tool.text(value))}
    if isinstance(value, StructuredResult):
        return result | {"said": value.said, "structured": value.structured}
    return result if isinstance(value, str) else result | {"value": _plain(value)}


def failed_message(call: str | int, error: str, *, session: str) -> dict[str, Any]:
    return {"type": "result", "session": session, "id": call, "error": error}


def approval_message(question: str | int, allowed: bool | None, *, session: str) -> dict[str, Any]:
    """`allowed` None: the user has not answered yet."""
    return {"type": "approval", "session": session, "id": question, "allowed": allowed}


def steer_message(message: str, *, session: str) -> dict[str, Any]:
    return {"type": "steer", "session": session, "message": message}


def switch_message(setup: Setup, *, session: str) -> dict[str, Any]:
    """Another model, or another provider with its wire: what has changed of `open`."""
    changed = {name: getattr(setup, name) for name in ("wire", "provider", "base_url", "api_key", "model")}
    return {"type": "switch", "session": session, **changed}


def cancel_message(*, session: str) -> dict[str, Any]:
    return {"type": "cancel", "session": session}


def close_message(*, session: str) -> dict[str, Any]:
    return {"type": "close", "session": session}


def _tool(tool: Tool, features: Collection[str]) -> dict[str, Any]:
    declared: dict[str, Any] = {
        "name": tool.name,
        "description": tool.description,
        "parameters": dict(tool.parameters),
        "enabled": tool.enabled,
    }
    if tool.approval and "approval" in features:
        declared["approval"] = tool.approval
    if tool.deferred and "tool-search" in features:
        declared["deferred"] = True
    if tool.output_schema is not None:
        declared["output_schema"] = dict(tool.output_schema)
    return declared


def _history_message(message: Message) -> dict[str, Any]:
    message_fields: dict[str, Any] = {"role": message.role, "text": message.text}
    if message.thinking:
        message_fields["thinking"] = message.thinking
    if message.signature:
        message_fields |= {"signature": message.signature, "signed_by": message.signed_by}
    if message.tool_calls:
        message_fields["tool_calls"] = [_history_call(call) for call in message.tool_calls]
    if message.role == "tool":
        message_fields |= {"tool_call_id": message.tool_call_id, "name": message.name, "is_error": message.is_error}
    if message.parts:
        message_fields["parts"] = _plain(list(message.parts))
    return message_fields


def _history_call(call: ToolCall) -> dict[str, Any]:
    message_fields: dict[str, Any] = {"id": call.id, "name": call.name}
    if call.arguments_text is not None:
        return message_fields | {"arguments_text": call.arguments_text}
    return message_fields | {"arguments": dict(call.arguments or {})}


def _plain(value: Any) -> Any:
    """A tool's value as JSON; a part becomes an object of its fields."""
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, Part):
        if value.type == "image":
            return {"type": "image", "media_type": value.media_type, "data": value.data}
        return {"type": "text", "text": value.text}
    return value
