"""Someone with a historic bug reads about it what is written out, word for word."""

from collections import defaultdict
from fnmatch import fnmatchcase
from typing import Any

import pytest

from agent_mutants import MUTANTS
from tests.mutants.findings_of_mutants import found_in, written
from tests.tables import rows

WRITTEN = written()


def test_each_finding_that_a_mutant_must_have_is_written_out() -> None:
    shown: dict[str, set[str]] = defaultdict(set)
    for line in WRITTEN:
        shown[line["case"].partition("@")[0].partition("[")[0]] |= {finding["id"] for finding in line["findings"]}
    missing = [
        f"{mutant.name}: {pair.finding}"
        for mutant in MUTANTS
        for pair in (mutant.pairs if mutant.reachable else ())
        if not any(fnmatchcase(id, pair.finding) for name, ids in shown.items() if pair.names(name) for id in ids)
    ]

    assert missing == [], "run: ./dev python -m tests.docs.regenerate --figures=mutants"


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
