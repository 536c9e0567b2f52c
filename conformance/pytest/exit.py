"""How a run ends: exit codes, and a hard end where an agent's thread would keep the process alive. Knows no case."""

import atexit
import os
import sys

import pytest

from conformance.report.run_record import RunRecord

ERROR_OF_THE_SUITE = 3


def exit_code(current: int, run: RunRecord) -> int:
    """3 for an error of the suite or the adapter, even where there are findings: such a run is not complete.

    A run that had cases and judged none is an error of the set-up. Interrupts and usage errors keep their codes.
    """
    if current not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        return current
    if run.has_errors:
        return ERROR_OF_THE_SUITE
    if run.reports and not run.judged and current == pytest.ExitCode.OK:
        return ERROR_OF_THE_SUITE
    return current


def end_process(status: int) -> None:
    """End without joining threads that never return; what was registered for the end still runs."""
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)
