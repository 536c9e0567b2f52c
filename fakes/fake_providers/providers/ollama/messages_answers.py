"""The responses of Ollama's `/v1/messages`: no key, and neither signatures nor counts of cached tokens."""

from fake_providers.ids import Ids
from fake_providers.models import families_of
from fake_providers.providers.ollama.messages_rules import BOOK, SOURCE
from fake_providers.wires.anthropic_messages.provider import Answers, Provider
from fake_providers.wires.ollama_chat.errors import SENTENCES, TOO_LONG
from fake_providers.wires.openai_chat.rules.samples import cite
from fake_providers.wires.openai_shared.provider_errors import context_length_rule
from fake_providers.wires.openai_shared.request_body import body_of

HEX = "0123456789abcdef"
LEFT_OUT = frozenset(
    [
        "stop_details",
        "caller",
        "service_tier",
        "inference_geo",
        "cache_creation",
        "cache_creation_input_tokens",
        "cache_read_input_tokens",
        "output_tokens_details",
        "stop_sequence",
        "signature",
    ]
)


def _id(ids: Ids) -> str:
    return ids.make("msg_", 24, HEX)


def _call_id(ids: Ids) -> str:
    return ids.make("call_", 8, "0123456789abcdefghijklmnopqrstuvwxyz")


PROVIDER = Provider(
    name="ollama",
    base_path="",
    books=(BOOK,),
    traits=families_of("anthropic-messages", "ollama"),
    answers=Answers(id=_id, call_id=_call_id, left_out=LEFT_OUT),
    window=context_length_rule("ollama/anthropic-prompt-too-long", confidence="inferred", evidence=cite(SOURCE)),
    too_long=lambda tokens, window: TOO_LONG,
    body_of=body_of,
    sentences=SENTENCES,
)
