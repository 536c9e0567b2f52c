"""The settings of the project's own tests: what becomes an error, and what must not."""

import warnings

import pytest
from syrupy.utils import warn_incomplete_worker_reports


def test_a_warning_is_an_error() -> None:
    with pytest.raises(UserWarning):
        warnings.warn("anything", stacklevel=1)


def test_warning_of_syrupy_after_the_first_failure_hides_no_failure() -> None:
    """Under `-x` with workers, a worker that was stopped has sent no report."""
    warn_incomplete_worker_reports(received=1, expected=2)
