"""A fake on a socket as a context manager, for people's own tests. Joins `scripted_fake` and `transport`."""

import contextlib
from collections.abc import Iterator, Mapping, Sequence

from fake_providers.clock import SYSTEM_CLOCK, Clock
from fake_providers.http import Request, Response
from fake_providers.reply import Fault, StreamTiming
from fake_providers.serving.endpoints import describe_built
from fake_providers.serving.journal import Answer
from fake_providers.serving.reply_sources import Replies
from fake_providers.serving.scripted_fake import ScriptedFake
from fake_providers.transport.mounts import Mounts
from fake_providers.transport.pages import ForPages
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
) -> Iterator[ScriptedFake]:
    """Serves `provider` on loopback, strictly; give the fake's `base_url` to the SDK, with any key.

        with serve("anthropic", replies=[Reply(text="Hello.")]) as fake:
            client = anthropic.Anthropic(api_key="any", base_url=fake.base_url)
            ...
        assert not fake.violations
        assert not fake.unused_replies

    `faults` go wrong by the number of the request, on top of the replies: `faults={2: Fault(connection="reset")}`.
    A conversation of more than `window` tokens is refused. `served_model` is behind a name that says none.
    `timing` says how fast replies are sent, by `clock`. An
    error of the fake itself (a reply that this wire cannot express) is a 500 for the client and is raised when the
    `with` ends; so is a `LookupError` for requests that no reply matches, or more than one. Raises what `ScriptedFake`
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
