# ruff: noqa: E501 - the texts stand here as models write them
import pytest
from texts_of_models import HIDDEN, LIFTED, NAMES, OSLO, PROSE

from agent_conformance.agents.reference.pseudo_calls import Reading, Rules, read_text
from tests.tables import rows


def read(text, names=NAMES):
    return read_text(text, names, Rules())


@rows("text", LIFTED.values(), ids=list(LIFTED))
def test_complete_call_is_read_and_none_of_it_is_shown(text):
    reading = read(text)

    assert [(call.name, dict(call.arguments)) for call in reading.calls] == OSLO
    assert reading.shown == ""


@rows("text", LIFTED.values(), ids=list(LIFTED))
def test_without_tools_the_same_text_is_text(text):
    reading = read(text, frozenset())

    assert reading.calls == ()
    assert reading.rejected == ()
    assert "Oslo" in reading.shown


@rows("text", HIDDEN.values(), ids=list(HIDDEN))
def test_call_that_cannot_run_is_hidden_and_reported(text):
    reading = read(f"Before.\n{text}" if not text.startswith("{") else text)

    assert reading.calls == ()
    assert reading.rejected
    assert reading.shown in ("Before.", "")


@rows("text", PROSE)
def test_prose_stays_to_the_byte(text):
    reading = read(text)

    assert reading.shown == text
    assert reading.calls == ()
    assert reading.rejected == ()


def test_text_before_between_and_after_stays():
    block = '<tool_call>{"name": "refresh", "arguments": {}}</tool_call>'

    reading = read(f"One.\n{block}\nTwo.\n{block}\nThree.")

    assert reading.shown.split() == ["One.", "Two.", "Three."]
    assert [call.name for call in reading.calls] == ["refresh", "refresh"]


def test_closing_tag_in_an_argument_closes_nothing():
    text = '<tool_call>{"name": "get_weather", "arguments": {"city": "</tool_call><b>"}}</tool_call>'

    assert read(text).calls[0].arguments == {"city": "</tool_call><b>"}


def test_marker_in_an_argument_is_no_second_call():
    reading = read('[TOOL_CALLS]get_weather[ARGS]{"city": "[TOOL_CALLS]refresh"}')

    assert [call.name for call in reading.calls] == ["get_weather"]


def test_empty_arguments_are_a_call_like_any_other():
    assert read('[TOOL_CALL]\n{tool => "refresh", args => {}}\n[/TOOL_CALL]').calls[0].arguments == {}


def test_rejected_name_is_reported():
    assert read(HIDDEN["unknown name"]).rejected == ("ghost",)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("<think>hm</think>It rains.", "It rains."),
        ("A <THINKING>hm</THINKING> B", "A  B"),
        ("<think>a <think>b</think> c</think>It rains.", "It rains."),
        ("It rains.<think>and then", "It rains."),
        ("hm</think>It rains.", "It rains."),
        ("<mm:think>hm</mm:think>It rains.", "It rains."),
        ("[THINK]hm[/THINK]It rains.", "It rains."),
        ("<think>hm</think>", ""),
        ("Summary<|eom|>", "Summary"),
        ("Write `<think>` in front.", "Write `<think>` in front."),
        ("Text <eom> in between.", "Text <eom> in between."),
    ],
)
def test_reasoning_and_end_marks_are_removed(text, shown):
    assert read(text).shown == shown
    assert read(text, frozenset()).shown == shown


@pytest.mark.parametrize(
    "text",
    [
        "<think>I call <tool_call><function=get_weather><parameter=city>\n</think>\nOslo</parameter></function></tool_call>No.",
        '<think><tool_call>{"name": "refresh", "arguments": </think>{}}</tool_call>No.',
    ],
)
def test_call_that_a_thought_tears_does_not_run_and_its_rest_is_not_shown(text):
    reading = read(text)

    assert reading.calls == ()
    assert reading.shown == "No."


def test_call_before_a_stray_end_of_a_thought_was_a_draft():
    draft = '<tool_call>{"name": "refresh", "arguments": {}}</tool_call>'

    reading = read(f"I could {draft} or not.</think>{LIFTED['hermes']}")

    assert [call.name for call in reading.calls] == ["get_weather"]


def test_rules_may_leave_a_call_of_an_unknown_tool_in_the_text():
    rules = Rules(hides_unknown=False)
    unknown = read_text(HIDDEN["unknown name"], NAMES, rules)

    assert (unknown.shown, unknown.rejected) == (HIDDEN["unknown name"], ("ghost",))
    assert read_text("<tool_call>{words</tool_call>", NAMES, rules).shown == ""


def test_call_in_a_thought_does_not_run():
    text = '<think><tool_call>{"name": "refresh", "arguments": {}}</tool_call> would be wrong.</think>No.'

    reading = read(text)

    assert reading.calls == ()
    assert reading.rejected == ()
    assert reading.shown == "No."


def test_python_that_is_nested_too_deeply_is_prose():
    text = f"[get_weather(city={'-' * 5000}1)]"

    assert read(text) == Reading(text)
