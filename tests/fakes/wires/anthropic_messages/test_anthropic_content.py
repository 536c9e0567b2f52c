"""Contents and ends of messages, model by model."""

from typing import Any

import pytest
from anthropic_requests import (
    NEW,
    OLD,
    TOOL,
    assistant,
    broken_rule,
    error_message,
    text_block,
    tool_result,
    tool_use,
    user,
    violation_of,
)

MARKED = {"cache_control": {"type": "ephemeral"}}


@pytest.mark.parametrize(
    ("model", "refused"),
    [
        ("claude-3-haiku-20240307", False),
        ("claude-sonnet-4-20250514", False),
        ("claude-opus-4-1", False),
        ("claude-sonnet-4-5-20250929", False),
        ("claude-haiku-4-5", False),
        ("claude-opus-4-6", True),
        ("claude-sonnet-4-6", True),
        ("claude-opus-4-8", True),
        ("claude-sonnet-5", True),
        ("claude-of-next-year", True),
    ],
)
def test_prefill_depends_on_the_model(model: str, refused: bool) -> None:
    assert broken_rule(user(), assistant("b"), model=model) == ("anthropic/prefill" if refused else None)
    assert broken_rule(user(), assistant(""), model=model) is None


def test_system_messages_depend_on_the_model() -> None:
    with_system = [user(), {"role": "system", "content": "s"}]

    assert error_message(*with_system, model=OLD) == "role 'system' is not supported on this model"
    assert violation_of(*with_system, model="claude-opus-4-8") is None


def test_empty_content_is_refused_with_the_sentence_of_the_models_time() -> None:
    old_message = "all messages must have non-empty content except for the optional final assistant message"

    assert error_message(user(""), model=OLD) == f"messages.0: {old_message}"
    assert error_message(user(""), model=NEW) == "messages.0: user messages must have non-empty content"
    assert error_message(user(), assistant([]), user(), model=OLD) == f"messages.1: {old_message}"
    assert violation_of(user(), assistant([]), user(), model=NEW) is None


def test_content_of_a_wrong_type_is_refused_with_the_sentence_of_the_models_time() -> None:
    assert (
        error_message(user(7), model="claude-3-5-haiku-20241022") == "messages.0.content: Input should be a valid list"
    )
    assert error_message(user(7), model=NEW) == "messages.0.content: Input should be a valid array"


def test_a_message_of_blank_text_alone_is_refused() -> None:
    blank = "messages: text content blocks must contain non-whitespace text"

    assert error_message(user(" ")) == blank
    assert error_message(user([text_block(" "), text_block("\n")])) == blank
    assert error_message(user(), assistant("\n\n"), user()) == blank
    assert error_message(user(), assistant([text_block("\n\n")]), assistant(" "), user()) == blank


def test_blank_text_beside_anything_else_is_accepted() -> None:
    thought = {"type": "redacted_thinking", "data": "abc"}

    assert violation_of(user([text_block(" "), text_block("a")])) is None
    assert violation_of(user(), assistant([text_block("\n\n"), tool_use()]), user([tool_result()])) is None
    assert violation_of(user(), assistant([tool_use()]), user([tool_result(), text_block(" ")])) is None
    assert violation_of(user(), assistant([thought, text_block(" ")]), user()) is None
    assert (
        violation_of(user(), assistant([text_block("\n\n"), text_block("b"), tool_use()]), user([tool_result()]))
        is None
    )


def test_empty_text_is_refused_in_any_message() -> None:
    assert error_message(user([text_block(""), text_block("a")])) == "messages: text content blocks must be non-empty"
    assert broken_rule(user(), assistant([text_block(""), tool_use()]), user([tool_result()])) == "anthropic/text-empty"
    marked = error_message(user([text_block("") | MARKED, text_block("a")]))
    assert marked == "messages.0.content.0.text: cache_control cannot be set for empty text blocks"


def test_system_may_be_an_empty_string() -> None:
    for whole in ("", []):
        assert violation_of(system=whole) is None
    assert error_message(system=[text_block("")]) == "system: text content blocks must be non-empty"


def test_cache_control_is_counted_everywhere_except_in_client_values() -> None:
    four = {"system": [text_block("s") | MARKED], "tools": [TOOL | MARKED]}
    own = tool_use(input={"cache_control": {"type": "ephemeral"}})
    history = [user([text_block("a") | MARKED]), assistant([own]), user([tool_result() | MARKED])]

    assert violation_of(*history, **four) is None
    more = violation_of(*history[:2], user([tool_result(content=[text_block("x") | MARKED]) | MARKED]), **four)
    assert more is not None
    assert more.message == "A maximum of 4 blocks with cache_control may be provided. Found 5."


def test_trailing_white_space_is_refused_if_the_model_supports_prefill() -> None:
    message = "messages: final assistant content cannot end with trailing whitespace"

    assert error_message(user(), assistant("b\n"), model=OLD) == message
    assert error_message(user(), assistant([text_block("b ")]), model=OLD) == message
    assert violation_of(user(), assistant("b "), user(), model=OLD) is None


@pytest.mark.parametrize("choice", [{"type": "auto"}, {"type": "any"}, {"type": "tool", "name": "f"}])
def test_tool_choice_needs_tools(choice: dict[str, str]) -> None:
    message = f"tool_choice.{choice['type']} may only be specified while providing tools"

    assert error_message(tool_choice=choice) == error_message(tool_choice=choice, tools=[]) == message
    assert violation_of(tool_choice=choice, tools=[TOOL]) is None


def test_tool_choice_none_needs_no_tools() -> None:
    assert violation_of(tool_choice={"type": "none"}) is None


def test_refusal_lists_the_block_types_of_the_models_time() -> None:
    unknown = user([{"type": "input_text", "text": "a"}])
    message = (
        "messages.0.content.0: Input tag 'input_text' found using 'type' does not match any of the expected tags: "
    )

    assert str(error_message(unknown)).startswith(
        f"{message}'bash_code_execution_tool_result', 'code_execution_tool_result', "
    )
    assert str(error_message(unknown, model=OLD)).startswith(f"{message}'document', 'image', 'redacted_thinking', ")


@pytest.mark.parametrize(
    "block",
    [{"type": "connector_text"}, {"type": "mid_conv_system"}, {"type": "container_upload", "file_id": "file_1"}],
    ids=lambda block: block["type"],
)
def test_listed_block_types_are_accepted(block: dict[str, Any]) -> None:
    assert violation_of(user([block, text_block("a")])) is None


def test_one_hour_cache_must_come_before_five_minutes() -> None:
    long = {"cache_control": {"type": "ephemeral", "ttl": "1h"}}
    message = "cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block."

    assert violation_of(user([text_block("a") | MARKED]), tools=[TOOL | long], system=[text_block("s") | long]) is None
    assert str(error_message(tools=[TOOL | MARKED], system=[text_block("s") | long])).startswith(f"system.0.{message}")
    said = {"cache_control": {"type": "ephemeral", "ttl": "5m"}}
    assert str(error_message(tools=[TOOL | said], system=[text_block("s") | long])).startswith(f"system.0.{message}")
    late = error_message(
        user(), assistant(), user([text_block("a"), text_block("b") | long]), system=[text_block("s") | MARKED]
    )
    assert str(late).startswith(f"messages.2.content.1.{message}")
    assert violation_of(system=[text_block("s") | {"cache_control": None}, text_block("t") | long]) is None


def test_failed_result_must_be_text() -> None:
    image = {"type": "image", "source": {"type": "url", "url": "https://example.com/a.png"}}

    def rule_for(content: Any, *, is_error: bool) -> str | None:
        return broken_rule(
            user(), assistant([tool_use()]), user([tool_result(content=content, is_error=is_error)]), tools=[TOOL]
        )

    assert rule_for([text_block("b"), image], is_error=True) == "anthropic/failed-result-of-text"
    assert rule_for([text_block("b"), image], is_error=False) is None
    assert rule_for([text_block("b")], is_error=True) is rule_for("b", is_error=True) is None


def test_container_without_skills_must_be_an_id() -> None:
    assert error_message(container={"id": "container_1"}) == "container: Input should be a valid string"
    assert error_message(container={"id": "container_1", "skills": []}) == "container: Input should be a valid string"
    skills = [{"type": "anthropic", "skill_id": "pdf"}]
    for whole in ("container_1", {"skills": skills}, {"id": "c", "skills": skills}):
        assert violation_of(container=whole) is None
