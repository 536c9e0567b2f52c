"""What `serve` puts around a fake: one handler for every path, for this machine alone, which prints what it answers.

Each write wakes whoever reads the lines, which takes a tenth of a request.
"""

import asyncio
import contextlib
import hmac
import re
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol
from urllib.parse import parse_qs, urlsplit

from agent_conformance.commands.shared import give_memory_back
from agent_conformance.transcripts.printing import PrintableStream, write_command
from agent_conformance.transcripts.redaction import Key, redacted, text_without_keys
from agent_conformance.transcripts.secret_names import is_secret
from fake_providers import Handler, Request, Response, Violation
from fake_providers.http import json_response
from fake_providers.serving.journal import Stopped
from fake_providers.serving.loopback import ForPages, foreign_page, is_of_this_machine
from fake_providers.transport.answerer import Mounts
from fake_providers.transport.bounds import LARGE
from fake_providers.wire import Wire
from fake_providers.wire_neutral_lines import printable

LONGEST = 2000
"""Characters of a line."""
KEY_HEADERS = ("authorization", "x-api-key", "api-key", "x-goog-api-key")
_ACCESS_KEY = re.compile(r"^AWS4-\S+ .*?Credential=([^/,\s]+)/")
"""A signature of AWS' names the key with which it was made."""


class Everywhere(Mounts):
    """One handler for every path, so that clients can use the provider's own paths."""

    def __init__(self, handler: Handler) -> None:
        super().__init__()
        self._handler = handler

    def resolve(self, path: str) -> tuple[Handler, str] | None:
        return self._handler, path


@dataclass(frozen=True, slots=True)
class Noted:
    """What else is to be said of an answer, in lines for the terminal."""

    lines: tuple[str, ...]


class OnWire(Protocol):
    """What a base URL is printed of."""

    @property
    def provider(self) -> str: ...

    @property
    def wire(self) -> Wire: ...


class Answers(Protocol):
    def answer(self, request: Request) -> tuple[Response, object]:
        """The response, and what it is: a `Violation`, `Stopped`, `Noted`, or anything else that is not printed."""


class Served(Answers, Protocol):
    """A provider that can be served: a fake with a script, or one that answers from a cassette."""

    @property
    def fakes(self) -> Sequence[OnWire]:
        """One for each wire, the default one first."""


def base_urls(providers: Mapping[str, Served], url: str) -> Iterator[tuple[str, str, str]]:
    """Provider, wire and base URL as the wire's SDK takes it, of what a server at `url` has; the default wire first."""
    for prefix, provider in providers.items():
        for fake in provider.fakes:
            yield fake.provider, fake.wire.name, f"{url}{prefix}{fake.wire.base_path}"


class PrintingFake:
    """The fake; prints a line for each request and each refusal, without the keys of the request."""

    def __init__(self, fake: Answers, *, prefix: str = "") -> None:
        """`prefix` is the part of the path that was in front of the provider's own, to be printed."""
        self._fake = fake
        self._prefix = prefix

    def handle(self, request: Request) -> Response:
        response, answer = self._fake.answer(request)
        lines = [f"{request.method} {self._prefix}{request.path}: {response.status}"]
        if isinstance(answer, Violation):
            lines.append(f"  refused by {answer.rule} at {answer.at}: {answer.message.strip()}")
        elif isinstance(answer, Stopped):
            lines.append(f"  stopped: {answer.message}")
        elif isinstance(answer, Noted):
            lines += answer.lines
        print_lines(request, *lines, may_wait=len(lines) == 1 and response.status < 400)
        if len(request.body) > LARGE:
            give_memory_back()
        return response


class ForThisMachine:
    """The handler, for clients of this machine and pages of its own alone.

    With a key, for clients of any machine that send it.
    """

    def __init__(self, handler: Handler, *, key: str | None = None) -> None:
        self._handler = ForPages(handler if key is None else _ForKey(handler, key))
        self._is_open = key is not None

    def handle(self, request: Request) -> Response:
        refusal = refusal_of_foreigners(request.headers, any_host=self._is_open)
        return self._handler.handle(request) if refusal is None else _refused(request, *refusal)


class _ForKey:
    """The handler, for clients whose API key is this one, or begins with it and a hyphen: that tells clients apart."""

    def __init__(self, handler: Handler, key: str) -> None:
        self._handler = handler
        self._key = key.encode()

    def handle(self, request: Request) -> Response:
        for sent in sent_keys(request):
            begun, rest = sent.encode()[: len(self._key)], sent.encode()[len(self._key) :]
            if hmac.compare_digest(begun, self._key) and rest[:1] in (b"", b"-"):
                return self._handler.handle(request)
        return _refused(request, 401, "This server answers those whose API key is the one that it was started with.")


def _refused(request: Request, status: int, message: str) -> Response:
    print_lines(request, f"{request.method} {request.path}: {status}", f"  {message}")
    return json_response(status, {"error": {"message": message, "type": "fake_provider", "code": status}})


def refusal_of_foreigners(headers: Mapping[str, str], *, any_host: bool = False) -> tuple[int, str] | None:
    """The status and the message for a request that was sent to another host, or by a page of another machine.

    Only HTTP/1.0 may leave the host out, which no browser speaks.
    """
    host = headers.get("host")
    if host is not None and not any_host and not is_of_this_machine(host):
        return 421, f"This server answers for localhost and 127.0.0.1 alone, not for {host}."
    page = foreign_page(headers)
    if page:
        return 403, f"The request comes from a page of {page}; only pages of this machine are answered."
    return None


def print_lines(request: Request, *lines: str, may_wait: bool = False) -> None:
    """Without the keys of the request, also those that this machine does not know: whoever sends one has it."""
    keys = [Key("key", value) for value in keys_of_request(request)]
    shown = [printable(redacted(text_without_keys(line, keys))[:LONGEST]) for line in lines]
    LINES.print("\n".join(shown), may_wait=may_wait)


def keys_of_request(request: Request) -> list[str]:
    return [value for value in sent_keys(request) if is_secret(value)]


def sent_keys(request: Request) -> list[str]:
    """The API keys of a request; of a signed one the access key, as each signature is another."""
    sent = []
    for name in KEY_HEADERS:
        if value := request.headers.get(name):
            signed = _ACCESS_KEY.search(value)
            sent.append(signed[1] if signed else value.rpartition(" ")[2])
    if "?" in request.path:
        with contextlib.suppress(ValueError):
            sent += parse_qs(urlsplit(request.path).query).get("key", [])
    return sent


SECONDS = 0.05
"""A line that follows another sooner may wait for so long."""
MOST = 200
"""The most lines that wait to be printed."""


class LinePrinter:
    """Writes texts to standard output in their order, without what is secret. Thread-safe.

    Nothing waits unless it `gathers`; whoever sets that calls `flush` at the end.
    """

    def __init__(self) -> None:
        self.gathers = False
        self._lock = threading.Lock()
        self._waiting: list[str] = []
        self._is_timed = False
        self._written = 0.0

    def print(self, text: str, *, may_wait: bool) -> None:
        with self._lock:
            self._waiting.append(f"{text}\n")
            if not (self.gathers and may_wait and len(self._waiting) <= MOST and self._can_wait()):
                self._write()

    def flush(self) -> None:
        with self._lock:
            self._is_timed = False
            self._write()

    def _can_wait(self) -> bool:
        """Whether the last line was written just now, and an event loop will write this one."""
        if self._is_timed:
            return True
        if time.monotonic() - self._written > SECONDS:
            return False
        try:
            asyncio.get_running_loop().call_later(SECONDS, self.flush)
        except RuntimeError:  # a thread without a loop
            return False
        self._is_timed = True
        return True

    def _write(self) -> None:
        text, self._waiting = "".join(self._waiting), []
        if not text:
            return
        if not isinstance(sys.stdout, PrintableStream):
            text = redacted(text)
        # In one piece, since each is looked through for keys and written by itself; `print` writes the end separately.
        sys.stdout.write(text)
        sys.stdout.flush()
        self._written = time.monotonic()


LINES = LinePrinter()
"""The printer of this process, which has one standard output."""


def progress(text: str) -> None:
    """On one line of a terminal, in place of the text before; nothing where the output is kept."""
    if sys.stderr.isatty():
        write_command(f"\r\033[K{printable(text)}", sys.stderr)
