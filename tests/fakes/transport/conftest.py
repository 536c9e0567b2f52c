from collections.abc import Iterator

import pytest
from transport_doubles import CLIENTS, Client, Site, open_site


@pytest.fixture(params=["loopback", "process"])
def site(request: pytest.FixtureRequest) -> Iterator[Site]:
    with open_site(request.param) as opened:
        yield opened


@pytest.fixture
def loopback() -> Iterator[Site]:
    with open_site("loopback") as opened:
        yield opened


@pytest.fixture
def process() -> Iterator[Site]:
    with open_site("process") as opened:
        yield opened


@pytest.fixture(params=CLIENTS.values(), ids=CLIENTS.keys())
def client(request: pytest.FixtureRequest) -> Client:
    found: Client = request.param
    return found
