"""Documents made smaller: each edit, and what remains for a test that is known."""

from typing import Any

import pytest

from agent_conformance.minimise.edits import Shrinking, edits_of, size
from agent_conformance.scenario.yaml_files.repetitions import written_out

CALL = {"assistant": {"calls": [{"id": "c1", "name": "look_up", "arguments": {"word": "pear"}}]}}
DOCUMENT: dict[str, Any] = {
    "description": "a long description that says what is wrong",
    "profile": "hardened",
    "tools": [{"name": "look_up", "parameters": {"word": "string"}}, {"name": "other"}],
    "history": [
        {"user": "What is a pear?"},
        CALL,
        {"tool": {"id": "c1", "result": "a fruit"}},
        {"assistant": "A fruit."},
    ],
    "conversation": [
        {"user": f"question {n} is much longer", "model": [{"text": f"answer {n} is much longer"}]} for n in range(8)
    ],
}


def has(text: str) -> Any:
    return lambda document: text in str(document)


def smallest(holds: Any, most: int = 10_000) -> tuple[dict[str, Any], Shrinking]:
    shrinking = Shrinking(holds, most)
    return shrinking.smallest(DOCUMENT), shrinking


def test_what_the_test_does_not_need_goes() -> None:
    document, shrinking = smallest(has("question 5"))

    assert document == {
        "description": DOCUMENT["description"],
        "profile": "hardened",
        "conversation": [{"user": "question 5"}],
    }
    assert shrinking.is_whole


def test_call_of_the_history_goes_with_its_result() -> None:
    def paired(document: dict[str, Any]) -> bool:
        history = document.get("history", [])
        return ("'calls'" in str(history)) == ("'tool'" in str(history)) and "A fruit" in str(history)

    document, _ = smallest(paired)

    assert document["history"] == [{"assistant": "A fruit."}]


def test_tool_goes_with_all_that_names_it() -> None:
    first = next(edits_of(DOCUMENT))(DOCUMENT)

    assert "look_up" not in str(first)
    assert [tool["name"] for tool in first["tools"]] == ["other"]


def test_text_becomes_shorter_wherever_it_stands() -> None:
    document = {"conversation": [{"user": "one two three four", "expect": {"reply": "say one two three four"}}]}
    shorter = [edit(document) for edit in edits_of(document)]

    assert {"conversation": [{"user": "one", "expect": {"reply": "say one"}}]} in shorter


def test_names_ids_and_descriptions_keep_their_texts() -> None:
    document = {"description": "long " * 9, "tools": [{"name": "a_very_long_name_of_a_tool"}], "conversation": [1]}

    assert all("a_very_long_name_of_a_tool" in str(new) or "name" not in str(new) for new in map_edits(document))
    assert all(new["description"] == document["description"] for new in map_edits(document))


def map_edits(document: dict[str, Any]) -> list[dict[str, Any]]:
    return [edit(document) for edit in edits_of(document)]


def test_edits_change_nothing_in_the_document_they_are_given() -> None:
    before = repr(DOCUMENT)

    assert all(size(new) <= size(DOCUMENT) for new in map_edits(DOCUMENT))
    assert repr(DOCUMENT) == before


def test_same_document_and_same_runs_each_time() -> None:
    (first, one), (second, two) = smallest(has("question 3")), smallest(has("question 3"))

    assert (first, one.tried) == (second, two.tried)


@pytest.mark.parametrize("most", [1, 3, 7])
def test_runs_are_bounded_and_what_was_reached_holds(most: int) -> None:
    document, shrinking = smallest(has("question 5"), most)

    assert shrinking.tried <= most
    assert "question 5" in str(document)
    assert not shrinking.is_whole


def test_equal_documents_are_run_once() -> None:
    seen: list[str] = []

    def holds(document: dict[str, Any]) -> bool:
        seen.append(repr(document))
        return "question 5" in repr(document)

    smallest(holds)

    assert len(seen) == len(set(seen))


def test_repetition_has_as_few_copies_as_the_test_needs() -> None:
    turns = [{"repeat": [{"user": "question <n>", "model": [{"text": "answer <n>"}]}], "times": 30}]

    def holds(document: dict[str, Any]) -> bool:
        return "question 6" in str(written_out(document))

    shrinking = Shrinking(holds, 10_000)
    assert shrinking.smallest({"conversation": turns}) == {
        "conversation": [{"repeat": [{"user": "question <n>"}], "times": 6}]
    }


def test_repetition_with_one_copy_is_written_out() -> None:
    turns = [{"repeat": [{"user": "question <n>"}], "times": 30}]

    shrinking = Shrinking(has("question"), 10_000)
    assert shrinking.smallest({"conversation": turns}) == {"conversation": [{"user": "question 1"}]}
