"""Pictures of a history on each wire: where the provider takes them, and as text for agents that send none."""

from typing import Any

import pytest

from agent_conformance import Message, Part, ToolCall
from agent_conformance.adapter.history import (
    anthropic_messages,
    cohere_messages,
    gemini_contents,
    ollama_messages,
    openai_chat_messages,
    openai_responses_items,
)

PNG = Part("image", media_type="image/png", data="iVBO")
SVG = Part("image", media_type="image/svg+xml", data="PHN2")
URL = "data:image/png;base64,iVBO"
CHAT = {"type": "image_url", "image_url": {"url": URL}}
ITEM = {"type": "input_image", "image_url": URL}
BLOCK = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBO"}}
BLOB = {"inlineData": {"mimeType": "image/png", "data": "iVBO"}}

USER = Message("user", "Look:\n[image/png]", parts=(Part("text", "Look:"), PNG))
CALL = Message("assistant", tool_calls=(ToolCall("c1", "look", {}),))
RESULT = Message("tool", "[image/svg+xml]\n[image/png]", tool_call_id="c1", name="look", parts=(SVG, PNG))
FAILED = Message("tool", "no\n[image/png]", tool_call_id="c1", is_error=True, parts=(Part("text", "no"), PNG))
WIRES: Any = (
    openai_chat_messages,
    openai_responses_items,
    anthropic_messages,
    gemini_contents,
    ollama_messages,
    cohere_messages,
)


@pytest.mark.parametrize("written", WIRES, ids=lambda written: written.__name__)
def test_without_pictures_they_are_words(written: Any):
    assert "iVBO" not in str(written((USER, CALL, RESULT)))
    assert str(written((USER, CALL, RESULT))).count("[image/png]") == 2


@pytest.mark.parametrize("written", [openai_chat_messages, cohere_messages], ids=lambda written: written.__name__)
def test_chat_has_pictures_of_results_after_them(written: Any):
    user, _, result, shown = written((USER, CALL, RESULT), pictures=True)

    assert user["content"] == [{"type": "text", "text": "Look:"}, CHAT]
    assert (result["content"], shown) == ("[image/svg+xml]", {"role": "user", "content": [CHAT]})


def test_responses_have_pictures_in_outputs():
    user, _, result = openai_responses_items((USER, CALL, RESULT), pictures=True)

    assert user["content"] == [{"type": "input_text", "text": "Look:"}, ITEM]
    assert result["output"] == [{"type": "input_text", "text": "[image/svg+xml]"}, ITEM]


def test_anthropic_has_pictures_in_results_but_not_in_failed_ones():
    user, _, result = anthropic_messages((USER, CALL, RESULT), pictures=True)
    failed = anthropic_messages((USER, CALL, FAILED), pictures=True)[2]

    assert user["content"] == [{"type": "text", "text": "Look:"}, BLOCK]
    assert result["content"][0]["content"] == [{"type": "text", "text": "[image/svg+xml]"}, BLOCK]
    assert (failed["content"][0]["content"], failed["content"][1]) == ("no", BLOCK)


def test_gemini_has_pictures_of_results_in_a_content_after_them():
    user, _, result, shown = gemini_contents((USER, CALL, RESULT), pictures=True)

    assert user["parts"] == [BLOB, {"text": "Look:"}]
    assert result["parts"][0]["functionResponse"]["response"] == {"output": "[image/svg+xml]"}
    assert shown == {"role": "user", "parts": [BLOB]}


def test_ollama_has_a_field_for_pictures():
    user, _, result = ollama_messages((USER, CALL, RESULT), pictures=True)

    assert (user["content"], user["images"]) == ("Look:", ["iVBO"])
    assert (result["content"], result["images"]) == ("[image/svg+xml]", ["iVBO"])
