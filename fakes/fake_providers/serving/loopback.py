"""A fake on a socket as a context manager, for people's own tests. Joins `scripted_fake` and `transport`.

Pages in browsers are clients, too: whose they are, and the headers without which they cannot read a response.
"""

import contextlib
import re
from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from fake_providers.clock import SYSTEM_CLOCK, Clock
from fake_providers.http import Handler, Request, Response
from fake_providers.reply import Fault, StreamTiming
from fake_providers.serving.endpoints import describe_built
from fake_providers.serving.journal import Answer
from fake_providers.serving.reply_sources import Replies
from fake_providers.serving.scripted_fake import ScriptedFake
from fake_providers.transport.answerer import Mounts
from fake_providers.transport.server import LoopbackServer

__all__ = ["ScriptedFake", "serve"]


@contextlib.contextmanager
def serve(
    provider: str,
    replies: Replies | None = None,
    wire: str | None = None,
    faults: Mapping[int, Fault] | None = None,
    window: int | None = None,
    served_model: str | None = None,
    timing: StreamTiming | None = None,
    clock: Clock = SYSTEM_CLOCK,
    batch_seconds: float = 0,
    strict_replies: bool = True,
) -> Iterator[ScriptedFake]:
    """Serves `provider` on loopback, strictly; give the fake's `base_url` to the SDK, with any key.

        with serve("anthropic", replies=[Reply(text="Hello.")]) as fake:
            client = anthropic.Anthropic(api_key="any", base_url=fake.base_url)
            ...
        assert not fake.violations
        assert not fake.unused_replies

    `faults` go wrong by the number of the request, on top of the replies: `faults={2: Fault(connection="reset")}`.
    A conversation of more than `window` tokens is refused. `served_model` is behind a name that says none.
    `timing` says how fast replies are sent, by `clock`; a batch takes `batch_seconds` by it. An
    error of the fake itself (a reply that this wire cannot express) is a 500 for the client and is raised when the
    `with` ends; so is a `LookupError` for requests that no reply matches, or more than one, or one that the
    provider never sends, unless `strict_replies` is false. Raises what `ScriptedFake`
    raises.
    """
    fake = ScriptedFake(
        provider,
        replies,
        wire=wire,
        faults=faults,
        window=window,
        served_model=served_model,
        timing=timing,
        clock=clock,
        batch_seconds=batch_seconds,
        strict_replies=strict_replies,
    )
    mounts = Mounts()
    errors: list[BaseException] = []
    with LoopbackServer(mounts, lambda path, error: errors.append(error)) as server:
        fake.base_url = f"{server.url}/{mounts.mount(ForPages(fake))}{fake.wire.base_path}"
        yield fake
    if errors:
        raise errors[0]
    if fake.stops:
        raise LookupError("\n".join(fake.stops))


class ProviderFake:
    """Fakes of one provider, one for each wire, the default one first. A handler for any transport."""

    def __init__(self, fakes: Sequence[ScriptedFake]) -> None:
        self.fakes = tuple(fakes)

    def fake_for(self, request: Request) -> ScriptedFake | None:
        """The one that this request is for; None if it is for none of them."""
        return next((fake for fake in self.fakes if fake.claims(request)), None)

    def handle(self, request: Request) -> Response:
        return self.answer(request)[0]

    def answer(self, request: Request) -> tuple[Response, Answer | None]:
        """The response, and what it is: None for a request that is none of the model's."""
        return self.answer_with(self.fake_for(request), request)

    def answer_with(self, fake: ScriptedFake | None, request: Request) -> tuple[Response, Answer | None]:
        """The same, for whoever knows what `fake_for` returns."""
        if fake is not None:
            return fake.answer(request)
        built = describe_built(request, [fake.wire for fake in self.fakes])
        return self.fakes[0].not_built(request, built), None


_HOST = r"(?:(?:[\w-]+\.)*localhost\.?|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?"
_HOST_OF_THIS_MACHINE = re.compile(_HOST, re.IGNORECASE)
_PAGE_OF_THIS_MACHINE = re.compile(rf"https?://{_HOST}|(?!https?:)[\w+.-]+://.*", re.IGNORECASE)
"""A page with any other scheme than http, such as `app` or `vscode-webview`, is part of a program that is installed
here."""


def is_of_this_machine(host: str) -> bool:
    """Whether a header `Host` names this machine. A page of another one reaches a loopback port under a name of its own
    that leads there, and `Host` has that name."""
    return _HOST_OF_THIS_MACHINE.fullmatch(host.strip()) is not None


def foreign_page(headers: Mapping[str, str]) -> str:
    """The page of another machine that sends this request, in words; empty for any other client.

    A browser leaves `Origin` out where the page cannot read the response, as for a picture.
    """
    origin = headers.get("origin")
    if origin is None:
        return "another site" if headers.get("sec-fetch-site") == "cross-site" else ""
    return "" if _PAGE_OF_THIS_MACHINE.fullmatch(origin) else origin


class ForPages:
    """The handler, for pages as well: it answers the question that a browser asks before it sends a request."""

    def __init__(self, handler: Handler) -> None:
        self._handler = handler

    def handle(self, request: Request) -> Response:
        origin = request.headers.get("origin")
        if origin is None:
            return self._handler.handle(request)
        to_this_page = (("access-control-allow-origin", origin), ("vary", "origin"))
        if request.method == "OPTIONS" and "access-control-request-method" in request.headers:
            return Response(204, (*to_this_page, *_allowed(request.headers)), ())
        response = self._handler.handle(request)
        shown = ("access-control-expose-headers", "*")
        return replace(response, headers=(*response.headers, *to_this_page, shown))


def _allowed(asked: Mapping[str, str]) -> list[tuple[str, str]]:
    """What the browser asks for. A page on the public network has to ask for this machine as well."""
    answers = {
        "access-control-request-method": "access-control-allow-methods",
        "access-control-request-headers": "access-control-allow-headers",
        "access-control-request-private-network": "access-control-allow-private-network",
    }
    return [(answer, asked[question]) for question, answer in answers.items() if question in asked]
