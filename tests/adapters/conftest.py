"""What the tests of ready-made adapters need: a framework or program, installed or asked for with `--frameworks`."""

import pytest

from conformance.adapters import READY, Ready

OPTION = "--frameworks"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Known when the folder is named: `pytest tests/adapters --frameworks`."""
    said = "run the corpus over every ready-made adapter; a framework or program that is not installed fails"
    parser.addoption(OPTION, action="store_true", help=said)
    parser.addoption(
        "--recipes", action="store_true", help="try the adapters of docs/recipes.md; what is missing fails"
    )


@pytest.fixture(scope="module")
def frameworks_asked_for(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption(OPTION, default=False))


@pytest.fixture(scope="module", params=READY, ids=lambda ready: ready.name)
def ready(request: pytest.FixtureRequest, frameworks_asked_for: bool) -> Ready:
    """An adapter whose framework or program is installed. Missing, it is red where frameworks were asked for."""
    adapter: Ready = request.param
    if adapter.version is None:
        missing = f"{adapter.distribution} is not installed: {adapter.install}"
        if frameworks_asked_for:
            pytest.fail(missing)
        pytest.skip(f"{missing}; red under pytest tests/adapters {OPTION}")
    return adapter
