"""What changed in a transcript, in words: for one case, and so that equal changes of many cases have equal words."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_conformance.baseline.snapshot_changes import changes_between, scrub_example, shared_words

RECORDED = """\
turn 1
  user: Say hello.
  request 1: offers hello
    system: Be brief.
    user: Say hello.
  model calls hello {"name": "Ada"} (id-1)
  ran hello {"name": "Ada"}
    gave: x
  request 2: offers as before
    history as before
    assistant calls hello {"name": "Ada"} (id-1)
    result for id-1: x
  model: Done.
  reply: Done.
"""
TWO_TURNS = f"""\
{RECORDED}turn 2
  user: And now?
  request 1: offers as before
    history as before
    user: And now?
  model: Well.
  reply: Well.
"""


def words(got: str, recorded: str = RECORDED) -> list[str]:
    return [change.words for change in changes_between(recorded, got)]


def kinds(got: str, recorded: str = RECORDED) -> str:
    return shared_words(changes_between(recorded, got))


def test_equal_texts_have_no_change() -> None:
    assert changes_between(RECORDED, RECORDED) == ()


def test_result_is_named_by_its_tool_and_its_request() -> None:
    got = RECORDED.replace("id-1: x", "id-1: Result: x")

    assert words(got) == ['request 2: result of `hello` was "x", is "Result: x"']
    assert kinds(got) == 'result: "Result:" added at its start'


def test_turn_is_named_where_there_are_several() -> None:
    assert words(TWO_TURNS.replace("reply: Well.", "reply: Hm."), TWO_TURNS) == ['turn 2: reply was "Well.", is "Hm."']
    assert words(TWO_TURNS.replace("model: Well.", "model: Hm."), TWO_TURNS) == [
        'turn 2, request 1: model was "Well.", is "Hm."'
    ]


def test_request_that_is_new_is_one_change() -> None:
    again = "  request 3: offers as before\n    history as before\n    user: Sure?\n  model: Yes.\n"
    got = RECORDED.replace("  reply", f"{again}  reply")

    assert words(got) == ["request 3 is new", 'request 3: model "Yes." is new']
    assert words(RECORDED, got) == ["request 3 is gone", 'request 3: model "Yes." is gone']
    assert kinds(got) == 'a request is new; model: "Yes." is new'


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("system: Be brief.", "system: Be long.", 'request 1: system was "Be brief.", is "Be long."'),
        ("    system: Be brief.\n", "", 'request 1: system "Be brief." is gone'),
        ("1: offers hello", "1: offers hello, bye", 'request 1: tools offered was "hello", is "hello, bye"'),
        ('ran hello {"name": "Ada"}', "ran hello {}", 'what it ran was "hello {"name": "Ada"}", is "hello {}"'),
        ("    history as before\n", "    history as before, except\n      message 1 is gone\n", "request 2: history"),
        ("reply: Done.", "reply: Done.\n    | Bye.", 'reply was "Done.", is "Done.\\nBye."'),
        ("  reply: Done.", "  crash: KeyError: 'x'", 'reply "Done." is gone'),
    ],
)
def test_every_kind_of_line_has_words(old: str, new: str, said: str) -> None:
    assert words(RECORDED.replace(old, new))[0].startswith(said)


@pytest.mark.parametrize(
    ("new", "said"),
    [
        ("Result: {}", '"Result:" added at its start'),
        ("{} (ok)", '"(ok)" added at its end'),
        ('{{"result": "{}"}}', '"{"result": "" and ""}" added around it'),
    ],
)
def test_one_change_has_the_same_words_whatever_the_text_is(new: str, said: str) -> None:
    texts = ("x", "hello", "a long text, of several words", "Ä")
    recorded = [RECORDED.replace("id-1: x", f"id-1: {text}") for text in texts]
    got = [RECORDED.replace("id-1: x", f"id-1: {new.format(text)}") for text in texts]

    assert {kinds(b, a) for a, b in zip(recorded, got, strict=True)} == {f"result: {said}"}
    assert {kinds(a, b) for a, b in zip(recorded, got, strict=True)} == {f"result: {said}".replace("added", "removed")}


def test_results_and_errors_that_change_alike_are_one_group() -> None:
    failed = RECORDED.replace("result for id-1", "error for id-1")

    assert kinds(failed.replace("id-1: x", "id-1: Result: x"), failed) == 'result: "Result:" added at its start'
    assert "error of `hello`" in words(failed.replace("id-1: x", "id-1: Result: x"), failed)[0]


@pytest.mark.parametrize("empty", ["", " ", "\n"])
def test_empty_text_that_gets_the_same_words_is_in_the_same_group(empty: str) -> None:
    recorded = RECORDED.replace("id-1: x", f"id-1: {empty}".rstrip())

    assert kinds(RECORDED.replace("id-1: x", "id-1: Result:"), recorded) == 'result: "Result:" added at its start'


LINES = st.sampled_from(
    [*RECORDED.splitlines(), "", "  ", "    | more", "result for", "a: b", "turn", " request 1: offers"]
)
TEXTS = st.lists(st.one_of(LINES, st.text(max_size=20))).map("\n".join)


@given(TEXTS, TEXTS)
def test_any_two_texts_have_words(one: str, other: str) -> None:
    changes = changes_between(one, other)

    assert all(change.words and change.kind for change in changes)
    assert bool(shared_words(changes)) == bool(changes)
    re.compile(scrub_example(changes))
    assert changes_between(one, one) == ()


def test_different_changes_have_different_words() -> None:
    one = kinds(RECORDED.replace("id-1: x", "id-1: the answer is 1"), RECORDED.replace("id-1: x", "id-1: the sum is 1"))
    other = kinds(RECORDED.replace("id-1: x", "id-1: the end is 1"), RECORDED.replace("id-1: x", "id-1: the sum is 1"))

    assert one == 'result: "sum" became "answer"'
    assert other == 'result: "sum" became "end"'


def test_long_texts_are_quoted_around_the_place_where_they_differ() -> None:
    recorded = RECORDED.replace("id-1: x", f"id-1: {'a ' * 100}b{' c' * 100}")

    [said] = words(recorded.replace("a b c", "a d c"), recorded)

    assert "a b c" in said
    assert "a d c" in said
    assert len(said) < 200


def test_many_kinds_are_counted() -> None:
    got = (
        RECORDED.replace("Done", "Do").replace("id-1: x", "id-1: y").replace("Be brief", "Be long").replace("Ada", "Al")
    )

    assert kinds(got).endswith(" more")


@pytest.mark.parametrize(
    ("old", "new", "pattern"),
    [
        ("took 120 ms", "took 97 ms", r"took \d+ ms"),
        ("pid=4711, up", "pid=12, up", r"pid=\d+,"),
        ("see file-12.txt", "see file-13.txt", r"file\-\d+\.txt"),
        ("see a3f9 there", "see b21c there", r"see \w+ there"),
        ("a line\n      | ref=4a; up", "a line\n      | ref=7b; up", r"ref=\w+;"),
        ("done", "gone", ""),
        ("12", "13", ""),
        ("took 1 ms", "took 1 ms longer", ""),
    ],
)
def test_texts_that_differ_in_numbers_alone_have_a_pattern_for_scrub(old: str, new: str, pattern: str) -> None:
    recorded, got = (RECORDED.replace("id-1: x", f"id-1: {text}") for text in (old, new))

    assert scrub_example(changes_between(recorded, got)) == pattern
