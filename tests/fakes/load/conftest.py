import signal
from collections.abc import Iterator
from types import FrameType

import pytest

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
