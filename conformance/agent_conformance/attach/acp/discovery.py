"""What a program over ACP uses: its version, whether it loads sessions, with which wire and mode it asks a model, and
over what it takes an MCP server.

Starts the program once, in a home of its own. Where it is not known, it is sent a message for each way to serve tools,
until it asks for the list of them, and its requests for a model are looked at.
"""

import asyncio
import contextlib
import json
import re
import time
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from acp import PROTOCOL_VERSION
from acp.schema import InitializeResponse

from agent_conformance import AgentError, Tool
from agent_conformance.adapter.background import connections_to
from agent_conformance.attach.acp.command_line import (
    TOOLS_URL,
    CommandLine,
    Endpoint,
    NotACommand,
    all_filled,
    filled,
    write_home,
)
from agent_conformance.attach.acp.connection import (
    AgentEnded,
    Connection,
    McpServer,
    ToolServer,
    declared_server,
    served_tools,
)
from agent_conformance.attach.acp.known_programs import USUAL, Program, program_named
from agent_conformance.attach.programs import ProgramFolders, Run, environment, program_folders_in, started
from agent_conformance.transcripts.redaction import redacted
from agent_conformance.transcripts.request_purposes import MainRequest, found_for_code, is_name_of_search
from fake_providers import Reply, ReplyContext, Request, wire_named
from fake_providers.ids import Ids
from fake_providers.wire_facts import WIRE_FACTS

PATHS = {name: facts.address for name, facts in WIRE_FACTS.items()} | {"anthropic-messages": "/messages"}
"""Also where a program leaves out the version."""
SUFFIX = {"openai-chat": "/v1", "openai-responses": "/v1"}
"""What the base URL of a wire ends in."""
UNAVAILABLE = b"HTTP/1.1 503 Unavailable\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
MODEL = "conformance-model"
"""A name that no provider has."""
PROBE = "conformance_probe"
"""The tool that is served."""
LATE = 5.0
"""Seconds after a request with tools in which a program that takes the server asks for the list at the latest."""
LOOKING = 0.05
MOST_NAMED = 6
MOST_SAID = 200
"""Characters."""
CONFIGURATION = (".json", ".jsonc", ".toml", ".yaml", ".yml", ".ini")
PROXIES = tuple(name for one in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY") for name in (one, one.lower()))


class ModelRequest(NamedTuple):
    """`tools` are the names of those that it offers; `says_probe`: it names the one that was served, also in a text.
    `for_code` has the tools that find others and run them by code.
    """

    wire: str
    mode: str
    tools: frozenset[str]
    says_probe: bool = False
    system: str = ""
    for_code: tuple[str, str] | None = None

    @property
    def has_probe(self) -> bool:
        return any(PROBE in name for name in self.tools)

    @property
    def searches(self) -> bool:
        """Whether tools that are not offered may be found by a search."""
        return any(map(is_name_of_search, self.tools))


@dataclass(frozen=True, slots=True)
class Discovered:
    """`wire` and `mode` are empty where no request was looked at. `known` is the program that it says it is.

    `own_tools`: its request offers others than the one that was served. `side` of the requests that were looked at
    offer no tool, though another one does. `main` is what the others have. `searches`: it offers tools after a search.
    """

    version: str
    loads_sessions: bool
    known: Program | None = None
    wire: str = ""
    mode: str = ""
    tools: str = "stdio"
    own_tools: bool = True
    side: int = 0
    main: MainRequest | None = None
    searches: bool = False


async def discovered(command: CommandLine, *, known: Program | None, timeout: float) -> Discovered:
    """Starts the program; one that is not known is asked something, to see its requests. Raises `NotACommand`."""
    with TemporaryDirectory() as folder:
        place = program_folders_in(Path(folder))
        # A server that the program is told of outside a session is there before it starts.
        placed = served_tools([_probe()], command.tools or "http") if command.places_tools else None
        async with _listening() as seen, _connected(command, known, place, seen.port, placed) as (connection, run):
            try:
                response = await asyncio.wait_for(connection.begin(), timeout)
                if response.protocol_version != PROTOCOL_VERSION:
                    spoken = f"version {response.protocol_version} of the protocol, and the suite {PROTOCOL_VERSION}"
                    raise _Problem(f"it speaks {spoken}")
                named = response.agent_info.name if response.agent_info else ""
                known = known or program_named(named)
                found = Discovered(
                    response.agent_info.version if response.agent_info else "",
                    bool(response.agent_capabilities and response.agent_capabilities.load_session),
                    known,
                    tools=command.tools or (known.tools if known else "stdio"),
                )
                if known is not None:
                    return found
                return await _asked(command, connection, response, found, place, seen, placed, timeout)
            except TimeoutError:
                problem = (
                    f"no answer to initialize within {timeout:g} s (--agent-timeout={2 * timeout:g} gives it longer)"
                )
            except _Problem as found_problem:
                problem = str(found_problem)
            except (AgentError, AgentEnded) as error:
                problem = f"no turn over ACP: {' '.join(str(error).split())}"
            problem += f"; its standard error says: {redacted(run.stderr)[-500:] or 'nothing'}"
            if printed := " ".join(connection.output.printed.split()):
                problem += f"; it printed, among the protocol's messages: {redacted(printed)}"
            # Where the program went instead, and what it wrote, of which one may be where it is told of a model
            asked = list(dict.fromkeys(seen.others))[:MOST_NAMED]
            files = [path for path in place.home.rglob("*") if path.is_file() and path.suffix in CONFIGURATION]
            files.sort(key=lambda path: (len(path.parts), path))  # logs and sessions are below the settings
            wrote = [path.relative_to(place.home).as_posix() for path in files][:MOST_NAMED]
            problem += "".join(
                f"; it {verb} {', '.join(what)}" for verb, what in (("asked for", asked), ("wrote", wrote)) if what
            )
    raise NotACommand(f"{command.name}: {problem}")


class _Problem(Exception):
    """Why there is nothing to judge, in words."""


@dataclass(slots=True)
class _Seen:
    """What arrived at the address that the program was given, also as its proxy; `others` are no model requests."""

    port: str = ""
    requests: list[ModelRequest] = field(default_factory=list)
    side: set[int] = field(default_factory=set)
    others: list[str] = field(default_factory=list)


async def _asked(
    command: CommandLine,
    connection: Connection,
    response: InitializeResponse,
    found: Discovered,
    place: ProgramFolders,
    seen: _Seen,
    placed: ToolServer | None,
    timeout: float,
) -> Discovered:
    """What a message shows, for each way to serve tools until one is taken. One is `placed` if it is told elsewhere."""
    transports = ["http"] if placed else [*_transports(response)]
    for transport in [command.tools] if command.tools else transports:
        if await _takes(transport, connection, place, seen, placed, timeout):
            break
        if not seen.requests:
            if connection.unanswered == "session/new":
                raise _Problem(f"no answer to session/new within {timeout:g} s")
            way = "say how it finds one, for example acp:MY_BASE_URL={base_url} my-agent"
            raise _Problem(f"no request for a model within {timeout:g} s; {way}")
    else:
        if placed:
            raise _Problem(f"nobody asked the MCP server at {TOOLS_URL} for its tools: the program does not go there")
        over = command.tools or " or ".join(transports)
        raise _Problem(
            f"nobody asked the MCP server of session/new for its tools, over {over}: the program takes none there. "
            f"Where it takes one by a file of its home or an argument, write {TOOLS_URL} there: docs/acp.md"
        )
    of_conversation = [request for request in seen.requests if request.has_probe or request.searches]
    if not of_conversation:
        raise _Problem(_offers_none(seen.requests))
    main = min(of_conversation, key=lambda request: not request.has_probe)
    if main.for_code and not main.has_probe:
        raise _Problem(
            f"its tools are found by {main.for_code[0]} and run by code, with {main.for_code[1]}: only calls that the "
            "model makes itself are judged. Where it has a setting for that, turn it on (home=FOLDER, or a variable)"
        )
    own = frozenset(name for name in main.tools if PROBE not in name)
    return replace(
        found,
        wire=main.wire,
        mode=main.mode,
        tools=transport,
        own_tools=bool(own),
        side=len(seen.side),
        main=MainRequest(main.system, own),
        searches=main.searches and not main.has_probe,
    )


def _offers_none(requests: Sequence[ModelRequest]) -> str:
    """Why there is nothing to judge, though the list of tools was asked for."""
    offered = sorted({name for request in requests for name in request.tools})
    if not offered and any(request.says_probe for request in requests):
        return (
            "it took the tools, and describes them in the text of its requests, which offer none: calls that are text "
            "are not judged. Where it has a setting for native tool calls, turn that on"
        )
    if not offered:
        return "it took the tools, and its requests offer none: only agents that offer tools to the model are judged"
    shown = ", ".join(offered[:MOST_NAMED]) + (f" and {len(offered) - MOST_NAMED} others" * (len(offered) > MOST_NAMED))
    return (
        f"it took the tools, and its requests offer others: {shown}. Where the tools of MCP servers wait behind one of "
        "these, or behind code that calls them, turn that off in its settings (home=FOLDER, or a variable)"
    )


def _transports(response: InitializeResponse) -> Iterator[str]:
    """Every agent has to take stdio; some take it for granted that nobody uses it."""
    yield "stdio"
    capabilities = response.agent_capabilities.mcp_capabilities if response.agent_capabilities else None
    if capabilities is not None:
        yield from ("http",) if capabilities.http else ()
        yield from ("sse",) if capabilities.sse else ()


async def _takes(
    transport: str,
    connection: Connection,
    place: ProgramFolders,
    seen: _Seen,
    placed: ToolServer | None,
    timeout: float,
) -> bool:
    """Whether the program asks a server over this transport for its tools, in a session with a message."""
    with placed or served_tools([_probe()], transport) as tools:
        before, until = len(seen.requests), time.monotonic() + timeout
        servers = [] if placed else [declared_server(tools, transport)]
        turn = asyncio.ensure_future(_turn(connection, place, servers))
        try:
            while time.monotonic() < until and not turn.done():
                new = [request for request in seen.requests[before:] if request.tools]
                if tools.noted.was_asked and any(request.has_probe or request.searches for request in new):
                    return True
                if new:
                    until = min(until, time.monotonic() + LATE)
                await asyncio.sleep(LOOKING)
            if turn.done() and not seen.requests:
                said = " ".join(redacted(turn.result()).split())  # raises why
                answered = f"; it answered {said[:MOST_SAID]!r}" if said else ""
                raise AgentError(f"the turn ended without a request for a model{answered}")
            return tools.noted.was_asked and bool(seen.requests)
        finally:
            turn.cancel()
            with contextlib.suppress(asyncio.CancelledError, AgentError, AgentEnded):
                await turn


async def _turn(connection: Connection, place: ProgramFolders, servers: Sequence[McpServer]) -> str:
    """What is answered to a second message: the tools may come after the first requests."""
    session = await connection.new_session(str(place.project), servers)
    with contextlib.suppress(AgentError):
        async for _ in connection.prompt(session, "Hello."):
            pass
    return "".join([piece async for piece in connection.prompt(session, "Hello again.")])


def _probe() -> Tool:
    async def answer(arguments: Any) -> str:
        return "nothing"

    parameters = {"type": "object", "properties": {}}
    return Tool(PROBE, "Is never called.", parameters, run=lambda arguments: "nothing", arun=answer)


@asynccontextmanager
async def _connected(
    command: CommandLine, known: Program | None, place: ProgramFolders, port: str, placed: ToolServer | None
) -> AsyncIterator[tuple[Connection, Run]]:
    endpoint = _endpoint(port, command.wire, placed.address if placed else "")
    words = [command.program, *all_filled(command.arguments, endpoint)]
    of_known = next(iter(known.variables.values())) if known is not None else {}
    templates = {**of_known, **command.variables}
    variables = _usual(port) | {name: filled(value, endpoint) for name, value in templates.items()}
    if command.home is not None:
        write_home(command.home, place.home, endpoint)
    proxies = dict.fromkeys(PROXIES, f"http://127.0.0.1:{port}")
    run = await started(words, environment=environment(place.home, **proxies, **variables), folder=place.project)
    connection = Connection(run)
    try:
        yield connection, run
    finally:
        await connection.close()
        await run.end()
        if placed:
            placed.close()


def _endpoint(port: str, wire: str, tools_url: str = "") -> Endpoint:
    base_url = f"http://127.0.0.1:{port}{SUFFIX.get(wire, '')}"
    return Endpoint(base_url, "conformance-key", MODEL, tools_url)


def _usual(port: str) -> dict[str, str]:
    """The usual variables of every wire."""
    variables: dict[str, str] = {}
    for wire, templates in USUAL.items():
        endpoint = _endpoint(port, wire)
        variables |= {name: filled(template, endpoint) for name, template in templates.items()}
    return variables


@asynccontextmanager
async def _listening() -> AsyncIterator[_Seen]:
    """An address that looks at requests for a model, and answers those without tools: others may come after them."""
    seen = _Seen()

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        body = await reader.readexactly(_length_of(head))
        line = head.split(b"\r\n", 1)[0].decode(errors="replace")
        answer = UNAVAILABLE
        if kind := kind_of(line, body):
            view = wire_named(kind[0]).view(Request("POST", line.split(" ")[1], {}, body))
            names = names_of_tools(body)
            request = ModelRequest(*kind, names, PROBE.encode() in body, view.system, found_for_code(view))
            seen.requests.append(request)
            if not request.tools:
                seen.side.add(hash(body))
                answer = _answer(request, line, body)
        else:
            seen.others.append(" ".join(line.split(" ")[:2]).replace(f"http://127.0.0.1:{seen.port}", ""))
        writer.write(answer)
        await writer.drain()

    async with connections_to(handle, limit=2**20) as port:
        seen.port = port
        yield seen


def _answer(request: ModelRequest, line: str, body: bytes) -> bytes:
    wire = wire_named(request.wire)
    sent = Request("POST", line.split(" ")[1], {}, body)
    made = wire.encode(Reply(text="OK"), ReplyContext(sent, wire.providers[0], Ids("discovery")))
    headers = "".join(f"{name}: {value}\r\n" for name, value in made.headers if name != "content-length")
    head = f"HTTP/1.1 200 OK\r\n{headers}content-length: {len(made.body)}\r\nconnection: close\r\n\r\n"
    return head.encode() + made.body


def _length_of(head: bytes) -> int:
    match = re.search(rb"(?im)^content-length: *(\d+)", head)
    return int(match[1]) if match else 0


def kind_of(line: str, body: bytes) -> tuple[str, str] | None:
    """The wire and the mode of a request for a model; None for any other request."""
    method, path = line.split(" ")[:2]
    wire = next((wire for wire, pattern in PATHS.items() if re.search(pattern, path.partition("?")[0])), None)
    if method != "POST" or wire is None:
        return None
    if WIRE_FACTS[wire].has_model_in_path:
        return wire, "stream" if "stream" in path else "plain"
    return wire, "stream" if _streams(body, by_default=WIRE_FACTS[wire].streams_by_default) else "plain"


def _streams(body: bytes, *, by_default: bool) -> bool:
    try:
        fields: Mapping[str, object] = json.loads(body)
        return bool(fields.get("stream", by_default))
    except (ValueError, AttributeError):
        return by_default


def names_of_tools(body: bytes) -> frozenset[str]:
    """The names of the tools that a request offers, on any wire: wherever one has a name below `tools`."""

    def named(value: Any) -> Iterator[str]:
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, dict):
                if isinstance(one.get("name"), str):
                    yield one["name"]
                elif one.get("type") == "tool_search":  # of the Responses API: it has no other name
                    yield "tool_search"
                for inner in ("function", "functionDeclarations", "function_declarations", "toolSpec", "tools"):
                    yield from named(one.get(inner))

    try:
        fields = json.loads(body)
        return frozenset((*named(fields.get("tools")), *named(fields.get("toolConfig"))))
    except (ValueError, AttributeError):
        return frozenset()
