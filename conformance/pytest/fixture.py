"""A strict fake provider as a fixture, for people's own tests. Knows nothing of scenarios."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Protocol

import pytest

if TYPE_CHECKING:
    from fakes import Reply
    from fakes.scripted import ScriptedFake


class FakeProvider(Protocol):
    """What the fixture is: `fake_provider("gemini", replies=[...])`."""

    def __call__(
        self, provider: str, replies: Iterable[Reply] | None = None, wire: str | None = None
    ) -> ScriptedFake: ...


@pytest.fixture
def fake_provider() -> Iterator[FakeProvider]:
    """Starts strict fake providers on loopback; they stop with the test.

    `fake_provider("gemini", replies=[Reply(text="Hello.")])` gives an object with `base_url`, `requests`, `views` and
    `violations`. Without replies the fake calls the first tool offered, once, and then says `Done.`
    """
    # Imported here: the fixture is known to every run, and used by few.
    from fakes.serving import serve

    with contextlib.ExitStack() as fakes:
        yield lambda provider, replies=None, wire=None: fakes.enter_context(serve(provider, replies, wire))
