"""The settings of the project's own tests: what becomes an error, and what must not."""

import subprocess
import sys
import warnings

import pytest


def test_a_warning_is_an_error() -> None:
    with pytest.raises(UserWarning):
        warnings.warn("anything", stacklevel=1)


def test_warning_of_syrupy_after_the_first_failure_hides_no_failure() -> None:
    """Under `-x` with workers, a worker that was stopped has sent no report. The words are those of syrupy 7."""
    warnings.warn(
        "syrupy: received 1 of 2 xdist worker snapshot reports; unused snapshot detection skipped", stacklevel=1
    )


def test_help_of_a_checkout_lists_the_options_of_its_tests() -> None:
    shown = subprocess.run([sys.executable, "-m", "pytest", "--help"], capture_output=True, text=True, check=False)

    assert shown.returncode == 0, shown.stderr
    assert "--row" in shown.stdout
    assert "--agent=SPEC" in shown.stdout
