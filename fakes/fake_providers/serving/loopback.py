"""A fake on a socket as a context manager, for people's own tests. Joins `scripted_fake` and `transport`."""

import contextlib
from collections.abc import Iterator, Mapping

from fake_providers.clock import SYSTEM_CLOCK, Clock
from fake_providers.replies.stream_timing import StreamTiming
from fake_providers.reply import Fault
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
    A conversation of more than `window` tokens is refused. `timing` says how fast replies are sent, by `clock`. An
    error of the fake itself (a reply that this wire cannot express) is a 500 for the client and is raised when the
    `with` ends; so is a `LookupError` for requests that no reply matches, or more than one. Raises what `ScriptedFake`
    raises.
    """
    fake = ScriptedFake(provider, replies, wire=wire, faults=faults, window=window, timing=timing, clock=clock)
    mounts = Mounts()
    errors: list[BaseException] = []
    with LoopbackServer(mounts, lambda path, error: errors.append(error)) as server:
        fake.base_url = f"{server.url}/{mounts.mount(ForPages(fake))}{fake.wire.base_path}"
        yield fake
    if errors:
        raise errors[0]
    if fake.stops:
        raise LookupError("\n".join(fake.stops))
