"""What the tests of ready-made adapters need: a framework or program, installed or asked for with `--frameworks`."""

import pytest

from conformance.adapters import READY, Ready

OPTION = "--frameworks"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Known when the folder is named: `pytest tests/adapters --frameworks`, of the light ones alone `=light`."""
    said = "run the corpus over every ready-made adapter, or the light ones; a framework or program not installed fails"
    parser.addoption(OPTION, nargs="?", const="all", default="", choices=("all", "light"), help=said)
    parser.addoption(
        "--recipes", action="store_true", help="try the adapters of docs/recipes.md; what is missing fails"
    )


@pytest.fixture(scope="module")
def frameworks_asked_for(request: pytest.FixtureRequest) -> str:
    """`all`, `light`, or nothing."""
    return str(request.config.getoption(OPTION, default=""))


@pytest.fixture(scope="module", params=READY, ids=lambda ready: ready.name)
def ready(request: pytest.FixtureRequest, frameworks_asked_for: str) -> Ready:
    """An adapter whose framework or program is installed. Missing, it is red where it was asked for."""
    adapter: Ready = request.param
    if frameworks_asked_for == "light" and not adapter.light:
        pytest.skip(f"{adapter.name} is not light; it runs under pytest tests/adapters {OPTION}")
    if adapter.version is None:
        missing = f"{adapter.distribution} is not installed: {adapter.install}"
        if frameworks_asked_for:
            pytest.fail(missing)
        pytest.skip(f"{missing}; red under pytest tests/adapters {OPTION}")
    return adapter
