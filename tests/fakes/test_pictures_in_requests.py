"""Native pictures in the neutral view of each wire: in a message of the user, in a result and beside one."""

import base64
import json
from typing import Any

import pytest

from fake_providers import Request
from fake_providers.registry import wire_for

DATA = base64.b64encode(b"GIF89a\x40\x00\x20\x00").decode()
URL = f"data:image/gif;base64,{DATA}"
CHAT = {"type": "image_url", "image_url": {"url": URL}}
ITEM = {"type": "input_image", "image_url": URL}
BLOCK = {"type": "image", "source": {"type": "base64", "media_type": "image/gif", "data": DATA}}
BLOB = {"inlineData": {"mimeType": "image/gif", "data": DATA}}
RESULT = {"type": "tool_result", "tool_use_id": "c1", "content": [{"type": "text", "text": "a page"}, BLOCK]}
RESPONSE = {"name": "look", "response": {"result": "a page"}, "parts": [BLOB]}
PAPER = {"inlineData": {"mimeType": "application/pdf", "data": "JVBERi0xLjc="}}

IN_RESULTS: dict[tuple[str, str, str], Any] = {
    ("openai", "openai-chat", "/v1/chat/completions"): {
        "messages": [{"role": "tool", "tool_call_id": "c1", "content": [{"type": "text", "text": "a page"}, CHAT]}]
    },
    ("openai", "openai-responses", "/v1/responses"): {
        "input": [
            {
                "type": "function_call_output",
                "call_id": "c1",
                "output": [{"type": "input_text", "text": "a page"}, ITEM],
            }
        ]
    },
    ("anthropic", "anthropic-messages", "/v1/messages"): {"messages": [{"role": "user", "content": [RESULT]}]},
    ("gemini", "gemini-generate", "/v1beta/models/gemini-3-flash-preview:generateContent"): {
        "contents": [{"role": "user", "parts": [{"functionResponse": RESPONSE}, PAPER]}]
    },
    ("ollama", "ollama-chat", "/api/chat"): {
        "messages": [{"role": "tool", "tool_name": "look", "content": "a page", "images": [DATA]}]
    },
}
BESIDE: dict[tuple[str, str, str], Any] = {
    ("openai", "openai-chat", "/v1/chat/completions"): {"messages": [{"role": "user", "content": [CHAT]}]},
    ("openai", "openai-responses", "/v1/responses"): {"input": [{"role": "user", "content": [ITEM]}]},
    ("anthropic", "anthropic-messages", "/v1/messages"): {
        "messages": [{"role": "user", "content": [RESULT | {"content": "a page"}, BLOCK]}]
    },
    ("gemini", "gemini-generate", "/v1beta/models/gemini-3-flash-preview:generateContent"): {
        "contents": [{"role": "user", "parts": [{"functionResponse": {"name": "look", "response": {}}}, BLOB]}]
    },
    ("ollama", "ollama-chat", "/api/chat"): {"messages": [{"role": "user", "content": "", "images": [DATA]}]},
    ("cohere", "cohere-chat", "/v2/chat"): {"messages": [{"role": "user", "content": [CHAT]}]},
}


def view_of(place: tuple[str, str, str], body: Any) -> Any:
    provider, wire, path = place
    return wire_for(provider, wire).view(Request("POST", path, {}, json.dumps(body).encode()))


@pytest.mark.parametrize(
    ("place", "body"), IN_RESULTS.items(), ids=lambda value: value[1] if isinstance(value, tuple) else "body"
)
def test_picture_in_a_result_is_of_the_result(place: tuple[str, str, str], body: Any):
    messages = view_of(place, body).messages
    [result] = messages[0].results

    assert "a page" in result.text
    assert [(picture.media_type, picture.width, picture.height) for picture in result.pictures] == [
        ("image/gif", 64, 32)
    ]
    assert not any(message.pictures for message in messages)


@pytest.mark.parametrize(
    ("place", "body"), BESIDE.items(), ids=lambda value: value[1] if isinstance(value, tuple) else "body"
)
def test_picture_beside_texts_is_of_a_message_of_the_user(place: tuple[str, str, str], body: Any):
    messages = view_of(place, body).messages

    assert messages[-1].role == "user"
    assert [picture.media_type for picture in messages[-1].pictures] == ["image/gif"]
    assert not any(result.pictures for message in messages for result in message.results)
