"""The part of GitHub's API that has comments."""

import pytest

from tests.github.stand_ins import comments_api


@pytest.fixture
def api():
    with comments_api() as state:
        yield state
