"""From the options of `serve` to an exit code: builds the fake, and says what is wrong with an option."""

import contextlib
import gc
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from agent_conformance.commands.serve.aimock import FixtureReplies, is_aimock, read_fixtures
from agent_conformance.commands.serve.control import Control, WithControl
from agent_conformance.commands.serve.script import read_script
from agent_conformance.commands.serve.sessions import MOST, NewProviders, SessionFake, Sessions
from agent_conformance.commands.shared import stopped_by_signals
from agent_conformance.commands.shared.served import (
    LINES,
    Answers,
    Everywhere,
    ForThisMachine,
    PrintingFake,
    Served,
    base_urls,
)
from fake_providers import PROVIDERS, Handler, Request, Response
from fake_providers.http import json_response
from fake_providers.reply import StreamTiming
from fake_providers.serving.journal import Journal
from fake_providers.serving.loopback import ProviderFake, is_of_this_machine
from fake_providers.serving.reply_sources import Replies
from fake_providers.serving.scripted_fake import ScriptedFake
from fake_providers.transport.bounds import Bounds
from fake_providers.transport.server import LoopbackServer

LOOPBACK = "127.0.0.1"
SHORTEST_KEY = 8
NewReplies = Callable[[str], Replies | None]
"""From a wire to replies from their beginning; None without a script."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServeOptions:
    """What the command line says. `port` 0 is any free port; any `host` but loopback needs a `key`.

    `beside` are more providers: then each is below a path of its own name, with all of its wires.
    """

    provider: str
    beside: tuple[str, ...] = ()
    wire: str | None = None
    host: str = LOOPBACK
    key: str | None = None
    port: int = 0
    script: Path | None = None
    replay: Path | None = None
    mcp: Path | None = None
    mcp_port: int = 0
    window: int | None = None
    served_model: str | None = None
    ttft: float = 0.0
    tokens_per_second: float | None = None
    jitter: float = 0.0
    stall: tuple[float, int] = (0.0, 1)
    """Seconds, and the tokens before."""
    batch_seconds: float = 0.0
    clients: int = MOST
    any_reply: bool = False
    """Whether replies are sent that the provider never sends."""

    def timing(self) -> StreamTiming | None:
        """None where replies are sent at once. Raises `ValueError` with the name of the option."""
        seconds, tokens = self.stall
        try:
            timing = StreamTiming(
                ttft=self.ttft,
                tokens_per_second=self.tokens_per_second,
                jitter=self.jitter,
                stall=seconds,
                stall_after=tokens,
            )
        except ValueError as error:
            raise ValueError(f"how fast replies are sent: {error}") from None
        return None if timing == StreamTiming() else timing


def serve(options: ServeOptions, until: Callable[[], object] | None = None) -> int:
    """Serve until `until` returns, or until Ctrl-C or SIGTERM. 2: a usage error."""
    try:
        if not is_of_this_machine(options.host) and options.key is None:
            raise ValueError(
                f"--host={options.host}: other machines would reach this server. Give the API key that its clients "
                "have to send, in --key or the variable AGENT_CONFORMANCE_KEY."
            )
        if options.key is not None and (len(options.key) < SHORTEST_KEY or not options.key.isascii()):
            raise ValueError(f"--key: a key has {SHORTEST_KEY} characters or more, all of them ASCII.")
        if options.mcp is None and options.mcp_port:
            raise ValueError("--mcp-port: there are no tools to serve. Give their file in --mcp, or leave it out.")
        sessions = sessions_of(options)
        tools = (
            contextlib.nullcontext() if options.mcp is None else _mcp_server(options.mcp, options.mcp_port, sessions)
        )
    except OSError as error:
        print(f"{error.filename}: cannot be read: {error.strerror}" if error.filename else error, file=sys.stderr)
        return 2
    except (ImportError, LookupError, ValueError) as error:
        print(error, file=sys.stderr)
        return 2
    with tools:
        return run_server(sessions, host=options.host, key=options.key, port=options.port, until=until)


def _mcp_server(path: Path, port: int, sessions: Sessions) -> contextlib.AbstractContextManager[object]:
    """Serves the tools of the file from now on. Raises `ImportError` without the SDK, `ValueError` and `OSError`."""
    from agent_conformance.adapter.mcp import serve_http
    from agent_conformance.adapter.tool_servers import ToolServer
    from agent_conformance.commands.serve.mcp_tools import ScriptedTools, read_tools

    sessions.tools = tools = ScriptedTools(read_tools(path))
    try:
        server = serve_http(tools.tools, port=port, path="/mcp", noted=ToolServer(tools.note_unknown))
    except OSError as error:
        raise ValueError(f"--mcp-port={port}: the port is not available: {os.strerror(error.errno or 0)}") from None
    print(f"tools over MCP: {server.url}", flush=True)
    return server


def sessions_of(options: ServeOptions) -> Sessions:
    """Raises `LookupError`, `ValueError` or `OSError` for what an option says wrongly."""
    if options.replay is not None:
        # Fakes that answer from a cassette.
        from agent_conformance.cassettes.matching import RecordedQuestions
        from agent_conformance.commands.serve.replaying import ReplayingFake, playable

        if options.script is not None or options.window is not None:
            raise ValueError("--replay: the cassette has all answers. Leave --script and --window out.")
        if options.timing() is not None:
            raise ValueError("--replay: answers are sent at once. Leave --ttft, --tokens-per-second and --stall out.")
        if options.batch_seconds:
            raise ValueError("--replay: no batches are kept. Leave --batch-seconds out.")
        assert options.replay is not None
        cassette = playable(options.replay)
        for problem in cassette.problems:
            print(problem, file=sys.stderr)
        providers, questions = _providers(options), RecordedQuestions(cassette.exchanges)
        return Sessions(
            _tried(
                lambda: _below_paths({name: ReplayingFake(name, questions, wire=options.wire) for name in providers})
            ),
            lambda wire: None,
            most=options.clients,
        )
    providers = _providers(options)
    served = [(name, wire) for name in providers for wire in PROVIDERS[name] if options.wire in (None, wire)]
    script = _script(options.script, served, any_reply=options.any_reply)
    return Sessions(
        _tried(lambda: _below_paths({name: _provider_fake(name, options, script) for name in providers})),
        script,
        has_script=options.script is not None,
        most=options.clients,
    )


def _tried(new_providers: NewProviders) -> NewProviders:
    """The same, once it is known that it works: it raises for a wire that a provider does not have."""
    new_providers()
    return new_providers


def _providers(options: ServeOptions) -> list[str]:
    providers = list(dict.fromkeys((options.provider, *options.beside)))
    if options.wire and len(providers) > 1:
        raise ValueError(f"--wire={options.wire}: of several providers all wires are served. Leave it out.")
    return providers


def _below_paths(fakes: Mapping[str, Served]) -> Mapping[str, Served]:
    """Each fake below a path of its own name; one that is alone is at the root."""
    return {"" if len(fakes) == 1 else f"/{name}": fake for name, fake in fakes.items()}


def _script(path: Path | None, served: Sequence[tuple[str, str]], *, any_reply: bool) -> NewReplies:
    """What makes the replies of a script for one fake, by its wire; `served` are providers with their wires."""
    if path is None:
        return lambda wire: None
    if is_aimock(path):
        # Prints once what is left out
        read = {wire: read_fixtures(path, wire=wire) for wire in dict.fromkeys(wire for _, wire in served)}
        for notice in dict.fromkeys(notice for one in read.values() for notice in one.notices):
            print(notice, file=sys.stderr)
        return lambda wire: FixtureReplies(read[wire].fixtures)
    script = read_script(path)
    script.check_for(served, any_reply=any_reply)
    return lambda wire: script.new_replies()


def _provider_fake(provider: str, options: ServeOptions, script: NewReplies) -> ProviderFake:
    names = [options.wire] if options.wire else list(PROVIDERS[provider])
    # It remembers no requests: the session does.
    return ProviderFake(
        [
            ScriptedFake(
                provider,
                script(name),
                wire=name,
                window=options.window,
                served_model=options.served_model,
                journal=Journal(most=0),
                timing=options.timing(),
                batch_seconds=options.batch_seconds,
                strict_replies=not options.any_reply,
            )
            for name in names
        ]
    )


# A fake on a port, until somebody stops it.


def run_server(
    sessions: Sessions,
    *,
    port: int,
    host: str = LOOPBACK,
    key: str | None = None,
    until: Callable[[], object] | None = None,
) -> int:
    """Serve every client its own session, until `until` returns, or until Ctrl-C or SIGTERM: 0.

    2: the port or the host is not available.
    """
    providers = sessions.new_providers()
    handler = server_handler(sessions, providers, key=key)
    try:
        server = LoopbackServer(Everywhere(handler), _report, host=host, port=port, bounds=Bounds())
    except OSError as error:
        asked = f"--port={port}: the port" if host == LOOPBACK else f"--host={host} --port={port}: the address"
        print(f"{asked} is not available: {error.strerror}", file=sys.stderr)
        return 2
    with server, stopped_by_signals() as stopped:
        _print_base_urls(providers, server.url)
        if until is None:
            # What is there before the first request stays until the process ends, and there is much of it
            gc.collect()
            gc.freeze()
            LINES.gathers = True
        (until or stopped)()
    LINES.flush()
    return 0


def server_handler(sessions: Sessions, providers: Mapping[str, Served], *, key: str | None = None) -> Handler:
    """The providers, and the control interface beside them, for this machine, or for whoever has the key."""
    answers = {prefix: SessionFake(sessions, prefix) for prefix in providers}
    return ForThisMachine(WithControl(Control(sessions), handler_of(providers, answers)), key=key)


def _print_base_urls(providers: Mapping[str, Served], url: str) -> None:
    """Print the base URL of each provider on each wire; of a provider that is alone, on the default wire."""
    for provider, wire, base_url in base_urls(providers, url):
        print(f"{provider} on {wire}: base URL {base_url}", flush=True)
        if "" in providers:
            return


def _report(path: str, error: BaseException) -> None:
    print(f"the fake itself failed: {error!r}", file=sys.stderr, flush=True)


# Several providers on one port: each below a path of its own name.


def handler_of(providers: Mapping[str, Served], answers: Mapping[str, Answers]) -> Handler:
    """What answers for the providers, by the path that each is below; one alone may have none."""
    if [*answers] == [""]:
        return PrintingFake(answers[""])
    return ByPrefix({prefix: PrintingFake(fake, prefix=prefix) for prefix, fake in answers.items()}, providers)


class ByPrefix:
    """Handlers by the first segment of the path, such as `/openai`, and a 404 elsewhere that says where they are."""

    def __init__(self, handlers: Mapping[str, Handler], providers: Mapping[str, Served]) -> None:
        self._by_prefix = handlers
        self._bases = ", ".join(dict.fromkeys(base for _, _, base in base_urls(providers, "")))

    def handle(self, request: Request) -> Response:
        target, mark, query = request.path.partition("?")
        first, _, rest = target.removeprefix("/").partition("/")
        handler = self._by_prefix.get(f"/{first}")
        if handler is not None:
            path, prefix = f"/{rest}{mark}{query}", f"{request.prefix}/{first}"
            return handler.handle(Request(request.method, path, request.headers, request.body, prefix=prefix))
        message = f"No provider is at {target}: the base URLs of this server end in {self._bases}."
        return json_response(404, {"error": {"message": message, "type": "fake_provider", "code": 404}})
