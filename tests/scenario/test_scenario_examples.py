"""The table of examples: named rows, `$key`, `$$x` and `{repeat, times}`."""

import pytest

from agent_conformance.scenario.loading import ScenarioFile

HEAD = "description: a fact\nprofile: core\n"
TOOL = "tools: [{name: look, description: Looks., parameters: {at: string}, returns: $found}]\n"


def conversation(text: str, expect: str = "{}") -> str:
    return f"conversation:\n  - user: Look.\n    model:\n      - text: {text}\n    expect: {expect}\n"


def messages(problems) -> list[tuple[int, str]]:
    return [(problem.line, problem.message) for problem in problems]


def test_each_row_is_a_scenario_of_its_own(load):
    text = HEAD + conversation("$answer") + "examples:\n  short: {answer: Yes.}\n  long: {answer: Yes indeed.}\n"
    loaded = load(text)

    assert isinstance(loaded, ScenarioFile)
    assert {row: scenario.conversation[0].model[0].text for row, scenario in loaded.rows.items()} == {
        "short": "Yes.",
        "long": "Yes indeed.",
    }


def test_file_without_examples_has_one_row_under_none(load):
    assert list(load(HEAD + conversation("Yes.")).rows) == [None]


@pytest.mark.parametrize(
    ("written", "value"), [("7", 7), ("null", None), ("[1, x]", [1, "x"]), ("{a: $$b}", {"a": "$b"})]
)
def test_a_row_may_hold_any_type(load, written: str, value: object):
    loaded = load(HEAD + TOOL + conversation("Yes.") + f"examples:\n  one: {{found: {written}}}\n")

    assert loaded.rows["one"].tools[0].returns == value


@pytest.mark.parametrize("written", ["costs $found", "$5", "$", "a$found", "$found!"])
def test_only_a_whole_scalar_is_replaced(load, written: str):
    loaded = load(HEAD + conversation(written))

    assert loaded.rows[None].conversation[0].model[0].text == written


def test_two_dollars_write_one(load):
    assert load(HEAD + conversation("$$found")).rows[None].conversation[0].model[0].text == "$found"


def test_repetition_is_written_out_after_the_row(load):
    loaded = load(HEAD + conversation("{repeat: $word, times: $n}") + "examples:\n  one: {word: ab, n: 3}\n")

    assert loaded.rows["one"].conversation[0].model[0].text == "ababab"


def test_repetition_inside_a_row_is_written_out(load):
    loaded = load(HEAD + conversation("$word") + "examples:\n  one: {word: {repeat: x, times: 2000}}\n")

    assert loaded.rows["one"].conversation[0].model[0].text == "x" * 2000


def test_mapping_with_more_than_a_repetition_stays(load):
    text = HEAD + TOOL.replace("$found", "{repeat: x, times: 2, why: y}") + conversation("Yes.")

    assert load(text).rows[None].tools[0].returns == {"repeat": "x", "times": 2, "why": "y"}


def test_too_much_text_is_refused(load):
    text = HEAD + conversation("{repeat: xx, times: 999999}", "{reply: {repeat: x, times: 2000}}")

    assert messages(load(text)) == [
        (7, "repetitions make 2,001,998 characters by here; at most 2,000,000 are written out.")
    ]


def test_key_in_no_row_is_an_error_where_it_is_used(load):
    text = HEAD + conversation("$answr") + "examples:\n  one: {answer: Yes.}\n"

    assert messages(load(text)) == [
        (6, "`$answr` is in no row of `examples`. Did you mean `$answer`?"),
        (9, "`answer` of the row `one` is used nowhere: no value is `$answer`. Did you mean `answr`?"),
    ]


def test_row_without_a_used_key_is_an_error_at_the_row(load):
    text = HEAD + conversation("$answer") + "examples:\n  one: {answer: Yes.}\n  two: {}\n"

    assert messages(load(text)) == [(10, "the row `two` has no `answer`, which line 6 uses.")]


def test_row_with_a_key_never_used_is_an_error_at_the_key(load):
    text = HEAD + conversation("$answer") + "examples:\n  one:\n    answer: Yes.\n    found: 7\n"

    assert messages(load(text)) == [(11, "`found` of the row `one` is used nowhere: no value is `$found`.")]


def test_row_cannot_refer_to_a_row(load):
    text = HEAD + conversation("$answer") + "examples:\n  one:\n    answer: $other\n"

    assert messages(load(text)) == [
        (10, "`$other` stands in a row, which cannot refer to a row. Write `$$other` for that text.")
    ]


def test_mistake_of_one_row_names_the_row(load):
    text = HEAD + conversation("$answer") + "examples:\n  one: {answer: Yes.}\n  two: {answer: 7}\n"

    assert messages(load(text)) == [
        (6, "`text` is the number 7; expected a text. Quote it to make it a text. (In the row `two`.)")
    ]


@pytest.mark.parametrize(
    ("table", "line", "message"),
    [
        ("examples: []", 8, "`examples` is an empty list; expected named rows, such as `short: {city: Oslo}`."),
        ("examples:\n  one: 7", 9, "the row `one` is the number 7; expected a mapping, such as `{city: Oslo}`."),
        (
            "examples:\n  One Row: {}",
            9,
            "the row is named `One Row`. A name has lower-case words or digits, with dashes: `two-words`.",
        ),
    ],
)
def test_table_of_another_shape_is_refused(load, table: str, line: int, message: str):
    assert messages(load(HEAD + conversation("Yes.") + table + "\n")) == [(line, message)]
