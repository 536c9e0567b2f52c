"""Which rule refuses a value or a word of the fakes' own lists in a place, or that none does: pinned here alone."""

from typing import Any

from tests.fakes.goldens import ANEW
from tests.fakes.verdicts_of_places import FILES, verdicts
from tests.tables import rows

WRITTEN = FILES.read()


@rows(
    "line",
    WRITTEN,
    ids=[f"{number} {line['of']}" for number, line in enumerate(WRITTEN, 1)],
    group=lambda line: f"{line['provider']} {line['wire']}",
)
def test_value_in_a_place_gets_the_verdict_that_is_written_out(line: dict[str, Any]) -> None:
    assert verdicts(line) == line["verdicts"], ANEW
