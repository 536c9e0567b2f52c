"""A cut in a text or in a result: how much of it is left, what stands beside it, and whether that is a mark."""

import html
import json

import pytest

from agent_conformance.judge.shortened_texts import Cut, cut_in_result, cut_of, same_at_start

SAID = " ".join(f'In hour {hour} señor Núñez wrote "{hour * 7} < {hour * 9}".' for hour in range(20))
KEPT = 150

WRAPPED: dict[str, tuple[str, str]] = {
    "as it is": (f"<r>{SAID[:KEPT]}</r> and so on", "<r> </r> and so on"),
    "JSON": (json.dumps({"a": SAID[:KEPT], "b": "more"}, ensure_ascii=False), '{"a": "", "b": "more"}'),
    "JSON in ASCII": (json.dumps({"a": SAID[:KEPT], "b": "more"}), '{"a": "", "b": "more"}'),
    "escaped markup": (f"<r>{html.escape(SAID[:KEPT])}</r> and so on", "<r></r> and so on"),
}
"""The beginning of a text in a result, and what the result has beside it."""


@pytest.mark.parametrize(("result", "beside"), WRAPPED.values(), ids=WRAPPED)
def test_what_stands_around_a_cut_result_is_told_from_the_result(result: str, beside: str) -> None:
    cut = cut_in_result(SAID, result)

    assert cut is not None
    assert (cut.kept, cut.beside.strip()) == (KEPT, beside)


def test_result_that_is_there_twice_stands_beside_itself() -> None:
    text = json.dumps({"output": SAID[:KEPT], "again": SAID[:KEPT]})

    cut = cut_in_result(SAID, text)

    assert cut is not None
    assert "hour" in cut.beside


def test_nothing_is_said_of_a_result_that_is_nowhere_or_only_in_pieces() -> None:
    pieces = json.dumps([{"text": SAID[: 40 - 10]}, {"text": SAID[40 - 10 : KEPT]}])

    assert cut_in_result(SAID, json.dumps({"output": "another text"})) is None
    assert cut_in_result(SAID, pieces) is None


@pytest.mark.parametrize("missing", [19, 20])
def test_cut_leaves_out_at_least_so_many_characters(missing: int) -> None:
    for sent in (SAID[:-missing], SAID[missing:], SAID[:100] + SAID[100 + missing :]):
        cut = cut_of(SAID, sent)

        assert (None if cut is None else cut.kept) == (None if missing == 19 else len(SAID) - missing)


def test_text_is_recognised_by_its_beginning_or_its_end() -> None:
    for piece in (SAID[:40], SAID[-40:]):
        assert cut_of(SAID, f"before {piece} after") == Cut(40, "before   after")
        assert cut_of(SAID, piece) == Cut(40, " ")
    for piece in (
        SAID[: 40 - 1],
        SAID[1 : 40 + 1],
        SAID[-40 - 1 : -1],
        SAID[100:200],
        "",
    ):
        assert cut_of(SAID, piece) is None


def test_beside_a_cut_is_what_stands_next_to_the_pieces() -> None:
    before, between, after = "b" * 120, "m" * 120, "a" * 120

    whole = cut_of(SAID, f"x{before}{SAID[:KEPT]}{between}x{after}")
    both = cut_of(SAID, f"x{before}{SAID[:KEPT]}{between}{SAID[-KEPT:]}")
    end = cut_of(SAID, f"x{before}{SAID[-KEPT:]}{after}x")

    assert whole == Cut(KEPT, f"{before} {between}")
    assert cut_of(SAID, SAID[-KEPT:]) == Cut(KEPT, " ")
    assert both == Cut(2 * KEPT, f"{before} {between}")
    assert end == Cut(KEPT, f"{before} {after}")


@pytest.mark.parametrize(
    "mark",
    [
        *("..", "…", "truncated", "cut off", "omitted", "[elided]", "left out", "removed", "shortened", "skipped"),
        *("preview", "90 characters", "90 chars", "90 Tokens", "90 bytes", "more lines"),
    ],
)
def test_usual_words_are_a_sign_of_a_cut(mark: str) -> None:
    assert Cut(100, f"[{mark}]").has_sign


@pytest.mark.parametrize("words", ["", "cutting", "charset", "moreover", ".", "Output:"])
def test_other_words_are_no_sign_of_a_cut(words: str) -> None:
    assert not Cut(100, f"[{words}]").has_sign


@pytest.mark.parametrize("beside", ["", '{"output": "', "<tool_result>\n", "Results: [", "READ_FILE(", "# ok *done*"])
def test_markup_frames_and_names_of_tools_are_no_mark(beside: str) -> None:
    assert Cut(100, beside).is_silent({"read_file", "done"})


@pytest.mark.parametrize("beside", ["gekürzt", "page 1", "...", '{"truncated": true', "read_file", "outputs"])
def test_any_other_word_may_be_a_mark(beside: str) -> None:
    assert not Cut(100, beside).is_silent(())


@pytest.mark.parametrize(
    ("one", "other", "same"), [("", "", 0), ("abc", "abd", 2), ("abc", "abc", 3), ("abc", "ab", 2), ("x", "y", 0)]
)
def test_texts_begin_alike_for_so_many_characters(one: str, other: str, same: int) -> None:
    assert same_at_start(one, other) == same
