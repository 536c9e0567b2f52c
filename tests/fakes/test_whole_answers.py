"""What comes back when nothing is refused, pinned here alone: each reply and failure, byte for byte, in each mode."""

from tests.fakes.goldens import ANEW
from tests.fakes.whole_answers import Asked, answers, asked_of, written
from tests.tables import rows

WRITTEN = written()
ASKED = list(asked_of(WRITTEN["full"]))


@rows("asked", ASKED, ids=lambda asked: asked.name, group=lambda asked: asked.name.split()[0])
def test_answers_are_those_that_are_written_out(asked: Asked) -> None:
    assert dict(answers(asked)) == WRITTEN["answers"][asked.name], ANEW


def test_what_is_written_out_is_about_requests_that_there_are() -> None:
    assert sorted(WRITTEN["answers"]) == sorted(asked.name for asked in ASKED)
