"""What the tests of runs have in common."""

from collections.abc import Iterator

import pytest

from tests.run.end_of_test import OVER


@pytest.fixture(autouse=True)
def _over() -> Iterator[None]:
    OVER.clear()
    yield
    OVER.set()
