"""What a relation is not about: cases in which right agents may differ under its change."""

import pytest

from agent_conformance.relations.scope import RELATIONS, Relation, compares_texts, is_about
from agent_conformance.scenario.cases import Case, case_of
from tests.trying import ONE_CALL, TWO_CALLS, WEATHER, scenario

TURN = """
conversation:
  - user: What is the weather in Oslo?
    model:
      - calls: [{name: get_weather, arguments: {city: Oslo}}]
      - REPLY
"""
HISTORY = "history:\n  - user: Hi.\n  - assistant: Hello.\n"


def case(text: str, *, wire: str = "openai-chat", mode: str = "stream") -> Case:
    return case_of(scenario(text), None, wire=wire, mode=mode)


def about(text: str, *, mode: str = "stream") -> set[Relation]:
    return {relation for relation in RELATIONS if is_about(relation, case(text, mode=mode))}


def with_reply(reply: str) -> str:
    return WEATHER + TURN.replace("REPLY", reply)


def test_every_relation_is_about_a_plain_conversation_with_tools() -> None:
    second = "  - {name: get_time, description: The time.}\nconversation"
    assert about(TWO_CALLS.replace("conversation", second)) == set(RELATIONS)


def test_one_tool_has_no_order_and_a_plain_case_no_stream() -> None:
    assert about(ONE_CALL) == {*RELATIONS} - {"order"}
    assert about(ONE_CALL, mode="plain") == {"repeat", "wire", "names"}


@pytest.mark.parametrize(
    "reply",
    [
        "{text: It rains in Oslo., fault: {cut_after: 2}}",
        "{text: It rains in Oslo., fault: {ends: before-the-finish}}",
        "{quirks: [growing-index], calls: [{name: get_weather, arguments: {city: Rome}}]}",
    ],
)
def test_what_depends_on_the_pieces_is_not_cut_otherwise(reply: str) -> None:
    text = with_reply(reply)
    text += "      - {text: Rain., spare: true}\n    expect: {outcome: either}\n"

    assert not {"stream", "cuts", "wire"} & about(text)


def test_harmless_quirk_may_be_cut() -> None:
    text = with_reply("{text: Rain., quirks: [empty-choices]}").replace("tools:", "wires: [openai-chat]\ntools:", 1)

    assert "cuts" in about(text)


def test_what_is_up_to_the_provider_is_compared_with_no_other_wire() -> None:
    assert "wire" in about(with_reply("{text: Rain.}"))
    for text in (HISTORY + ONE_CALL, with_reply("{text: Rai, finish: length}"), "wires: [openai-chat]\n" + ONE_CALL):
        assert "wire" not in about(text)


def test_what_depends_on_time_has_no_relation() -> None:
    text = ONE_CALL + "    cancel: {at: request, n: 2}\n    expect: {outcome: cancelled}\n"

    assert about(text) == set()


def test_texts_with_protocol_in_them_are_not_compared_with_plain_ones() -> None:
    text = with_reply("{text: '<tool_call>', means: {handling: hide, show: ''}}")
    file = scenario(text)

    assert not compares_texts("stream", file.rows[None])
    assert compares_texts("cuts", file.rows[None])
    assert compares_texts("stream", scenario(ONE_CALL).rows[None])
