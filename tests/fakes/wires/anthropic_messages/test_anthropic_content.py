"""What messages say and how they end, model by model."""

from typing import Any

import pytest
from anthropic_requests import NEW, OLD, TOOL, assistant, judged, result, rule_of, sentence, text, use, user

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
    assert rule_of(user(), assistant("b"), model=model) == ("anthropic/prefill" if refused else None)
    assert rule_of(user(), assistant(""), model=model) is None


def test_system_messages_depend_on_the_model() -> None:
    spoken = [user(), {"role": "system", "content": "s"}]

    assert sentence(*spoken, model=OLD) == "role 'system' is not supported on this model"
    assert judged(*spoken, model="claude-opus-4-8") is None


def test_empty_content_is_refused_in_the_words_of_its_time() -> None:
    old = "all messages must have non-empty content except for the optional final assistant message"

    assert sentence(user(""), model=OLD) == f"messages.0: {old}"
    assert sentence(user(""), model=NEW) == "messages.0: user messages must have non-empty content"
    assert sentence(user(), assistant([]), user(), model=OLD) == f"messages.1: {old}"
    assert judged(user(), assistant([]), user(), model=NEW) is None


def test_content_of_a_wrong_type_is_refused_in_the_words_of_its_time() -> None:
    assert sentence(user(7), model="claude-3-5-haiku-20241022") == "messages.0.content: Input should be a valid list"
    assert sentence(user(7), model=NEW) == "messages.0.content: Input should be a valid array"


def test_blank_text_needs_another_text_in_its_message() -> None:
    blank = "messages: text content blocks must contain non-whitespace text"

    assert sentence(user([text(" "), text("\n")])) == blank
    assert judged(user([text(" "), text("a")])) is None
    assert sentence(user(), assistant([text("\n\n"), use()]), user([result()])) == blank
    assert judged(user(), assistant([text("\n\n"), text("b"), use()]), user([result()])) is None


def test_empty_text_is_refused_wherever_it_stands() -> None:
    assert sentence(user([text(""), text("a")])) == "messages: text content blocks must be non-empty"
    assert rule_of(user(), assistant([text(""), use()]), user([result()])) == "anthropic/text-empty"
    marked = sentence(user([text("") | MARKED, text("a")]))
    assert marked == "messages.0.content.0.text: cache_control cannot be set for empty text blocks"


def test_system_may_be_empty_as_a_whole() -> None:
    for whole in ("", []):
        assert judged(system=whole) is None
    assert sentence(system=[text("")]) == "system: text content blocks must be non-empty"


def test_marks_of_the_cache_are_counted_everywhere_but_in_the_clients_own_values() -> None:
    four = {"system": [text("s") | MARKED], "tools": [TOOL | MARKED]}
    own = use(input={"cache_control": {"type": "ephemeral"}})
    history = [user([text("a") | MARKED]), assistant([own]), user([result() | MARKED])]

    assert judged(*history, **four) is None
    more = judged(*history[:2], user([result(content=[text("x") | MARKED]) | MARKED]), **four)
    assert more is not None
    assert more.message == "A maximum of 4 blocks with cache_control may be provided. Found 5."


def test_white_space_at_the_end_is_refused_where_a_prefill_is_taken() -> None:
    said = "messages: final assistant content cannot end with trailing whitespace"

    assert sentence(user(), assistant("b\n"), model=OLD) == said
    assert sentence(user(), assistant([text("b ")]), model=OLD) == said
    assert judged(user(), assistant("b "), user(), model=OLD) is None


@pytest.mark.parametrize("choice", [{"type": "auto"}, {"type": "any"}, {"type": "tool", "name": "f"}])
def test_choice_needs_tools(choice: dict[str, str]) -> None:
    said = f"tool_choice.{choice['type']} may only be specified while providing tools"

    assert sentence(tool_choice=choice) == sentence(tool_choice=choice, tools=[]) == said
    assert judged(tool_choice=choice, tools=[TOOL]) is None


def test_choosing_none_needs_no_tools() -> None:
    assert judged(tool_choice={"type": "none"}) is None


def test_types_of_blocks_are_listed_as_they_were_when_the_model_was_asked() -> None:
    unknown = user([{"type": "input_text", "text": "a"}])
    said = "messages.0.content.0: Input tag 'input_text' found using 'type' does not match any of the expected tags: "

    assert str(sentence(unknown)).startswith(f"{said}'bash_code_execution_tool_result', 'code_execution_tool_result', ")
    assert str(sentence(unknown, model=OLD)).startswith(f"{said}'document', 'image', 'redacted_thinking', ")


@pytest.mark.parametrize("kind", ["connector_text", "mid_conv_system", "container_upload"])
def test_types_that_are_listed_are_taken(kind: str) -> None:
    assert judged(user([{"type": kind}, text("a")])) is None


def test_long_marks_of_the_cache_come_before_short_ones() -> None:
    long = {"cache_control": {"type": "ephemeral", "ttl": "1h"}}
    said = "cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block."

    assert judged(user([text("a") | MARKED]), tools=[TOOL | long], system=[text("s") | long]) is None
    assert str(sentence(tools=[TOOL | MARKED], system=[text("s") | long])).startswith(f"system.0.{said}")
    late = sentence(user(), assistant(), user([text("a"), text("b") | long]), system=[text("s") | MARKED])
    assert str(late).startswith(f"messages.2.content.1.{said}")
    assert judged(system=[text("s") | {"cache_control": None}, text("t") | long]) is None


def test_result_that_is_an_error_is_text() -> None:
    image = {"type": "image", "source": {"type": "url", "url": "https://example.com/a.png"}}

    def told(content: Any, *, is_error: bool) -> str | None:
        return rule_of(user(), assistant([use()]), user([result(content=content, is_error=is_error)]), tools=[TOOL])

    assert told([text("b"), image], is_error=True) == "anthropic/failed-result-of-text"
    assert told([text("b"), image], is_error=False) is None
    assert told([text("b")], is_error=True) is told("b", is_error=True) is None


def test_container_without_skills_is_named_by_its_id_alone() -> None:
    assert sentence(container={"id": "container_1"}) == "container: Input should be a valid string"
    assert sentence(container={"id": "container_1", "skills": []}) == "container: Input should be a valid string"
    for whole in ("container_1", {"skills": [{"type": "anthropic", "skill_id": "pdf"}]}, {"id": "c", "skills": [{}]}):
        assert judged(container=whole) is None
