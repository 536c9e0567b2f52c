import signal
import sys
from collections.abc import Iterator
from types import FrameType

import pytest
from load_site import Site, is_served, open_site
from separate_server import SeparateServer, run_separate_server

from tests.patience import PATIENCE


@pytest.fixture(autouse=True)
def _guard() -> Iterator[None]:
    """A test that hangs fails with a traceback."""

    def give_up(number: int, frame: FrameType | None) -> None:
        raise TimeoutError(f"nothing came of this in {PATIENCE:g} s")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(int(PATIENCE))
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture(scope="module")
def separate_server_of_module() -> Iterator[SeparateServer]:
    """A server in a process of its own; the kernel's figures are only available on Linux."""
    if not sys.platform.startswith("linux"):
        pytest.skip("reads /proc")
    with run_separate_server() as server:
        yield server


@pytest.fixture
def separate_server(separate_server_of_module: SeparateServer) -> SeparateServer:
    """One server for all tests of a module, after a warm-up, with its memory peak reset."""
    assert is_served(separate_server_of_module.urls["constant"])
    separate_server_of_module.forget_peak()
    return separate_server_of_module


@pytest.fixture
def loopback() -> Iterator[Site]:
    with open_site("loopback") as site:
        yield site
