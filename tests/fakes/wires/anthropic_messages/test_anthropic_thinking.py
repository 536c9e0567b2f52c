"""Thinking: this fake's signatures show whether a block was changed; of Anthropic's own, the form is checked."""

import json
from typing import Any

import pytest
from anthropic_requests import (
    OLD,
    TOOL,
    assistant,
    broken_rule,
    encode_reply,
    error_message,
    text_block,
    tool_result,
    tool_use,
    user,
    violation_of,
)

from fake_providers import Reply
from fake_providers.wires.anthropic_messages.thinking_signatures import sign, verify

BETWEEN = "claude-sonnet-4-6"
ENABLED = {"type": "enabled", "budget_tokens": 1024}
SIGNED = "EjYKAhgCEgwAAAAAAAAAAAAAAAAaDAAAAAAAAAAAAAAAACIUQUFBQUFBQUFBQUFBQUFBQUFBQUE="
"""In the form of Anthropic's: a message with a message of its key, and bytes."""
NEWER = "EkgKRggPGAIqQEFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUEYAQ=="
"""As recorded in 2026: the number of a version comes first, and a flag follows the message."""


def thinking_block(thinking: str = "Hm.", signature: str | None = None) -> dict[str, Any]:
    return {"type": "thinking", "thinking": thinking, "signature": sign(thinking) if signature is None else signature}


def message_for(block: dict[str, Any], *later: Any) -> str | None:
    return error_message(user(), assistant([block, text_block("b")]), *(later or (user(),)))


def test_returned_signature_is_accepted() -> None:
    content = json.loads(encode_reply(Reply(thinking="Hm, é.", text="Yes.")).body)["content"]

    assert content[0]["type"] == "thinking"
    assert violation_of(user(), assistant(content), user()) is None


@pytest.mark.parametrize("thinking", ["", "Hm.", "é\n" * 1000, "\ud800"])
def test_signature_belongs_to_its_thinking(thinking: str) -> None:
    assert verify(sign(thinking), thinking) == "genuine"
    assert verify(sign(thinking), thinking + "!") == "other-thinking"
    assert verify(sign(thinking)[:-3], thinking) == "damaged"
    assert verify(sign(thinking) + "AAAA", thinking) == "damaged"
    assert verify(SIGNED, thinking) == verify(NEWER, thinking) == "real"


def test_changed_thinking_in_the_latest_message_is_reported_as_modified() -> None:
    changed = thinking_block("Oh.", sign("Hm."))

    message = message_for(changed)

    assert message is not None
    assert message.startswith("messages.1.content.0: `thinking` or `redacted_thinking` blocks in the latest assistant")
    assert (
        message_for(changed, user(), assistant(), user())
        == "messages.1.content.0: Invalid `signature` in `thinking` block"
    )


def test_damaged_or_missing_signature_is_refused() -> None:
    message = "messages.1.content.0: Invalid `signature` in `thinking` block"

    assert message_for(thinking_block(signature=sign("Hm.")[:-8])) == message
    assert message_for(thinking_block(signature="")) == message
    absent = {"type": "thinking", "thinking": "Hm."}
    assert message_for(absent) == "messages.1.content.0.thinking.signature: Field required"


@pytest.mark.parametrize("signature", [SIGNED, NEWER, "signature_REDACTED_1", "<trimmed 4508 chars>"])
def test_what_anthropic_may_have_signed_is_not_checked(signature: str) -> None:
    assert message_for(thinking_block("Oh.", signature)) is None
    assert message_for(thinking_block("", signature)) is None
    assert message_for({"type": "redacted_thinking", "data": signature}) is None


@pytest.mark.parametrize(
    "signature",
    [
        SIGNED[:40],
        NEWER[:-8],
        NEWER[4:],
        "gAAAAABpVw-jLavzRn6xIUyipQWAvJhEb98-1qSRPw3kGVYTON",
        "ErgCCrUCARFNMg+wfIHepZb8dS7PYlKAB0F1KOpF",
        "Eg4KDAERTTIAAAAAAAAAAA==",
        "c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I=",
        "reasoning_content",
        "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "signature",
        "E",
        "EoCAgICAgICA",
    ],
)
def test_a_signature_that_anthropic_did_not_issue_is_refused(signature: str) -> None:
    message = "messages.1.content.0: Invalid `signature` in `thinking` block"

    assert message_for(thinking_block("Oh.", signature)) == message
    assert message_for(thinking_block("Oh.", signature), user(), assistant(), user()) == message


def test_thinking_may_not_end_a_message() -> None:
    message = error_message(user(), assistant([thinking_block()]), user())

    assert message == "messages.1: The final block in an assistant message cannot be `thinking`."


@pytest.mark.parametrize(("model", "refused"), [("claude-3-7-sonnet-20250219", True), (OLD, True), (BETWEEN, False)])
def test_thinking_must_come_before_the_calls_being_answered(model: str, refused: bool) -> None:
    context: dict[str, Any] = {"model": model, "max_tokens": 2048, "thinking": ENABLED, "tools": [TOOL]}

    bare = broken_rule(user(), assistant([tool_use()]), user([tool_result()]), **context)

    assert bare == ("anthropic/thinking-missing" if refused else None)
    assert broken_rule(assistant([tool_use()]), user([tool_result()]), **context) == bare
    assert broken_rule(user(), assistant([thinking_block(), tool_use()]), user([tool_result()]), **context) is None


def test_thinking_is_needed_only_at_the_start_of_a_turn() -> None:
    context: dict[str, Any] = {"model": OLD, "max_tokens": 2048, "thinking": ENABLED, "tools": [TOOL]}
    first = [assistant([thinking_block(), tool_use("t1")]), user([tool_result("t1")])]
    second = [assistant([tool_use("t2")]), user([tool_result("t2")])]

    assert broken_rule(user(), *first, *second, **context) is None
    assert broken_rule(user(), *second, assistant("b"), user(), **context) is None
    assert broken_rule(user(), *second, **context) == "anthropic/thinking-missing"


@pytest.mark.parametrize(
    ("model", "kind", "refused"),
    [
        (OLD, "enabled", True),
        ("claude-sonnet-4-6", "enabled", True),
        ("claude-sonnet-4-6", "adaptive", True),
        ("claude-opus-4-8", "adaptive", True),
        ("claude-opus-4-6", "adaptive", False),
        ("claude-opus-5", "adaptive", False),
        ("claude-sonnet-5", "adaptive", False),
        ("claude-haiku-5-5", "adaptive", False),
        ("claude-opus-6", "adaptive", False),
    ],
)
def test_forced_call_excludes_thinking(model: str, kind: str, refused: bool) -> None:
    thinking = ENABLED if kind == "enabled" else {"type": kind}
    fields: dict[str, Any] = {"model": model, "max_tokens": 2048, "thinking": thinking, "tools": [TOOL]}

    message = error_message(tool_choice={"type": "any"}, **fields)

    assert message == ("Thinking may not be enabled when tool_choice forces tool use." if refused else None)
    assert violation_of(tool_choice={"type": "auto"}, **fields) is None


def test_forced_call_with_adaptive_thinking_is_only_advised_against() -> None:
    fields: dict[str, Any] = {"tools": [TOOL], "tool_choice": {"type": "any"}, "max_tokens": 2048}

    adaptive = violation_of(model="claude-sonnet-4-6", thinking={"type": "adaptive"}, **fields)
    manual = violation_of(model="claude-sonnet-4-6", thinking=ENABLED, **fields)

    assert adaptive is not None
    assert (adaptive.rule, adaptive.confidence) == ("anthropic/adaptive-forced-tool", "inferred")
    assert manual is not None
    assert (manual.rule, manual.confidence) == ("anthropic/thinking-forced-tool", "recorded")
