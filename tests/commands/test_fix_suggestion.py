"""The smallest change after which a refused body is accepted."""

import json
from typing import Any

import pytest

import fakes
from conformance.commands.check_request.fix_suggestion import place_of, smallest_change
from conformance.explain.rules import all_rules

CHAT = {"model": "gpt-4.1", "messages": [{"role": "user", "content": "a"}]}
RULES = [(provider, rule) for provider, _, rule in all_rules() if isinstance(rule.breaking, dict) and rule.path]


def test_most_rules_are_satisfied_by_the_suggested_change() -> None:
    suggested = 0
    for provider, rule in RULES:
        text = json.dumps(rule.breaking).encode()
        violation = fakes.judge(provider, rule.path, text, rule.headers or {})
        assert violation is not None, rule.id
        suggested += smallest_change(provider, rule.path, text, violation).startswith(("remove", "set", "put"))

    assert suggested > 0.6 * len(RULES)


def fix_of(body: Any) -> str:
    text = json.dumps(body).encode()
    violation = fakes.judge("openai", "/v1/chat/completions", text, {})
    assert violation is not None
    return smallest_change("openai", "/v1/chat/completions", text, violation)


def test_several_faults_are_fixed_one_after_the_other() -> None:
    unanswered = {"role": "tool", "tool_call_id": "call_1", "content": "7"}

    assert fix_of({**CHAT, "messages": [*CHAT["messages"], unanswered], "tools": []}) == (
        'remove tools; then set messages[1].role to "user"'
    )


def test_two_of_the_same_fault_take_two_changes() -> None:
    assert fix_of({**CHAT, "messages": [{"role": "a", "content": "b"}, {"role": "c", "content": "d"}]}) == (
        'set messages[0].role to "user"; then set messages[1].role to "user"'
    )


def test_rule_is_named_where_no_change_was_found() -> None:
    faults = [{"role": "a", "content": "b"}] * 9

    assert fix_of({**CHAT, "messages": faults}) == "no change was found. A message has an unknown role."


@pytest.mark.parametrize(
    ("at", "place"),
    [
        ("messages.[1].role", ("messages",)),
        ("messages[0].content", ("messages", 0, "content")),
        ("messages.0.content", ("messages", 0, "content")),
        ("nowhere", ()),
    ],
)
def test_places_are_found_however_the_provider_spells_them(at: str, place: tuple[object, ...]) -> None:
    assert place_of(CHAT, at) == place


def test_no_change_removes_a_role_or_empties_an_entry() -> None:
    body = b'{"contents":[{"role":"user","parts":[{"functionResponse":{"name":"f","response":{}}}]}]}'
    path = "/v1beta/models/gemini-2.5-flash:generateContent"
    violation = fakes.judge("gemini", path, body, {})

    assert violation is not None
    assert "{}" not in smallest_change("gemini", path, body, violation)

    pruned = b'{"model":"deepseek-chat","messages":[{"role":"tool","tool_call_id":"x","content":"y"}]}'
    violation = fakes.judge("deepseek", "/chat/completions", pruned, {})
    assert violation is not None
    assert smallest_change("deepseek", "/chat/completions", pruned, violation) == 'set messages[0].role to "user"'
