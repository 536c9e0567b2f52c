"""Someone with a historic bug reads about it what is written out, word for word."""

from typing import Any

import pytest

from tests.mutants.findings_of_mutants import found_in, written
from tests.tables import rows

WRITTEN = written()


@pytest.mark.slow
@rows(
    "line",
    WRITTEN,
    ids=lambda line: f"{line['mutant']} {line['case']}",
    group=lambda line: line["case"].partition("/")[0],
)
def test_findings_of_a_historic_bug_say_what_is_written_out(line: dict[str, Any]) -> None:
    found = found_in(line["mutant"], line["case"])

    assert found == line["findings"], "if it is right: ./dev python -m tests.docs.regenerate --figures=mutants"
