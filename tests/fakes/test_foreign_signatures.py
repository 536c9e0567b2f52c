"""Reasoning that another provider signed: each fake refuses it in its provider's words, and takes back its own."""

import base64
import json
from typing import Any

import pytest

from fake_providers import judge, wire_named
from fake_providers.http import Request
from fake_providers.ids import Ids
from fake_providers.provider_facts import own_provider
from fake_providers.wire import SignsReasoning
from fake_providers.wire_facts import SIGN_REASONING

USER = "What is the weather?"
CLAUDE = "The model returned the following errors: "


def signed_by(wire: str) -> str:
    signing = wire_named(wire)
    assert isinstance(signing, SignsReasoning)
    return signing.sign("Hm.", Ids("signed"))


def refusal(wire: str, signature: str, model: str = "gemini-3-flash-preview") -> str | None:
    """The sentence with which a conversation is refused that has reasoning with this signature."""
    path, body = {
        "openai-responses": ("/v1/responses", responses(signature)),
        "anthropic-messages": ("/v1/messages", messages(signature)),
        "gemini-generate": (f"/v1beta/models/{model}:generateContent", contents(signature)),
        "bedrock-converse": ("/model/us.anthropic.claude-sonnet-5/converse", blocks(signature)),
    }[wire]
    provider = own_provider(wire)
    headers = {"content-type": "application/json", "anthropic-version": "2023-06-01"}
    violation = judge(provider, path, json.dumps(body).encode(), headers)
    return None if violation is None else violation.message


def responses(signature: str) -> dict[str, Any]:
    thought = {"type": "reasoning", "summary": [], "encrypted_content": signature}
    says = [{"role": "assistant", "content": "Rain."}, {"role": "user", "content": "And now?"}]
    return {"model": "gpt-5.4", "store": False, "input": [{"role": "user", "content": USER}, thought, *says]}


def messages(signature: str) -> dict[str, Any]:
    thought = {"type": "thinking", "thinking": "Hm.", "signature": signature}
    turns = [
        {"role": "user", "content": USER},
        {"role": "assistant", "content": [thought, {"type": "text", "text": "Rain."}]},
        {"role": "user", "content": "And now?"},
    ]
    return {"model": "claude-sonnet-5", "max_tokens": 100, "messages": turns}


def blocks(signature: str) -> dict[str, Any]:
    thought = {"reasoningContent": {"reasoningText": {"text": "Hm.", "signature": signature}}}
    users = [{"role": "user", "content": [{"text": text}]} for text in (USER, "And now?")]
    return {"messages": [users[0], {"role": "assistant", "content": [thought, {"text": "Rain."}]}, users[1]]}


def contents(signature: str) -> dict[str, Any]:
    says = [{"text": "Rain.", "thoughtSignature": signature}]
    users = [{"role": "user", "parts": [{"text": text}]} for text in (USER, "And now?")]
    return {"contents": [users[0], {"role": "model", "parts": says}, users[1]]}


@pytest.mark.parametrize("wire", SIGN_REASONING)
def test_a_provider_takes_back_what_it_has_signed(wire: str) -> None:
    assert refusal(wire, signed_by(wire)) is None


@pytest.mark.parametrize(
    ("wire", "of", "sentence"),
    [
        ("anthropic-messages", "openai-responses", "messages.1.content.0: Invalid `signature` in `thinking` block"),
        ("anthropic-messages", "gemini-generate", "messages.1.content.0: Invalid `signature` in `thinking` block"),
        (
            "bedrock-converse",
            "gemini-generate",
            f"{CLAUDE}messages.1.content.0: Invalid `signature` in `thinking` block",
        ),
        ("gemini-generate", "openai-responses", "Corrupted thought signature."),
        ("gemini-generate", "anthropic-messages", "Corrupted thought signature."),
    ],
)
def test_a_provider_refuses_what_another_has_signed(wire: str, of: str, sentence: str) -> None:
    assert refusal(wire, signed_by(of)) == sentence


def _field(tag: int, body: bytes) -> bytes:
    return bytes([tag, len(body)]) + body


def _real(*before: int, inner: bytes) -> str:
    """A signature in the form of recorded ones: two messages around the inner one."""
    return base64.b64encode(bytes(before) + _field(0x12, _field(0x0A, inner)) + bytes([0x18, 1])).decode()


TEXT = _field(0x2A, b"a" * 32)
CLAUDES = {
    "Claude 3.7": _real(inner=bytes([8, 1, 0x18, 2]) + TEXT),
    "Claude Sonnet 4": _real(inner=bytes([8, 7, 0x10, 1, 0x18, 2]) + TEXT),
    "Claude Opus 5": _real(8, 2, inner=bytes([8, 4, 0x10, 1, 0x18, 2]) + TEXT),
}
GEMINI = _real(inner=bytes([8, 1]) + _field(0x12, b"a" * 32))


@pytest.mark.parametrize("model", CLAUDES)
def test_a_signature_in_each_form_of_claudes_is_taken_back_and_is_none_of_geminis(model: str) -> None:
    assert refusal("anthropic-messages", CLAUDES[model]) is None
    assert refusal("gemini-generate", CLAUDES[model]) == "Corrupted thought signature."


def test_a_signature_of_gemini_with_the_same_outer_messages_is_none_of_claudes() -> None:
    assert refusal("gemini-generate", GEMINI) is None
    assert refusal("anthropic-messages", GEMINI) == "messages.1.content.0: Invalid `signature` in `thinking` block"


@pytest.mark.parametrize("of", ["anthropic-messages", "gemini-generate"])
def test_openai_refuses_what_another_has_encrypted(of: str) -> None:
    signature = signed_by(of)

    assert refusal("openai-responses", signature) == (
        f"The encrypted content {signature[:4]}...{signature[-4:]} could not be verified. Reason: Encrypted content "
        "could not be decrypted or parsed."
    )


def test_an_earlier_gemini_checks_no_signature() -> None:
    assert refusal("gemini-generate", signed_by("anthropic-messages"), "gemini-2.5-flash") is None


@pytest.mark.parametrize("signature", ["skip_thought_signature_validator", "context_engineering_is_the_way_to_go"])
def test_gemini_takes_the_documented_words_in_place_of_a_signature(signature: str) -> None:
    assert refusal("gemini-generate", signature) is None


@pytest.mark.parametrize(
    ("signature", "signed"),
    [
        ("of-the-model", True),
        ("skip_thought_signature_validator", False),
        ("c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I=", False),
        ("", False),
        (7, False),
        (None, False),
    ],
)
def test_what_google_documents_in_place_of_a_signature_is_none(signature: Any, signed: bool) -> None:
    call = {"id": "a", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    chat = {**call, "extra_content": {"google": {"thought_signature": signature}}}
    part = {"functionCall": {"name": "look", "args": {}}, "thoughtSignature": signature}
    bodies = {
        "openai-chat": {"messages": [{"role": "assistant", "tool_calls": [chat, call]}, {"role": "assistant"}]},
        "gemini-generate": {"contents": [{"role": "model", "parts": [part, {"text": "So."}]}]},
    }
    views = [
        wire_named(wire).view(
            Request("POST", "/v1beta/models/gemini-3-pro-preview:generateContent", {}, json.dumps(body).encode())
        )
        for wire, body in bodies.items()
    ]

    assert [[message.signed for message in view.messages] for view in views] == [[signed], [signed]]
