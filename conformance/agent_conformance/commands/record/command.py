"""From the options of `record` to an exit code: joins proxy, rules and cassette, and prints what happens."""

import contextlib
import json
import os
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TextIO

from msgspec import structs

from agent_conformance.cassettes.bodies import (
    CannotUnpack,
    chunks_of,
    headers_without_keys,
    is_frame_stream,
    keys_in_body,
    learn_key,
    unpacked,
    url_without_keys,
)
from agent_conformance.cassettes.decoding import model_wire
from agent_conformance.cassettes.decoding.decoded_reply import read_body
from agent_conformance.cassettes.formats import own
from agent_conformance.cassettes.recorded_exchange import Headers, Place, RecordedRequest, RecordedResponse
from agent_conformance.commands.record.proxy import Notices, Passed, Proxy, Upstream
from agent_conformance.commands.shared import stopped_by_signals
from agent_conformance.scenario.yaml_files.reading import LARGEST
from agent_conformance.transcripts.redaction import redacted
from fake_providers import Violation
from fake_providers.http import Request, Response
from fake_providers.ids import Ids
from fake_providers.registry import provider_wires, wire_for
from fake_providers.serving.conversation_store import ConversationStore
from fake_providers.wire import ReplyContext, Wire
from fake_providers.wire_neutral_lines import printable

# Writes a cassette while it is recorded, without keys.

SENT = frozenset(("accept", "anthropic-beta", "anthropic-version", "content-type", "openai-beta", "user-agent"))
GOT = frozenset(("content-type", "retry-after", "retry-after-ms", "x-should-retry"))
"""Headers that a cassette has: those that change what is answered. No other header can bring a key into it."""

NUMBERS = ("type", "index", "output_index", "content_index", "summary_index")
"""Members of an event that say which text it goes on with."""

Member = tuple[str, ...]


class CassetteWriter:
    """Writes to `FILE.part`, one line for each exchange; `close` makes it FILE. Thread-safe.

    So a file that was there stays whole until then, and what was recorded before a crash is in the other.
    Raises `OSError` where the file cannot be written.
    """

    def __init__(self, path: Path, *, provider: str, wire: str | None) -> None:
        self.path = path
        self.part = path.with_name(f"{path.name}.part")
        self.count = 0
        self._lock = threading.Lock()
        self._bytes = 0
        self._file: TextIO | None = self.part.open("w", encoding="utf-8")
        self._write(own.header_line({"provider": provider, **({"wire": wire} if wire else {})}))

    def add(self, request: RecordedRequest, response: RecordedResponse) -> str | None:
        """Write one exchange; or the reason why it is left out."""
        line = line_without_keys(request, response)
        if line is None or has_key_in_pieces(line):
            return "a key is in the response in pieces, where it cannot be hidden"
        with self._lock:
            if self._file is None:
                return "the recording has ended"
            if self._bytes + len(line.encode(errors="replace")) > LARGEST:
                return f"the cassette would have more than {LARGEST:,} bytes, which nobody reads"
            self._write(line)
            self.count += 1
        return None

    def close(self) -> bool:
        """Whether there is a cassette now: not where nothing was recorded. Does nothing when called again."""
        with self._lock:
            if self._file is None:
                return self.count > 0
            file, self._file = self._file, None
            with file:
                file.flush()
                os.fsync(file.fileno())
        if self.count:
            os.replace(self.part, self.path)
        else:
            with contextlib.suppress(OSError):
                self.part.unlink()
        return self.count > 0

    def _write(self, line: str) -> None:
        if self._file is not None:
            self._file.write(line)
            self._file.flush()
            self._bytes += len(line.encode(errors="replace"))


def line_without_keys(request: RecordedRequest, response: RecordedResponse) -> str | None:
    """The line of the cassette; None where hiding a key would break it."""
    headers_without_keys(request.headers)  # what it leaves out is known from then on
    for name, value in (*keys_in_body(request.body), *keys_in_body(response.body)):
        learn_key(name, value)
    kept = replace(request, url=url_without_keys(request.url), headers=_kept(request.headers, SENT))
    line = own.line_of(kept, replace(response, headers=_kept(response.headers, GOT)))
    hidden = redacted(line)
    if hidden == line:
        return line
    if not own.is_line(hidden):
        return None
    if is_frame_stream(response.body, response.content_type):  # which has checksums
        written = own.exchange_of(json.loads(hidden), Place("", 1)).response.body
        return hidden if written == response.body else None
    return hidden


def _kept(headers: Headers, names: frozenset[str]) -> Headers:
    return tuple((name, value) for name, value in headers if name in names or "ratelimit-" in name)


def has_key_in_pieces(line: str) -> bool:
    """Whether the events of a stream together still say what is hidden where one says it alone."""
    response = own.exchange_of(json.loads(line), Place("", 1)).response
    if len(response.chunks) < 2:
        return False
    joined: dict[Member, list[str]] = {}
    for event in read_body(response.body, response.content_type).events:
        for member, text in _texts(event.value, ()):
            joined.setdefault(member, []).append(text)
    return any(redacted(text) != text for text in map("".join, joined.values()))


def _texts(value: Any, member: Member) -> Iterator[tuple[Member, str]]:
    """The texts of one event, each with the members that lead to it and the numbers of what they belong to."""
    if isinstance(value, dict):
        numbers = tuple(f"{name}={value[name]}" for name in NUMBERS if name in value)
        for name, inner in value.items():
            yield from _texts(inner, (*member, *numbers, name))
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from _texts(inner, (*member, str(number)))
    elif isinstance(value, str):
        yield member, value


REFUSALS = (400, 404, 413, 422)
"""Statuses that are about the request. Keys, rate limits and failures say nothing about it."""
LONGEST = 300
"""Characters of a sentence that is printed."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Lines for the terminal. `disagrees`: one side accepts what the other refuses."""

    lines: tuple[str, ...] = ()
    disagrees: bool = False


def compare(violation: Violation | None, response: RecordedResponse, provider: str) -> Comparison:
    """What the terminal says of one model request. A refusal that is only inferred disagrees as well, and says so."""
    refused = response.status in REFUSALS
    accepted = response.status < 300
    if violation is not None and accepted:
        return Comparison(tuple(_accepted_against_rule(violation)), disagrees=True)
    if violation is None and refused:
        sentence = sentence_of(response.body)
        return Comparison(
            (
                f"  disagreement: the upstream refuses it, and no rule of {provider} does",
                f"    upstream  {response.status} {sentence}",
                "    todo      if the upstream is the real provider, please report the request: a rule is missing",
            ),
            disagrees=True,
        )
    if violation is not None:
        return Comparison((f"  refused by {violation.rule} at {violation.at}: {_short(violation.message)}",))
    return Comparison()


def _accepted_against_rule(violation: Violation) -> Iterator[str]:
    yield f"  disagreement: the upstream accepts what {violation.rule} refuses at {violation.at or 'the request'}"
    yield f"    rule      {violation.status} {_short(violation.message)}"
    if violation.confidence == "inferred":
        yield "    todo      the rule is only inferred; if the upstream is the real provider, please report the request"
    else:
        yield "    todo      fix the request, or report it if the upstream is the real provider: the rule may be old"


def sentence_of(body: bytes) -> str:
    """The sentence of an error, whatever its envelope."""
    try:
        value: Any = json.loads(body)
    except (ValueError, RecursionError):
        return _short(body.decode(errors="replace"))
    if isinstance(value, list) and value:
        value = value[0]
    for _ in range(2):
        if isinstance(value, dict):
            value = value.get("error") or value.get("message") or value.get("detail") or value
    if isinstance(value, dict) and isinstance(value.get("message"), str):
        value = value["message"]
    return _short(value if isinstance(value, str) else json.dumps(value))


def _short(text: str) -> str:
    text = " ".join(redacted(text).split())
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."


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
    with proxy, stopped_by_signals() as stopped:
        print(
            f"{options.provider} from {url_without_keys(upstream.url)}: base URL {proxy.url}{wire.base_path}",
            flush=True,
        )
        (until or stopped)()
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
            headers = dict(passed.headers)
            body = unpacked(passed.body, headers.get("content-encoding", ""))
            chunks = chunks_of(body, headers.get("content-type", "").lower())
            response = RecordedResponse(passed.status, passed.headers, chunks, is_cut=not passed.is_whole)
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
        return structs.replace(response, status=502, chunks=chunks)


def _print(request: Request, *lines: str) -> None:
    path = url_without_keys(request.path)
    print("\n".join(printable(line) for line in (f"{request.method} {path}: {lines[0]}", *lines[1:])), flush=True)
