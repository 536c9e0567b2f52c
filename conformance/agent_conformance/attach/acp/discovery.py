"""What a program over ACP uses: its version, whether it loads sessions, and with which wire and mode it asks a model.

Starts the program once, in a home of its own. Where the wire is not known, it is sent one message, and the first
request for a model is looked at. Knows the paths of the wires; no program.
"""

import asyncio
import contextlib
import json
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from agent_conformance import AgentError
from agent_conformance.adapter.background import connections_to
from agent_conformance.attach.acp.command_line import CommandLine, Endpoint, NotACommand, all_filled, filled
from agent_conformance.attach.acp.connection import AgentEnded, Connection
from agent_conformance.attach.acp.known_programs import USUAL
from agent_conformance.attach.programs import ProgramFolders, Run, environment, program_folders_in, started
from agent_conformance.record.redaction import redacted

PATHS = {
    "openai-chat": r"/chat/completions",
    "openai-responses": r"/responses",
    "anthropic-messages": r"/messages",
    "gemini-generate": r":(generate|streamGenerate)Content",
    "ollama-chat": r"/api/chat",
    "bedrock-converse": r"/model/[^/]+/converse",
}
SUFFIX = {"openai-chat": "/v1", "openai-responses": "/v1"}
"""What the base URL of a wire ends in."""
UNAVAILABLE = b"HTTP/1.1 503 Unavailable\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"


@dataclass(frozen=True, slots=True)
class Discovered:
    """`wire` and `mode` are empty where no request was looked at."""

    version: str
    loads_sessions: bool
    wire: str = ""
    mode: str = ""


async def discovered(command: CommandLine, *, asks: bool, timeout: float) -> Discovered:
    """Starts the program; if it `asks`, one message is sent, to see its request. Raises `NotACommand`."""
    with TemporaryDirectory() as folder:
        place = program_folders_in(Path(folder))
        async with _listening() as seen, _connected(command, place, seen.port) as (connection, run):
            try:
                return await asyncio.wait_for(_looked_at(connection, place, seen, asks=asks), timeout)
            except TimeoutError:
                problem = _missing(seen, timeout)
            except (AgentError, AgentEnded) as error:
                problem = f"no turn over ACP: {' '.join(str(error).split())}"
            problem += f"; its standard error says: {redacted(run.stderr)[-500:] or 'nothing'}"
    raise NotACommand(f"{command.name}: {problem}")


@dataclass(slots=True)
class _Seen:
    """What arrived at the address that the program was given."""

    port: str = ""
    begun: bool = False
    request: asyncio.Future[tuple[str, str]] = field(default_factory=lambda: asyncio.get_running_loop().create_future())


async def _looked_at(connection: Connection, place: ProgramFolders, seen: _Seen, *, asks: bool) -> Discovered:
    response = await connection.begin()
    seen.begun = True
    version = response.agent_info.version if response.agent_info else ""
    loads = bool(response.agent_capabilities and response.agent_capabilities.load_session)
    if not asks:
        return Discovered(version, loads)
    session = await connection.new_session(str(place.project))
    turn = asyncio.ensure_future(_turn(connection, session))
    waited: list[asyncio.Future[Any]] = [turn, seen.request]
    await asyncio.wait(waited, return_when=asyncio.FIRST_COMPLETED)
    turn.cancel()
    with contextlib.suppress(asyncio.CancelledError, AgentError):
        await turn
    if not seen.request.done():
        raise AgentError("the turn ended without a request for a model")
    wire, mode = seen.request.result()
    return Discovered(version, loads, wire, mode)


async def _turn(connection: Connection, session: str) -> None:
    async for _ in connection.prompt(session, "Hello."):
        pass


def _missing(seen: _Seen, timeout: float) -> str:
    if not seen.begun:
        return f"no answer to initialize within {timeout:g} s"
    way = "say how it finds one, for example acp:MY_BASE_URL={base_url} my-agent"
    return f"no request for a model within {timeout:g} s; {way}"


@asynccontextmanager
async def _connected(command: CommandLine, place: ProgramFolders, port: str) -> AsyncIterator[tuple[Connection, Run]]:
    endpoint = Endpoint(
        f"http://127.0.0.1:{port}{SUFFIX.get(command.wire, '')}", "conformance-key", "conformance-model"
    )
    words = [command.program, *all_filled(command.arguments, endpoint)]
    variables = _usual(port) | {name: filled(value, endpoint) for name, value in command.variables.items()}
    run = await started(words, environment=environment(place.home, **variables), folder=place.project)
    connection = Connection(run)
    try:
        yield connection, run
    finally:
        await connection.close()
        await run.end()


def _endpoint(port: str, wire: str) -> Endpoint:
    return Endpoint(f"http://127.0.0.1:{port}{SUFFIX.get(wire, '')}", "conformance-key", "conformance-model")


def _usual(port: str) -> dict[str, str]:
    """The usual variables of every wire."""
    variables: dict[str, str] = {}
    for wire, templates in USUAL.items():
        endpoint = _endpoint(port, wire)
        variables |= {name: filled(template, endpoint) for name, template in templates.items()}
    return variables


@asynccontextmanager
async def _listening() -> AsyncIterator[_Seen]:
    """An address that looks at requests for a model and answers none of them."""
    seen = _Seen()

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        body = await reader.readexactly(_length_of(head))
        if (kind := kind_of(head.split(b"\r\n", 1)[0].decode(), body)) and not seen.request.done():
            seen.request.set_result(kind)
        writer.write(UNAVAILABLE)
        await writer.drain()

    async with connections_to(handle, limit=2**20) as port:
        seen.port = port
        yield seen


def _length_of(head: bytes) -> int:
    match = re.search(rb"(?im)^content-length: *(\d+)", head)
    return int(match[1]) if match else 0


def kind_of(line: str, body: bytes) -> tuple[str, str] | None:
    """The wire and the mode of a request for a model; None for any other request."""
    method, path = line.split(" ")[:2]
    wire = next((wire for wire, pattern in PATHS.items() if re.search(pattern, path)), None)
    if method != "POST" or wire is None:
        return None
    if wire in ("gemini-generate", "bedrock-converse"):
        return wire, "stream" if "stream" in path else "plain"
    return wire, "stream" if _streams(body, by_default=wire == "ollama-chat") else "plain"


def _streams(body: bytes, *, by_default: bool) -> bool:
    try:
        fields: Mapping[str, object] = json.loads(body)
        return bool(fields.get("stream", by_default))
    except (ValueError, AttributeError):
        return by_default
