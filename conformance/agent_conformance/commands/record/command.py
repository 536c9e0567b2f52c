"""From the options of `record` to an exit code: joins proxy, rules and cassette, and prints what happens."""

import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from agent_conformance.cassettes.bodies import CannotUnpack, chunks_of, unpacked
from agent_conformance.cassettes.decoding.wires import model_wire
from agent_conformance.cassettes.exchange import RecordedRequest, RecordedResponse
from agent_conformance.cassettes.http_keys import headers_without_keys, url_without_keys
from agent_conformance.commands.record.comparing import Comparison, compare
from agent_conformance.commands.record.proxy import Notices, Passed, Proxy
from agent_conformance.commands.record.upstream import Upstream
from agent_conformance.commands.record.writing import CassetteWriter
from agent_conformance.commands.shared.signals import stopped_by_signals
from fake_providers.http import Request, Response
from fake_providers.ids import Ids
from fake_providers.neutral_text import printable
from fake_providers.registry import provider_wires, wire_for
from fake_providers.serving.conversation_store import ConversationStore
from fake_providers.wire import ReplyContext, Wire


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordOptions:
    """What the command line says. `port` 0 is any free port."""

    provider: str
    upstream: str
    to: Path
    wire: str | None = None
    overwrite: bool = False
    port: int = 0


def record(options: RecordOptions, until: Callable[[], object] | None = None) -> int:
    """Record until `until` returns, or until Ctrl-C or SIGTERM. 1: the rules and the upstream disagreed; 2: usage."""
    try:
        wire = _default_wire(options)
        upstream = Upstream(options.upstream, base_path=wire.base_path)
        recorder = _Recorder(options, _writer(options))
    except (LookupError, ValueError) as error:
        print(error, file=sys.stderr)
        return 2
    try:
        proxy = Proxy(upstream, recorder.notices, port=options.port)
    except (OSError, OverflowError) as error:
        recorder.writer.close()
        print(f"--port={options.port}: the port is not available: {error}", file=sys.stderr)
        return 2
    with proxy, stopped_by_signals():
        try:
            print(
                f"{options.provider} from {url_without_keys(upstream.url)}: base URL {proxy.url}{wire.base_path}",
                flush=True,
            )
            (until or threading.Event().wait)()
        except KeyboardInterrupt:
            print()
    upstream.close()
    return recorder.end()


def _default_wire(options: RecordOptions) -> Wire:
    """The one whose base URL is printed. Raises `LookupError`."""
    if options.wire is not None:
        return wire_for(options.provider, options.wire)
    return provider_wires(options.provider)[0]


def _writer(options: RecordOptions) -> CassetteWriter:
    """Raises `ValueError` where the file must not or cannot be written."""
    if options.to.exists() and not options.overwrite:
        raise ValueError(f"--to={options.to}: the file exists. Give --overwrite to replace it, or another name.")
    try:
        return CassetteWriter(options.to, provider=options.provider, wire=options.wire)
    except OSError as error:
        raise ValueError(f"--to={options.to}: it cannot be written: {error.strerror or error}") from None


class _Recorder:
    """Judges, prints and writes what passes. Called from several threads."""

    def __init__(self, options: RecordOptions, writer: CassetteWriter) -> None:
        self._options = options
        self.writer = writer
        self.notices = Notices(passed=self._passed, lost=self._lost, down=self._down)
        self._lock = threading.Lock()
        self._stores: dict[str, ConversationStore] = {}
        self._disagreements = 0

    def end(self) -> int:
        """Make the cassette, and print what is in it."""
        try:
            written = self.writer.close()
        except OSError as error:
            print(f"{self.writer.path} cannot be written: {error.strerror or error}", file=sys.stderr)
            return 2
        count = f"{self.writer.count} {'request' if self.writer.count == 1 else 'requests'}"
        print(f"{self.writer.path}: {count}" if written else f"nothing was recorded; {self.writer.path} is not written")
        return int(self._disagreements > 0)

    def _passed(self, passed: Passed) -> None:
        request = RecordedRequest(
            passed.request.method, passed.address, tuple(passed.request.headers.items()), passed.request.body
        )
        headers_without_keys(request.headers)  # its keys are known before a line is printed
        url_without_keys(request.url)
        try:
            response = _response(passed)
        except CannotUnpack as error:
            self._lost(passed.request, str(error))
            return
        wire = model_wire(self._options.provider, self._options.wire, passed.request)
        with self._lock:
            comparison = self._compared(passed.request, response, wire)
            self._disagreements += comparison.disagrees
            reason = self.writer.add(request, response)
            cut = ("  the upstream cut the response off",) if response.is_cut else ()
            left_out = (f"  not recorded: {reason}",) if reason else ()
            _print(passed.request, str(response.status), *comparison.lines, *cut, *left_out)

    def _compared(self, sent: Request, response: RecordedResponse, wire: Wire | None) -> Comparison:
        """What the request continues is what passed through here before."""
        if wire is None:
            return Comparison()
        store = self._stores.setdefault(wire.name, ConversationStore(wire))
        request = store.resolve(sent)
        if response.status < 300 and not response.is_cut:
            store.keep(request, Response(response.status, response.headers, response.chunks))
        return compare(wire.judge(request, provider=self._options.provider), response, self._options.provider)

    def _lost(self, request: Request, reason: str) -> None:
        with self._lock:
            _print(request, "passed on", f"  not recorded: {reason}")

    def _down(self, request: Request, problem: str) -> Response:
        """A 502 in the provider's envelope."""
        with self._lock:
            _print(request, "502", f"  {problem}")
        wire = model_wire(self._options.provider, self._options.wire, request) or _default_wire(self._options)
        context = ReplyContext(request, self._options.provider, Ids("record"))
        response = wire.stopped(f"agent-conformance record: {problem}", context)
        chunks = tuple(chunk.replace(b'"code":400', b'"code":502') for chunk in response.chunks)
        return replace(response, status=502, chunks=chunks)


def _response(passed: Passed) -> RecordedResponse:
    """Raises `CannotUnpack`."""
    headers = dict(passed.headers)
    body = unpacked(passed.body, headers.get("content-encoding", ""))
    chunks = chunks_of(body, headers.get("content-type", "").lower())
    return RecordedResponse(passed.status, passed.headers, chunks, is_cut=not passed.is_whole)


def _print(request: Request, *lines: str) -> None:
    path = url_without_keys(request.path)
    print("\n".join(printable(line) for line in (f"{request.method} {path}: {lines[0]}", *lines[1:])), flush=True)
