"""Repetitions: many turns, replies, results and tools in a few lines, each copy with its number."""

import pytest

from agent_conformance.scenario.loading import ScenarioFile

HEAD = """\
description: each order is looked up
profile: core
tools:
  - name: lookup
    description: Finds an order.
    parameters: {id: integer}
    results:
      - repeat: [value-<n>, {again: <n>}]
        times: 2
conversation:
"""
TURNS = """\
  - repeat:
      - user: What is order <n>?
        model:
          - calls: [{name: lookup, arguments: {id: <n>}, id: call_<n>}]
          - text: Order <n> is there.
        expect: {executed: [{lookup: {id: <n>}}]}
    times: 3
"""
LAST = """\
  - user: Thank you.
    model: [{text: You are welcome.}]
"""


def test_each_copy_of_a_turn_has_its_number_in_texts_arguments_and_ids(load):
    loaded = load(HEAD + TURNS + LAST)

    assert isinstance(loaded, ScenarioFile)
    turns = loaded.rows[None].conversation
    assert [turn.user for turn in turns] == ["What is order 1?", "What is order 2?", "What is order 3?", "Thank you."]
    assert turns[2].model[0].calls[0].arguments == {"id": 3}
    assert turns[2].model[0].calls[0].id == "call_3"
    assert turns[1].expect.executed.in_order == [{"lookup": {"id": 2}}]
    assert loaded.rows[None].tools[0].results == ["value-1", {"again": 1}, "value-2", {"again": 2}]


def test_repetition_within_another_has_a_counter_of_its_own(load):
    calls = "calls: [{repeat: [{name: lookup, arguments: {id: <n><k>}}], times: 2, counter: k}]"
    loaded = load(HEAD + TURNS.replace("calls: [{name: lookup, arguments: {id: <n>}, id: call_<n>}]", calls))

    ids = [[call.arguments["id"] for call in turn.model[0].calls] for turn in loaded.rows[None].conversation]
    assert ids == [["11", "12"], ["21", "22"], ["31", "32"]]


def test_placeholder_outside_of_a_repetition_is_a_text(load):
    loaded = load(HEAD + TURNS + LAST.replace("Thank you.", "Thank <n>."))

    assert loaded.rows[None].conversation[-1].user == "Thank <n>."


def test_row_is_filled_in_in_each_copy(load):
    loaded = load(HEAD + TURNS.replace("Order <n> is there.", "$answer") + "examples:\n  yes: {answer: Yes.}\n")

    assert [turn.model[1].text for turn in loaded.rows["yes"].conversation] == ["Yes."] * 3


def test_lines_of_the_copies_are_those_of_what_is_repeated(load):
    loaded = load(HEAD + TURNS + LAST)

    assert loaded.line_of(("conversation", 0, "model", 1)) == loaded.line_of(("conversation", 2, "model", 1)) == 15
    assert loaded.line_of(("conversation", 3, "user")) == 18


def test_mistake_in_what_is_repeated_is_one_sentence_at_its_line(load):
    problems = load(HEAD + TURNS.replace("text: Order", "txt: Order"))

    assert [problem.line for problem in problems] == [15]


def test_written_out_file_and_repetition_have_the_same_digest(load):
    short = HEAD + LAST.replace("- user", "- repeat:\n      - user").replace("Thank you.", "Thank you <n>.").replace(
        "    model:", "        model:"
    )
    once = load(short + "    times: 1\n")
    written = load(HEAD + LAST.replace("Thank you.", "Thank you 1."))

    assert once.digest == written.digest


MANY = """\
  - repeat: [{user: turn <n>, model: [{repeat: [{text: at <n> <k>}], times: 1000, counter: k}]}]
    times: 1000
"""


@pytest.mark.parametrize(
    ("conversation", "line", "message"),
    [
        pytest.param(
            TURNS.replace("    times: 3\n", ""),
            11,
            "this repetition has no end: `repeat` without `times`.",
            id="no end",
        ),
        pytest.param(
            TURNS.replace("3", "1000000"), 17, "`times` is the number 1000000; expected a whole", id="a million"
        ),
        pytest.param(TURNS.replace("3", "0"), 17, "`times` is the number 0; expected a whole number", id="never"),
        pytest.param(TURNS.replace("3", "often"), 17, "`times` is the text `often`; expected a whole", id="a word"),
        pytest.param(MANY, 11, "repetitions make 50,001 values by here; at most 50,000", id="a million by two"),
        pytest.param(
            "  - repeat: [{repeat: [{repeat: [{user: at <n><k><m>}], times: 2, counter: m}], times: 2, counter: k}]\n"
            "    times: 2\n",
            11,
            "repetitions stand within each other 3 deep; at most 2 do.",
            id="three deep",
        ),
        pytest.param(
            TURNS.replace("<n>", "x"), 11, "nothing in this repetition has its counter `<n>`, so all 3", id="all alike"
        ),
        pytest.param(TURNS + "    counter: k\n", 11, "nothing in this repetition has its counter `<k>`", id="another"),
        pytest.param(TURNS + "    counter: 7\n", 18, "`counter` is the number 7; expected a word", id="no word"),
        pytest.param(TURNS + "    counter: [k]\n", 18, "`counter` is a list of 1; expected a word", id="a list"),
        pytest.param(
            "  - repeat: [{repeat: [{user: at <n>}], times: 2}]\n    times: 2\n",
            11,
            "`<n>` counts the repetition around this one. Give this one another name: `counter: k`.",
            id="one name twice",
        ),
        pytest.param(
            TURNS.replace("times: 3", "tims: 3"), 17, "`tims` is no field of a repetition. Did you mean", id="typo"
        ),
        pytest.param(
            TURNS + "    expect: {outcome: reply}\n",
            18,
            "`expect` is no field of a repetition. Allowed: `repeat`, `times`, `counter`.",
            id="field beside it",
        ),
        pytest.param(
            "  - repeat: {user: turn <n>, model: [{text: Yes.}]}\n    times: 3\n",
            11,
            "`repeat` is a mapping with `user`, `model`; expected a text in quotes, or in a list a list.",
            id="no list",
        ),
        pytest.param("  - repeat: []\n    times: 2\n" + LAST, 11, "`repeat` is an empty list.", id="nothing"),
        pytest.param(
            TURNS.replace("times: 3", "times: $often") + "examples:\n  twice: {often: 2}\n",
            17,
            "`times` is `$often`, and a row of `examples` cannot say how often a list is repeated.",
            id="beside examples",
        ),
    ],
)
def test_repetition_that_cannot_be_written_out_is_located(load, conversation: str, line: int, message: str):
    problems = load(HEAD + conversation)

    assert (problems[0].line, problems[0].message[: len(message)]) == (line, message)


def test_copies_are_counted_in_all_rows(load):
    rows = "".join(f"  row-{number}: {{answer: A}}\n" for number in range(100))
    text = HEAD + TURNS.replace("Order <n> is there.", "$answer").replace("3", "300") + "examples:\n" + rows

    assert "in 100 rows of `examples`; at most 50,000 values" in load(text)[0].message
