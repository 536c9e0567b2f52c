"""The responses of llama.cpp's `/v1/messages`: the envelope and the ids of its chat completions."""

from fake_providers.ids import Ids
from fake_providers.models import families_of
from fake_providers.providers.llama_cpp.chat_answers import KINDS
from fake_providers.providers.llama_cpp.chat_rules import error_body
from fake_providers.providers.llama_cpp.messages_rules import BOOK
from fake_providers.wires.anthropic_messages.provider import Answers, Provider
from fake_providers.wires.openai_chat.rules.samples import cite
from fake_providers.wires.openai_shared.provider_errors import bodiless_rule
from fake_providers.wires.openai_shared.request_body import body_of

LEFT_OUT = frozenset(
    [
        "stop_details",
        "caller",
        "service_tier",
        "inference_geo",
        "cache_creation",
        "cache_creation_input_tokens",
        "output_tokens_details",
    ]
)
SENTENCES = {401: "Invalid API Key", 500: "Compute error.", 503: "Loading model"}


def _id(ids: Ids) -> str:
    return ids.make("chatcmpl-", 32)


def _call_id(ids: Ids) -> str:
    return ids.make("", 32)


PROVIDER = Provider(
    name="llama.cpp",
    base_path="",
    books=(BOOK,),
    traits=families_of("anthropic-messages", "llama.cpp"),
    answers=Answers(id=_id, call_id=_call_id, left_out=LEFT_OUT),
    window=bodiless_rule(
        "llama.cpp/anthropic-context-length",
        status=400,
        why="The conversation is longer than the context window that the server was started with.",
        confidence="reported",
        evidence=cite("recording of chat completions, Qwen3-1.7B", "exceeds the available context size (512 tokens)"),
    ),
    too_long=lambda tokens, window: (
        f"request ({tokens} tokens) exceeds the available context size ({window} tokens), try increasing it"
    ),
    body_of=body_of,
    error=lambda status, message: error_body(message, status, KINDS.get(status, "invalid_request_error")),
    sentences=SENTENCES,
)
