"""Errors of many cases are one where they say the same, however long each of them waited."""

from agent_conformance.baseline.case_report import CaseReport

SILENT = "send did not return within {} s of silence; its thread still runs"


def why(reason: str) -> str:
    return CaseReport("area/case@openai-chat+plain", "area/case", "error", reason=reason).why


def test_silence_of_any_length_is_one_cause() -> None:
    assert why(SILENT.format("2")) == why(SILENT.format("2.4")) == why(SILENT.format("12"))


def test_other_numbers_and_other_words_are_other_causes() -> None:
    texts = ("`wires[1]` is 7", "`wires[2]` is 7", SILENT.format(2), "close did not return within 2 s")

    assert len({why(text) for text in texts}) == len(texts)
    assert why("`wires[1]` is 7\nmore of it") == "`wires[1]` is 7"
