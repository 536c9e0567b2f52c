"""What `serve` puts around a fake: one handler for every path, for loopback alone, which prints what it answers.

Knows no provider.
"""

import contextlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol
from urllib.parse import parse_qs, urlsplit

from agent_conformance.commands.shared.line_printing import LINES
from agent_conformance.commands.shared.memory import give_memory_back
from agent_conformance.record.redaction import Key, text_without_keys
from agent_conformance.record.secret_names import is_secret
from fake_providers import Handler, Request, Response, Violation
from fake_providers.http import json_response
from fake_providers.neutral_text import printable
from fake_providers.serving.journal import Stopped
from fake_providers.transport.bounds import LARGE
from fake_providers.transport.mounts import Mounts
from fake_providers.wire import Wire

LOOPBACK = re.compile(r"(?:(?:.+\.)?localhost\.?|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?", re.IGNORECASE)
LONGEST = 2000
"""Characters of a line."""
KEY_HEADERS = ("authorization", "api-key", "x-api-key", "x-goog-api-key")


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


class PrintingFake:
    """The fake; prints a line for each request and each refusal, without the keys of the request."""

    def __init__(self, fake: Answers, *, prefix: str = "") -> None:
        """`prefix` is the part of the path that was in front of the provider's own, to be printed."""
        self._fake = fake
        self._prefix = prefix

    def handle(self, request: Request) -> Response:
        if not is_for_loopback(request.headers):
            return misdirected(request)
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


def is_for_loopback(headers: Mapping[str, str]) -> bool:
    """A page in a browser reaches a loopback port under a name of its own that leads there: `Host` has that name."""
    host = headers.get("host")
    return host is None or LOOPBACK.fullmatch(host.strip()) is not None


def misdirected(request: Request) -> Response:
    message = f"This server answers for localhost and 127.0.0.1 alone, not for {request.headers['host']}."
    print_lines(request, f"{request.method} {request.path}: 421", f"  {message}")
    return json_response(421, {"error": {"message": message, "type": "fake_provider", "code": 421}})


def print_lines(request: Request, *lines: str, may_wait: bool = False) -> None:
    """Without the keys of the request, also those that this machine does not know: whoever sends one has it."""
    keys = [Key("key", value) for value in keys_of_request(request)]
    text = "\n".join(printable(line[:LONGEST]) for line in lines)
    LINES.print(text_without_keys(text, keys), may_wait=may_wait)


def keys_of_request(request: Request) -> list[str]:
    sent = [value.rpartition(" ")[2] for name in KEY_HEADERS if (value := request.headers.get(name))]
    with contextlib.suppress(ValueError):
        if "?" in request.path:
            sent += parse_qs(urlsplit(request.path).query).get("key", [])
    return [value for value in sent if is_secret(value)]
