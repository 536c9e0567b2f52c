"""Reasoning of a history, as agents get it: with its signature, and who issued that."""

import pytest

from agent_conformance.adapter.types import Message
from agent_conformance.attach.command.messages import _history_message
from agent_conformance.run.agent.agent_setup import history_of
from agent_conformance.scenario.model import AssistantMessage, HistoryMessage, ThinkingSpec
from fake_providers.wire_facts import SIGN_REASONING

PROVIDERS = {
    "openai-responses": "openai",
    "anthropic-messages": "anthropic",
    "gemini-generate": "gemini",
    "bedrock-converse": "bedrock",
}


def restored(wire: str, signature: str) -> Message:
    thinking = ThinkingSpec.read({"text": "Easy.", "signature": signature})
    spec = HistoryMessage(assistant=AssistantMessage(text="A fruit.", thinking=thinking))
    [message] = history_of([spec], wire)
    return message


@pytest.mark.parametrize("wire", SIGN_REASONING)
def test_reasoning_has_its_signature_and_its_provider(wire: str) -> None:
    own, foreign, absent = (restored(wire, signature) for signature in ("own", "foreign", "absent"))

    assert (own.thinking, own.signed_by) == ("Easy.", PROVIDERS[wire])
    assert own.signature
    assert foreign.signed_by in set(PROVIDERS.values()) - {PROVIDERS[wire]}
    assert foreign.signature not in (None, own.signature)
    assert (absent.thinking, absent.signature, absent.signed_by) == ("Easy.", None, None)


def test_the_protocol_has_both_where_there_is_a_signature() -> None:
    signed = _history_message(restored("anthropic-messages", "own"))
    unsigned = _history_message(restored("anthropic-messages", "absent"))

    assert signed["signed_by"] == "anthropic"
    assert signed["signature"]
    assert unsigned == {"role": "assistant", "text": "A fruit.", "thinking": "Easy."}
