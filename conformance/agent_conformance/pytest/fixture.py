"""What the fixture `fake_provider` gives, for people's own tests.

The fixture itself stands in `pytest_agent_conformance`: every run knows it, and only a test that uses it imports this.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from fake_providers import Fault, StreamTiming
    from fake_providers.clock import Clock
    from fake_providers.serving.reply_sources import Replies
    from fake_providers.serving.scripted_fake import ScriptedFake


class FakeProvider(Protocol):
    """What the fixture is: `fake_provider("gemini", replies=[...])`."""

    def __call__(
        self,
        provider: str,
        replies: Replies | None = None,
        wire: str | None = None,
        faults: Mapping[int, Fault] | None = None,
        *,
        timing: StreamTiming | None = None,
        clock: Clock | None = None,
        strict_replies: bool = True,
    ) -> ScriptedFake: ...


@contextlib.contextmanager
def started_fakes() -> Iterator[FakeProvider]:
    """Starts strict fake providers on loopback, as many as a test needs; they stop at its end."""
    from fake_providers.clock import SYSTEM_CLOCK
    from fake_providers.serving.loopback import serve

    with contextlib.ExitStack() as fakes:

        def start(
            provider: str,
            replies: Replies | None = None,
            wire: str | None = None,
            faults: Mapping[int, Fault] | None = None,
            *,
            timing: StreamTiming | None = None,
            clock: Clock | None = None,
            strict_replies: bool = True,
        ) -> ScriptedFake:
            time = clock or SYSTEM_CLOCK
            return fakes.enter_context(
                serve(provider, replies, wire, faults, timing=timing, clock=time, strict_replies=strict_replies)
            )

        yield start
