"""When a turn of the reference agent ends by itself. How often is its own choice, so the limits stand here by name."""

from agent_conformance.agents.reference import bounds
from agent_conformance.agents.reference.bounds import Bounds


def test_one_unknown_name_is_corrected_a_few_times() -> None:
    counted = Bounds()
    for _ in range(bounds.SAME_NAME):
        counted.count_unknown("ghost")
    assert not counted.exhausted

    counted.count_unknown("ghost")

    assert counted.exhausted


def test_other_unknown_names_are_corrected_on() -> None:
    counted = Bounds()

    for number in range(bounds.CORRECTIONS):
        counted.count_unknown(f"ghost {number}")
    assert not counted.exhausted
    counted.count_unknown("one more")

    assert counted.exhausted


def test_corrections_of_all_kinds_count_together() -> None:
    counted = Bounds()

    counted.count_unknown("ghost")
    for _ in range(bounds.CORRECTIONS - 1):
        counted.count_correction()
    assert not counted.exhausted
    counted.count_correction()

    assert counted.exhausted


def test_empty_answer_is_asked_for_again_a_few_times() -> None:
    counted = Bounds()

    assert [counted.may_retry_empty() for _ in range(bounds.EMPTY_ANSWERS + 2)] == [
        *[True] * bounds.EMPTY_ANSWERS,
        False,
        False,
    ]


def repeated(results: list[str]) -> int:
    counted = Bounds()
    for result in results:
        counted.record_result("look {}", result)
    return counted.repeated_results("look {}")


def test_same_result_in_a_row_is_refused_at_some_point() -> None:
    for result in ("7 degrees", ""):
        assert repeated([result] * (bounds.SAME_RESULT - 1)) == 0
        assert repeated([result] * bounds.SAME_RESULT) == bounds.SAME_RESULT
        assert repeated([result] * (bounds.SAME_RESULT + 1)) == bounds.SAME_RESULT + 1


def test_another_result_begins_the_count_again() -> None:
    assert repeated(["a"] * bounds.SAME_RESULT + ["b"]) == 0
    assert repeated(["a"] + ["b"] * bounds.SAME_RESULT) == bounds.SAME_RESULT
    assert repeated([]) == 0


def test_another_call_has_a_count_of_its_own() -> None:
    counted = Bounds()
    for _ in range(bounds.SAME_RESULT):
        counted.record_result("look {}", "7")

    assert counted.repeated_results("find {}") == 0


def test_refused_calls_end_the_turn_after_a_few() -> None:
    counted = Bounds()
    for _ in range(bounds.SAME_RESULT):
        counted.record_result("look {}", "7")

    for _ in range(bounds.REFUSALS):
        counted.repeated_results("look {}")
    counted.repeated_results("find {}")
    assert not counted.exhausted
    counted.repeated_results("look {}")

    assert counted.exhausted


def test_last_request_is_known_before_it_is_sent() -> None:
    counted = Bounds(requests=3)

    known = []
    for _ in range(4):
        known.append(counted.last_request)
        counted.count_request()

    assert known == [False, False, True, True]
    assert counted.sent == 4
