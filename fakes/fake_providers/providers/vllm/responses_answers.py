"""vLLM's Responses: the errors of its chat completions, and answers with the members of OpenAI's."""

from dataclasses import replace

from fake_providers.models import families_of
from fake_providers.providers.vllm.chat_answers import PROVIDER as CHAT
from fake_providers.providers.vllm.responses_rules import BOOK, SOURCE
from fake_providers.wires.openai_chat.rules.samples import cite
from fake_providers.wires.openai_responses.provider import Provider
from fake_providers.wires.openai_shared.provider_errors import context_length_rule

TOO_LONG = context_length_rule("vllm/responses-context-length", confidence="inferred", evidence=cite(SOURCE))
PROVIDER = Provider(
    name="vllm",
    base_path="/v1",
    errors=replace(CHAT.errors, window=TOO_LONG, path="input"),
    answers=None,
    books=(BOOK,),
    traits=families_of("openai-responses", "vllm"),
)
