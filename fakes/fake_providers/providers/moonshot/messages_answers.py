"""Moonshot's responses on Anthropic's wire."""

from dataclasses import replace

from fake_providers.ids import Ids
from fake_providers.models import families_of
from fake_providers.providers.moonshot.messages_rules import BOOK, thinks
from fake_providers.reply import Reply
from fake_providers.wire import ReplyContext
from fake_providers.wires.anthropic_messages.json_parser import model_of, tolerant
from fake_providers.wires.anthropic_messages.provider import Answers, Provider
from fake_providers.wires.openai_chat.rules.samples import cite
from fake_providers.wires.openai_shared.provider_errors import context_length_rule, missing_key_rule
from fake_providers.wires.openai_shared.request_body import body_of

UNSAID = "Let me see."
"""The thinking of a model that always thinks, if the script has none."""
FAMILIES = families_of("anthropic-messages", "moonshot")


def _id(ids: Ids) -> str:
    return ids.make("msg_", 24)


def _call_id(ids: Ids) -> str:
    return ids.make("toolu_", 24)


def _completed(reply: Reply, context: ReplyContext) -> Reply:
    body = tolerant(context.request)
    return replace(reply, thinking=UNSAID) if thinks(body, FAMILIES(model_of(body))) and not reply.thinking else reply


PROVIDER = Provider(
    name="moonshot",
    base_path="/anthropic",
    books=(BOOK,),
    traits=FAMILIES,
    answers=Answers(id=_id, call_id=_call_id, complete_reply=_completed),
    window=context_length_rule(
        "moonshot/anthropic-context-length",
        confidence="reported",
        evidence=cite("public code that quotes it from chat completions", "Your request exceeded model token limit"),
    ),
    too_long=lambda tokens, window: (
        f"Invalid request: Your request exceeded model token limit: {window} (requested: {tokens})"
    ),
    body_of=body_of,
    missing_key=missing_key_rule(
        "moonshot/anthropic-missing-key",
        confidence="inferred",
        evidence=cite("worded as on chat completions", "Invalid Authentication"),
    ),
    key_sentence="Invalid Authentication",
)
