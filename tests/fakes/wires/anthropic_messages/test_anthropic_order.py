"""The order of the provider's checks, as measured with requests that break two rules."""

from itertools import pairwise
from typing import Any

import pytest
from anthropic_requests import assistant, broken_rule, error_message, system, text_block, user, violation_of

WRONG: dict[str, tuple[Any, str]] = {
    "model": (7, "model: Input should be a valid string"),
    "tool_choice": (7, "tool_choice: Input should be an object"),
    "tools": ("x", "tools: Input should be a valid array"),
    "messages": ("x", "messages: Input should be a valid array"),
    "system": (7, "system: Input should be a valid array"),
    "thinking": ("x", "thinking: Input should be an object"),
    "output_config": ("x", "output_config: Input does not match the expected shape."),
    "cache_control": ("x", "cache_control: Input should be an object"),
    "max_tokens": ("x", "max_tokens: Input should be a valid integer"),
    "metadata": ("x", "metadata: Input does not match the expected shape."),
    "stop_sequences": ("ZZ", "stop_sequences: Input should be a valid array"),
    "temperature": ("x", "temperature: Input should be a valid number"),
    "service_tier": (7, "service_tier: Input should be 'auto' or 'standard_only'"),
    "top_k": ("x", "top_k: Input should be a valid integer"),
    "top_p": ("x", "top_p: Input should be a valid number"),
    "stream": ("yes", "stream: Input should be a valid boolean"),
    "container": (7, "container.ContainerParams: Input does not match the expected shape."),
    "inference_geo": (7, "inference_geo: Input should be a valid string"),
    "zzz": (1, "zzz: Extra inputs are not permitted"),
}
"""Each field of a request in the measured order, a value that is refused, and the error message."""

DIRECTIVE = "the directive-only form (content: [] with output_config) is accepted at any position"
ELSEWHERE = f"role 'system' must precede an 'assistant' message or end the array; {DIRECTIVE}"
AT_HEAD = f"use the top-level 'system' parameter for the initial system prompt; {DIRECTIVE}"
IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}}
NON_BLANK = "system text blocks must contain non-whitespace text"


@pytest.mark.parametrize("field", WRONG)
def test_one_wrong_field_is_refused_with_the_measured_sentence(field: str) -> None:
    value, message = WRONG[field]

    assert error_message(**{field: value}) == message


@pytest.mark.parametrize(("first", "second"), list(pairwise(WRONG)))
def test_earlier_of_two_wrong_fields_is_reported(first: str, second: str) -> None:
    both = {second: WRONG[second][0], first: WRONG[first][0]}

    assert error_message(**both) == WRONG[first][1]


@pytest.mark.parametrize(
    ("messages", "message"),
    [
        ([{"content": "a"}], "messages.0.role: Field required"),
        (
            [{"role": "developer", "content": "a"}],
            'messages: Unexpected role "developer". Allowed roles are "user" or "assistant"',
        ),
        ([user(), {"role": "system"}], "messages.1.content: Field required"),
        ([user(), system(None)], "messages.1.content: Input should be a valid array"),
        ([user(), system([{"text": "x"}])], "messages.1.content.0.type: Field required"),
        ([user({})], "messages.0.content: Input should be a valid array"),
        ([user([7])], "messages.0.content.0: Input should be an object"),
        ([user([{}])], "messages.0.content.0.type: Field required"),
        ([user() | {"bogus": 1}], "messages.0.bogus: Extra inputs are not permitted"),
        ([user([])], "messages.0: user messages must have non-empty content"),
        ([user(), assistant(), user([]), user([])], "messages.2: user messages must have non-empty content"),
        ([system()], f"messages.0: {AT_HEAD}"),
        ([system("  "), user()], f"messages.0: {AT_HEAD}"),
        ([system([]), user()], "messages.0: system content must contain at least one block"),
        (
            [system([IMAGE]), user()],
            "messages.0: role 'system' supports text, tool_addition, and tool_removal blocks only",
        ),
        ([user(), system([]), user()], "messages.1: system content must contain at least one block"),
        ([user(), system(), user()], f"messages.1: {ELSEWHERE}"),
        ([user(), system(), system(), system(), user()], f"messages.3: {ELSEWHERE}"),
        ([user(), system("  "), user()], f"messages.1: {ELSEWHERE}"),
        ([user(), system("  ")], f"messages.1: {NON_BLANK}"),
        ([user(), system([text_block("x"), text_block("")])], f"messages.1: {NON_BLANK}"),
        (
            [user(), system([]), {"role": "bogus", "content": "x"}],
            'messages: Unexpected role "bogus". Allowed roles are "user" or "assistant"',
        ),
    ],
)
def test_messages_are_refused_with_the_measured_sentence(messages: list[Any], message: str) -> None:
    assert error_message(*messages) == message


def test_fields_are_checked_before_the_conversation() -> None:
    assert broken_rule(user([]), temperature="x") == "anthropic/temperature-type"
    assert broken_rule(user([]), zzz=1) == "anthropic/extra-key"
    assert broken_rule(user() | {"bogus": 1}, temperature="x") == "anthropic/message-extra-key"


@pytest.mark.parametrize(
    "messages",
    [
        [user(), system()],
        [user(), system(), assistant(), user()],
        [user(), system(), system(), system()],
        [user(), system(), system(), assistant(), user()],
        [user([]), user()],
        [user(), user([])],
        [user(), assistant(), user([]), user()],
        [user(), assistant([])],
        [user(), user()],
        [user(), assistant(), assistant(), user()],
        [user(), system([text_block("x"), text_block("y")])],
        [user(), system([]) | {"output_config": {"effort": "low"}}, user()],
        [assistant(), user()],
    ],
)
def test_requests_measured_as_accepted_are_accepted(messages: list[Any]) -> None:
    assert violation_of(*messages) is None


def test_extra_key_of_a_later_message_is_refused_like_that_of_the_first() -> None:
    assert broken_rule(user(), assistant("b"), user("c")) is None
    assert broken_rule(user(), assistant("b"), user("c") | {"bogus": 1}) == "anthropic/message-extra-key"
