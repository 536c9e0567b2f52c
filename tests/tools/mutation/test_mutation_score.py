import pytest

from tools.mutation.score import Score, wilson


def test_equivalent_mutants_do_not_count() -> None:
    score = Score(killed=90, survived=10, equivalent=5)

    assert score.share == 0.9
    assert str(score) == "90 of 100 killed: 90.0 % (95 %: 82.6 to 94.5); 5 equivalent"


def test_too_many_equivalents_count_as_survivors() -> None:
    score = Score(killed=60, survived=10, equivalent=30)

    assert score.share == 0.6
    assert "which count as survivors" in str(score)


ENDS = [(0, 10, 0.0, 0.278), (10, 10, 0.722, 1.0), (0, 0, 0.0, 1.0)]


@pytest.mark.parametrize(("killed", "counted", "low", "high"), ENDS)
def test_interval_holds_at_the_ends(killed: int, counted: int, low: float, high: float) -> None:
    assert wilson(killed, counted) == pytest.approx((low, high), abs=0.001)
