import signal
import sys
from collections.abc import Iterator
from types import FrameType

import pytest
from alone import Alone, serving_alone
from load_site import Site, is_served, open_site

SECONDS = 60


@pytest.fixture(autouse=True)
def _guard() -> Iterator[None]:
    """What hangs fails, with a traceback of where; nothing here takes a tenth of that."""

    def give_up(number: int, frame: FrameType | None) -> None:
        raise TimeoutError(f"nothing came of this in {SECONDS} s")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(SECONDS)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture(scope="module")
def served_alone() -> Iterator[Alone]:
    """A server in a process of its own; only Linux tells what such a process takes."""
    if not sys.platform.startswith("linux"):
        pytest.skip("reads /proc")
    with serving_alone() as served:
        yield served


@pytest.fixture
def alone(served_alone: Alone) -> Alone:
    """The same for all tests of a module, warm, and with no peak of memory but what it takes now."""
    assert is_served(served_alone.urls["constant"])
    served_alone.forget_peak()
    return served_alone


@pytest.fixture
def loopback() -> Iterator[Site]:
    with open_site("loopback") as opened:
        yield opened
