"""What the tests of ready-made adapters need: a framework or program, installed or requested with `--frameworks`."""

import pytest

from agent_conformance.attach.ready_made import READY, Ready
from tests.ready_made.requested_frameworks import OPTION, LeftOut, Missing, check


def pytest_addoption(parser: pytest.Parser) -> None:
    """Known when the folder is named: `pytest tests/ready_made --frameworks`, of the light ones alone `=light`."""
    help = "run the corpus over every ready-made adapter, or the light ones; a framework or program not installed fails"
    parser.addoption(OPTION, nargs="?", const="all", default="", choices=("all", "light"), help=help)
    parser.addoption(
        "--recipes", action="store_true", help="try the adapters of docs/recipes.md; what is missing fails"
    )
    parser.addoption("--programs", action="store_true", help="try pairs of releases of programs, which npm installs")


@pytest.fixture(scope="module")
def requested_frameworks(request: pytest.FixtureRequest) -> str:
    """`all`, `light`, or nothing."""
    return str(request.config.getoption(OPTION, default=""))


@pytest.fixture(scope="module", params=READY, ids=lambda ready: ready.name)
def ready(request: pytest.FixtureRequest, requested_frameworks: str) -> Ready:
    """An adapter whose framework or program is installed. Missing, it is red where it was requested."""
    adapter: Ready = request.param
    try:
        check(adapter, requested_frameworks)
    except Missing as missing:
        pytest.fail(str(missing))
    except LeftOut as left_out:
        pytest.skip(str(left_out))
    return adapter


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Under `--dist loadgroup` one worker has all tests of one agent's cases, which run once for them."""
    if not config.pluginmanager.hasplugin("xdist"):
        return
    for item in items:
        if isinstance(item, pytest.Function) and {"row", "verdicts"} & set(item.fixturenames):
            item.add_marker(pytest.mark.xdist_group(item.callspec.id))
