"""Reasoning that another provider signed: each fake refuses it in its provider's words, and takes back its own."""

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
