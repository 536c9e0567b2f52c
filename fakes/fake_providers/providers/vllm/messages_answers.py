"""The responses of vLLM's `/v1/messages`: no key, and ids of chat completions."""

from fake_providers.ids import Ids
from fake_providers.models import families_of
from fake_providers.providers.vllm.chat_rules import error_body
from fake_providers.providers.vllm.messages_rules import BOOK, SOURCE
from fake_providers.wires.anthropic_messages.provider import Answers, Provider
from fake_providers.wires.openai_chat.rules.samples import cite
from fake_providers.wires.openai_shared.provider_errors import context_length_rule
from fake_providers.wires.openai_shared.request_body import body_of

HEX = "0123456789abcdef"
KINDS = {401: "AuthenticationError", 404: "NotFoundError", 500: "InternalServerError", 503: "ServiceUnavailableError"}
LEFT_OUT = frozenset(
    ["stop_details", "caller", "service_tier", "inference_geo", "cache_creation", "output_tokens_details"]
)


def _id(ids: Ids) -> str:
    return ids.make("chatcmpl-", 32, HEX)


def _call_id(ids: Ids) -> str:
    return ids.make("chatcmpl-tool-", 16, HEX)


PROVIDER = Provider(
    name="vllm",
    base_path="",
    books=(BOOK,),
    traits=families_of("anthropic-messages", "vllm"),
    answers=Answers(id=_id, call_id=_call_id, left_out=LEFT_OUT),
    window=context_length_rule("vllm/anthropic-context-length", confidence="inferred", evidence=cite(SOURCE)),
    too_long=lambda tokens, window: (
        f"This model's maximum context length is {window} tokens. However, your request has {tokens} input tokens. "
        "Please reduce the length of the input messages."
    ),
    body_of=body_of,
    error=lambda status, message: error_body(message, status, KINDS.get(status, "BadRequestError")),
)
