"""The `Setup` of an agent, from its scenario, and the user of a case, who allows or denies calls with `approval`.

What an agent is handed is its own: it may edit it in place. Every question to the user is recorded.
"""

import asyncio
import base64
import json
import random
import struct
import threading
import zlib
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import wait
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, cast

from agent_conformance.adapter.types import (
    Fallback,
    Limits,
    Message,
    NamedTool,
    Part,
    Pending,
    Setup,
    Tool,
    ToolCall,
    ToolChoice,
)
from agent_conformance.judge.calls import same_arguments
from agent_conformance.run.agent.agent_instance import Life
from agent_conformance.run.provider.running_turn import PATIENCE, RunningTurn
from agent_conformance.scenario.base_model import PartSpec, parts_of
from agent_conformance.scenario.cases import Case
from agent_conformance.scenario.derived.routes import Target, first_target
from agent_conformance.scenario.model import (
    AssistantMessage,
    CallSpec,
    HistoryMessage,
    NamedToolSpec,
    ThinkingSpec,
    ToolSpec,
    Turn,
    UserAnswer,
)
from agent_conformance.transcripts.transcript import DEFAULT_REQUEST_LIMIT, Approval, TurnRecord
from fake_providers.ids import Ids
from fake_providers.provider_facts import own_provider
from fake_providers.registry import wire_named
from fake_providers.values.json_texts import copied
from fake_providers.wire import SignsReasoning

MOST_QUESTIONS = 1000
"""So many are recorded in a turn."""


class Approver:
    """Belongs to the `life` of one agent. Any thread may ask. What the scenario does not answer is denied."""

    def __init__(self, specs: list[ToolSpec], turn: RunningTurn, life: Life) -> None:
        self._life = life
        self._specs = {spec.name: spec for spec in specs}
        self._turn = turn
        self._lock = threading.Lock()

    def approve(self, call: ToolCall) -> bool:
        """Whether the user allows the call. Raises `Pending`."""
        answer = self._asked(call)
        if (cancelled := self._turn.question_asked()) is not None:
            wait([cancelled], timeout=PATIENCE)
        return _given(call, answer)

    async def aapprove(self, call: ToolCall) -> bool:
        """The same for asynchronous agents."""
        answer = self._asked(call)
        if (cancelled := self._turn.question_asked()) is not None:
            await asyncio.wait([asyncio.wrap_future(cancelled)], timeout=PATIENCE)
        return _given(call, answer)

    def _asked(self, call: ToolCall) -> UserAnswer:
        self._life.go_on()
        name, arguments = str(call.name), _own_copy(call.arguments)
        spec, record = self._specs.get(name), self._turn.record
        if spec is None:
            return True
        if record is None:
            return spec.approval is None
        if isinstance(arguments, dict):
            arguments = {key: value for key, value in arguments.items() if key not in self._turn.added.get(name, ())}
        with self._lock:
            return self._answer(spec, record, arguments)

    def _answer(self, spec: ToolSpec, record: TurnRecord, arguments: Any) -> UserAnswer:
        self._turn.note_activity()
        given = record.turn.approve.get(spec.name, spec.approval is None)  # what needs no question is allowed
        answer = _of_call(spec, record, arguments, given) if isinstance(given, list) else given
        if len(record.approvals) < MOST_QUESTIONS:
            record.approvals.append(
                Approval(
                    spec.name,
                    arguments,
                    answer,
                    attempts_before=len(record.attempts),
                    requests_before=len(record.requests),
                )
            )
        return answer


def _given(call: ToolCall, answer: UserAnswer) -> bool:
    if answer == "pending":
        raise Pending(f"the user has not yet said whether {call.name} may run")
    return answer


def _own_copy(arguments: Any) -> Any:
    """The arguments as JSON, read before the lock is taken: a mapping may be the agent's own class."""
    try:
        return None if arguments is None else json.loads(json.dumps(dict(arguments)))
    except RecursionError:
        return {}


def _of_call(spec: ToolSpec, record: TurnRecord, arguments: Any, answers: list[UserAnswer]) -> UserAnswer:
    """The answer about the call with these arguments. Equal ones take turns; one that nobody made is denied.

    An agent that does not say them asks in the order of the calls.
    """
    requests = [request for request in record.requests if request.kind != "retry"]
    alike = [
        number
        for number, call in enumerate(
            [call for request in requests for call in request.calls if call.name == spec.name]
        )
        if arguments is None or same_arguments(arguments, call.spec.arguments or {}, spec.parameters)
    ]
    if not alike:
        return False
    asked = sum(
        approval.tool == spec.name
        and (arguments is None or same_arguments(arguments, approval.arguments, spec.parameters))
        for approval in record.approvals
    )
    return answers[min(alike[min(asked, len(alike) - 1)], len(answers) - 1)]


API_KEY = "conformance-key"
SECOND_KEY = f"second-{API_KEY}"
"""That of the provider which is asked where the first one fails. What hides and finds the first key finds it too."""


def setup_of(
    case: Case,
    *,
    base_url: str,
    tools: tuple[Tool, ...],
    state_dir: Path,
    restarted: bool,
    observe: Callable[[Any], None],
    approver: Approver,
    target: Target | None = None,
    fallback: Fallback | None = None,
) -> Setup:
    """The setup of one instance; after a restart or a change of the model without a history.

    `target` is whom the agent is to ask, if not the target of the first turn. `observe` is for scenarios with an
    observer.
    """
    scenario = case.scenario
    limits = scenario.limits
    target = target or first_target(scenario, case.wire, case.provider)
    choice = scenario.tool_choice
    return Setup(
        wire=target.wire,
        provider=target.provider,
        base_url=base_url,
        api_key=API_KEY,
        model=target.model,
        stream=case.mode == "stream",
        system=scenario.system,
        tools=tools,
        history=() if restarted else history_of(scenario.history, case.wire),
        limits=Limits(
            requests=limits.requests or DEFAULT_REQUEST_LIMIT,
            context_tokens=limits.context_tokens,
            seconds=limits.seconds,
            idle_seconds=limits.idle_seconds,
        ),
        state_dir=state_dir,
        server_tools=tuple(scenario.server_tools),
        output_schema=copied(scenario.output_schema),
        tool_choice=NamedTool(choice.tool) if isinstance(choice, NamedToolSpec) else cast("ToolChoice | None", choice),
        fallback=fallback,
        observe=observe if any(turn.observer for turn in scenario.conversation) else None,
        approve=approver.approve,
        aapprove=approver.aapprove,
    )


FOREIGN = {
    "anthropic-messages": "openai-responses",
    "openai-responses": "anthropic-messages",
    "gemini-generate": "anthropic-messages",
    "bedrock-converse": "openai-responses",
}
"""For each wire whose provider signs reasoning, another one, whose signatures it refuses."""


def history_of(messages: list[HistoryMessage], wire: str) -> tuple[Message, ...]:
    """The history for a case on this wire; the name of a result is filled in from its call."""
    return tuple(_messages(messages, wire))


def _messages(messages: list[HistoryMessage], wire: str) -> Iterator[Message]:
    names: dict[str | None, str] = {}
    for place, message in enumerate(messages):
        seed = f"history {place}"
        if message.user is not None:
            yield _user(message.user, seed=seed)
        elif message.system is not None:
            yield Message("system", message.system)
        elif message.tool is not None:
            value = made_result(message.tool.result, seed=seed)
            parts = () if value is message.tool.result else tuple(value)
            yield Message(
                "tool",
                Tool.text(value),
                tool_call_id=message.tool.id,
                name=message.tool.name or names.get(message.tool.id),
                is_error=message.tool.error,
                parts=parts,
            )
        else:
            given = message.assistant
            assistant = AssistantMessage(text=given) if isinstance(given, str) else given or AssistantMessage()
            names |= {call.id: call.name for call in assistant.calls}
            yield _assistant(assistant, wire, seed=seed)


def _assistant(message: AssistantMessage, wire: str, *, seed: str) -> Message:
    calls = tuple(_call(call) for call in message.calls)
    if not isinstance(thinking := message.thinking, ThinkingSpec):
        return Message("assistant", message.text, thinking, calls)
    signature, signed_by = _signature(thinking, wire, seed=seed)
    return Message("assistant", message.text, thinking.text, calls, signature=signature, signed_by=signed_by)


def _signature(thinking: ThinkingSpec, wire: str, *, seed: str) -> tuple[str | None, str | None]:
    """The signature and the provider that issued it."""
    if thinking.signature == "absent":
        return None, None
    signing = wire if thinking.signature == "own" else FOREIGN[wire]
    provider = wire_named(signing)
    assert isinstance(provider, SignsReasoning)
    return provider.sign(thinking.text, Ids(seed)), own_provider(signing)


def _user(said: str | list[PartSpec], *, seed: str) -> Message:
    if isinstance(said, str):
        return Message("user", said)
    parts = made(said, seed=seed)
    return Message("user", Tool.text(parts), parts=tuple(parts))


def _call(call: CallSpec) -> ToolCall:
    arguments: Any = None if call.arguments_text is not None else copied(call.arguments or {})
    return ToolCall(call.id, call.name, arguments, call.arguments_text)


MEDIA_TYPES = {
    "png": "image/png",
    "jpeg": "image/jpeg",
    "gif": "image/gif",
    "svg": "image/svg+xml",
    "unreadable": "image/png",
}


def made(parts: Sequence[PartSpec], *, seed: str) -> list[Part]:
    """Texts and pictures; each of these pictures, and those of another seed, are different."""
    return [_part(part, f"{seed} {index}") for index, part in enumerate(parts)]


def message_of(turn: Turn, number: int) -> str | list[Part]:
    """What the user sends in the turn of this number: a text, or the parts that the scenario writes."""
    return turn.user if isinstance(turn.user, str) else made(turn.user, seed=f"turn {number}")


def made_result(value: Any, *, seed: str) -> Any:
    """A result as a tool returns it: `{parts: [...]}` as a list of parts, any other JSON value as it is."""
    parts = parts_of(value)
    return value if parts is None else made(parts, seed=seed)


def text_alone(value: Any) -> str:
    """A result as text, without pictures."""
    if isinstance(value, list) and any(isinstance(part, Part) for part in value):
        return "\n".join(part.text for part in value if part.type == "text")
    return Tool.text(value)


def _part(part: PartSpec, seed: str) -> Part:
    if part.image is None:
        return Part("text", part.text or "")
    return Part(
        "image",
        media_type=MEDIA_TYPES[part.image.media_type],
        data=base64.b64encode(drawn(part.image.media_type, part.image.width, part.image.height, seed)).decode(),
    )


Format = Literal["png", "jpeg", "gif", "svg", "unreadable"]

LEAST_BYTES = 2048
"""Every picture has at least so many bytes of noise, so that its base64 is long and like no other."""
MOST_FINE = 256 * 256
"""Pixels of a PNG in shades of grey. A larger one is black and white, with noise at the top alone."""


@lru_cache(maxsize=64)
def drawn(format: Format, width: int, height: int, seed: str) -> bytes:
    """The file of a picture."""
    noise = random.Random(seed)
    match format:
        case "png":
            is_fine = width * height <= MOST_FINE
            row = width if is_fine else -(-width // 8)
            pixels = noise.randbytes(row * height if is_fine else min(LEAST_BYTES, row * height)).ljust(
                row * height, b"\0"
            )
            rows = b"".join(b"\0" + pixels[start : start + row] for start in range(0, row * height, row))
            header = struct.pack(">IIBBBBB", width, height, 8 if is_fine else 1, 0, 0, 0, 0)
            comment = b"Comment\0" + noise.randbytes(LEAST_BYTES // 2).hex().encode()
            chunks = ((b"IHDR", header), (b"tEXt", comment), (b"IDAT", zlib.compress(rows)), (b"IEND", b""))
            return b"\x89PNG\r\n\x1a\n" + b"".join(
                (struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)))
                for kind, data in chunks
            )
        case "jpeg":
            # Grey blocks, each of one shade. The tables of codes have two codes for a shade and one for the end
            # of a block.
            segments = (
                (0xFE, noise.randbytes(LEAST_BYTES // 2).hex().encode()),
                (0xDB, b"\0" + b"\x10" * 64),
                (0xC0, struct.pack(">BHHBBBB", 8, height, width, 1, 1, 0x11, 0)),
                (0xC4, b"\x00" + bytes([0, 2] + [0] * 14) + b"\0\1"),
                (0xC4, b"\x10" + bytes([0, 1] + [0] * 14) + b"\0"),
                (0xDA, b"\1\1\0\0\x3f\0"),
            )
            head = b"".join(
                bytes((0xFF, marker)) + struct.pack(">H", len(data) + 2) + data for marker, data in segments
            )
            blocks = -(-width // 8) * -(-height // 8)
            bits = "".join(noise.choice(("0000", "01000", "01100")) for _ in range(blocks))
            bits += "1" * (-len(bits) % 8)
            scan = int(bits, 2).to_bytes(len(bits) // 8, "big").replace(b"\xff", b"\xff\0")
            return b"\xff\xd8" + head + scan + b"\xff\xd9"
        case "gif":
            # Without compression: each code is one byte, and the table of codes begins anew before it
            # needs nine bits.
            pixels = bytes(value & 0x7F for value in noise.randbytes(LEAST_BYTES)) + bytes(
                max(0, width * height - LEAST_BYTES)
            )
            codes = b"".join(b"\x80" + pixels[start : start + 100] for start in range(0, width * height, 100)) + b"\x81"
            palette = b"".join(bytes((2 * shade,) * 3) for shade in range(128))
            comment = noise.randbytes(LEAST_BYTES // 2).hex().encode()
            head = b"GIF89a" + struct.pack("<HHBBB", width, height, 0xF6, 0, 0) + palette
            image = b"," + struct.pack("<HHHHB", 0, 0, width, height, 0) + b"\x07"
            return head + b"!\xfe" + b"".join(_blocks(comment)) + image + b"".join(_blocks(codes)) + b";"
        case "svg":
            points = " ".join(f"L{noise.randrange(width)} {noise.randrange(height)}" for _ in range(LEAST_BYTES // 4))
            size = f'width="{width}" height="{height}"'
            return f'<svg xmlns="http://www.w3.org/2000/svg" {size}><path d="M0 0 {points}"/></svg>\n'.encode()
        case "unreadable":
            # The page of an error, saved under the name of a picture.
            return f"<!DOCTYPE html><title>404</title><!-- {noise.randbytes(LEAST_BYTES // 2).hex()} -->\n".encode()


def _blocks(data: bytes) -> Iterator[bytes]:
    for start in range(0, len(data), 255):
        block = data[start : start + 255]
        yield bytes((len(block),)) + block
    yield b"\0"
