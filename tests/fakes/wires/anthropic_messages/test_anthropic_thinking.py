"""Thinking: the signatures of this fake tell what became of a block; those of others are not judged."""

import json
from typing import Any

import pytest
from anthropic_requests import OLD, TOOL, assistant, encoded, judged, result, rule_of, sentence, text, use, user

from fakes import Reply
from fakes.wires.anthropic_messages.thinking_signatures import sign, verify

BETWEEN = "claude-sonnet-4-6"
ENABLED = {"type": "enabled", "budget_tokens": 1024}
REAL = "EqQBCgIYAhIM1gbcDa9GJwZA2b3hGgxBdjrkzLoky3dl1pkiMOYds"


def thought(thinking: str = "Hm.", signature: str | None = None) -> dict[str, Any]:
    return {"type": "thinking", "thinking": thinking, "signature": sign(thinking) if signature is None else signature}


def replayed(block: dict[str, Any], *later: Any) -> str | None:
    return sentence(user(), assistant([block, text("b")]), *(later or (user(),)))


def test_signature_that_was_told_is_taken_back() -> None:
    told = json.loads(encoded(Reply(thinking="Hm, é.", text="Yes.")).body)["content"]

    assert told[0]["type"] == "thinking"
    assert judged(user(), assistant(told), user()) is None


@pytest.mark.parametrize("thinking", ["", "Hm.", "é\n" * 1000, "\ud800"])
def test_signature_knows_its_thinking(thinking: str) -> None:
    assert verify(sign(thinking), thinking) == "genuine"
    assert verify(sign(thinking), thinking + "!") == "other-thinking"
    assert verify(sign(thinking)[:-3], thinking) == "broken"
    assert verify(sign(thinking) + "AAAA", thinking) == "broken"
    assert verify(REAL, thinking) == "foreign"


def test_changed_thinking_is_refused_by_its_place() -> None:
    changed = thought("Oh.", sign("Hm."))

    said = replayed(changed)

    assert said is not None
    assert said.startswith("messages.1.content.0: `thinking` or `redacted_thinking` blocks in the latest assistant")
    assert (
        replayed(changed, user(), assistant(), user())
        == "messages.1.content.0: Invalid `signature` in `thinking` block"
    )


def test_damaged_or_missing_signature_is_refused() -> None:
    said = "messages.1.content.0: Invalid `signature` in `thinking` block"

    assert replayed(thought(signature=sign("Hm.")[:-8])) == said
    assert replayed(thought(signature="")) == said
    absent = {"type": "thinking", "thinking": "Hm."}
    assert replayed(absent) == "messages.1.content.0.thinking.signature: Field required"


def test_signatures_of_others_are_not_judged() -> None:
    assert replayed(thought("Oh.", REAL)) is None
    assert replayed(thought("", REAL)) is None
    assert replayed({"type": "redacted_thinking", "data": REAL}) is None


def test_thinking_does_not_end_a_message() -> None:
    said = sentence(user(), assistant([thought()]), user())

    assert said == "messages.1: The final block in an assistant message cannot be `thinking`."


@pytest.mark.parametrize(("model", "refused"), [("claude-3-7-sonnet-20250219", True), (OLD, True), (BETWEEN, False)])
def test_thinking_comes_back_before_the_calls_being_answered(model: str, refused: bool) -> None:
    context: dict[str, Any] = {"model": model, "max_tokens": 2048, "thinking": ENABLED, "tools": [TOOL]}

    bare = rule_of(user(), assistant([use()]), user([result()]), **context)

    assert bare == ("anthropic/thinking-missing" if refused else None)
    assert rule_of(user(), assistant([thought(), use()]), user([result()]), **context) is None


def test_thinking_of_a_turn_stands_at_its_beginning_only() -> None:
    context: dict[str, Any] = {"model": OLD, "max_tokens": 2048, "thinking": ENABLED, "tools": [TOOL]}
    first = [assistant([thought(), use("t1")]), user([result("t1")])]
    second = [assistant([use("t2")]), user([result("t2")])]

    assert rule_of(user(), *first, *second, **context) is None
    assert rule_of(user(), *second, assistant("b"), user(), **context) is None
    assert rule_of(user(), *second, **context) == "anthropic/thinking-missing"


@pytest.mark.parametrize(
    ("model", "kind", "refused"),
    [(OLD, "enabled", True), ("claude-opus-4-8", "adaptive", True), ("claude-opus-4-6", "adaptive", False)],
)
def test_forced_call_leaves_no_room_for_thinking(model: str, kind: str, refused: bool) -> None:
    thinking = ENABLED if kind == "enabled" else {"type": kind}
    fields: dict[str, Any] = {"model": model, "max_tokens": 2048, "thinking": thinking, "tools": [TOOL]}

    said = sentence(tool_choice={"type": "any"}, **fields)

    assert said == ("Thinking may not be enabled when tool_choice forces tool use." if refused else None)
    assert judged(tool_choice={"type": "auto"}, **fields) is None
