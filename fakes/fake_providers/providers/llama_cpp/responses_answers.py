"""llama.cpp's Responses: the errors of its chat completions, and answers with the members of OpenAI's."""

from dataclasses import replace

from fake_providers.models import families_of
from fake_providers.providers.llama_cpp.chat_answers import PROVIDER as CHAT
from fake_providers.providers.llama_cpp.responses_rules import BOOK, SOURCE
from fake_providers.wires.openai_chat.rules.samples import cite
from fake_providers.wires.openai_responses.provider import Provider
from fake_providers.wires.openai_shared.provider_errors import context_length_rule

TOO_LONG = context_length_rule("llama.cpp/responses-context-length", confidence="inferred", evidence=cite(SOURCE))
PROVIDER = Provider(
    name="llama.cpp",
    base_path="/v1",
    errors=replace(CHAT.errors, window=TOO_LONG, path="input"),
    answers=None,
    books=(BOOK,),
    traits=families_of("openai-responses", "llama.cpp"),
)
