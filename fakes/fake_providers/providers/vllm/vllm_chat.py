"""The chat completions of a vLLM server. The rules depend on the template of the model that it serves.

It asks for no key unless it was started with one; answers have many null members, and ids of its own.
"""

from itertools import pairwise
from typing import Any, Final

from fake_providers import remedies
from fake_providers.ids import HEXADECIMAL
from fake_providers.models import families_of
from fake_providers.providers.shared.chat_reading import MESSAGES, NEAR, NEXT, PlacedItem, refuse_unread
from fake_providers.providers.shared.chat_types import Dialect, Samples, refuse_wrong_types
from fake_providers.providers.shared.chat_values import (
    ENGINES,
    FORMATS,
    Outside,
    Values,
    engine_sentence,
    pydantic_outside,
    refuse_values,
)
from fake_providers.providers.shared.pydantic_words import pydantic_breach, unread
from fake_providers.providers.shared.qwen_template import FIRST, UNKNOWN, refuse_by_qwen
from fake_providers.replies.documents import ABSENT, ByStatus, Document, Envelope, Failure
from fake_providers.rule import Remedy, Rule
from fake_providers.rulebook import ANY_PARAMETER, Breach, RequestContext, Rulebook, bodiless_rule
from fake_providers.wires.openai_chat.provider import Answers, Provider
from fake_providers.wires.openai_chat.rules.samples import CALL_MESSAGE, RESULT, TOOL, USER, cite, sample_request
from fake_providers.wires.openai_shared.provider_errors import Errors

MODEL: Final = "Qwen/Qwen3-8B"
QWEN: Final = "Qwen/Qwen3.5-27B"
GEMMA: Final = "google/gemma-3-27b-it"
CHECKED: Final = "2026-11-21"
ALTERNATE: Final = "conversation roles must alternate user/assistant/user/assistant/..."
NO_PARSER: Final = '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'


error_body = Envelope(
    {"error": {"message": "<message>", "type": "<type>", "param": "<param>", "code": "<status>"}},
    type="BadRequestError",
    param=None,
)


def flat_body(message: str) -> dict[str, Any]:
    """The envelope of 2024."""
    return {"object": "error", "message": message, "type": "BadRequestError", "param": None, "code": 400}


def envelope(_rule: Rule, found: Breach, context: RequestContext) -> Any:
    return flat_body(found.message) if "words-of-2024" in context.traits else error_body(found.message)


BOOK = Rulebook(envelope)
refuse_unread(BOOK, "vllm", MESSAGES, model=MODEL,
    source="the messages of its web framework for a body that does not validate", **unread("messages"))  # fmt: skip
refuse_wrong_types(BOOK, "vllm",
    Dialect(words=pydantic_breach,
        source="vllm-project/vllm vllm/entrypoints/openai/protocol.py: its models of pydantic, and OpenAI's types of "
        "messages", lax=True,
        types={"messages[].role": "string", "messages[].content[].image_url": "string|object",
            "tools[].function.strict": "any", "messages[].tool_calls[].type": "any",
            "response_format.json_schema.name": "any"}, required=("tools[].function", "tools[].function.name"),
        known=dict.fromkeys(
            ("message-type", "result-type", "content-type", "tools-type", "parameter-type", "member-missing"),
            ("reported", ()))), Samples(MODEL))  # fmt: skip


def _outside(found: Outside, context: RequestContext) -> Breach | str:
    """Words are read by pydantic or a validator of the request, numbers by the parameters of sampling."""
    if found.kind == "tool-choice-unknown":
        only = 'Only named tools, "none", "auto" or "required" are supported.'
        return f"Invalid value for `tool_choice`: {found.value}! {only}"
    if found.kind == "value-range":
        return engine_sentence(found)
    return pydantic_outside(found)


refuse_values(BOOK, "vllm",
    Values(words=_outside, source="vllm-project/vllm vllm/sampling_params.py and entrypoints/openai/protocol.py",
        formats=(*FORMATS, "structural_tag"), efforts=(), ranges=ENGINES,
        known=dict.fromkeys(("tool-choice-unknown", "word-unknown", "value-range"), ("reported",
            {"vllm-project/vllm vllm/sampling_params.py and entrypoints/openai/protocol.py": ""}))),
    Samples(MODEL))  # fmt: skip


def _out_of_turn(found: list[PlacedItem]) -> dict[str, Any] | None:
    """Calls and results are not checked: the template's message for them is not known."""
    turns = [(i, role) for i, one in found if (role := one.get("role")) in ("user", "assistant", "tool")]
    for (_, before), (i, role) in pairwise(turns):
        if before == role and role != "tool":
            return {"i": i}
    return None


# A table: two rows are to be compared.
# fmt: off
BOOK.row("vllm/auto-tool-choice", "The request has tools and the server has no parser for the model's tool calls.",
    ANY_PARAMETER, lambda body: body.get("tools") and (body.get("tool_choice") or "auto") == "auto", NO_PARSER, "tools",
    trait="no-parser", models="gemma-2, gemma-3", checked=CHECKED, remedy=remedies.SERVER_OPTIONS,
    wrong=sample_request(model=GEMMA, tools=[TOOL]), right=sample_request(model=MODEL, tools=[TOOL]),
    reported={"public code that quotes it": '"auto" tool choice requires --enable-auto-tool-choice and'})
BOOK.row("vllm/tool-choice-without-tools", "`tool_choice` is set, not to `none`, and there are no tools.",
    ANY_PARAMETER, lambda body: body.get("tool_choice") not in (None, "none") and body.get("tools") is None,
    "When using `tool_choice`, `tools` must be set.", "tool_choice", checked="2026-11-30",
    remedy=Remedy("tool-choice", "Send `tool_choice` only together with tools."),
    wrong=sample_request(model=MODEL, tool_choice="auto"), right=sample_request(model=MODEL, tool_choice="none"),
    verbatim={"BerriAI/litellm#6228": "When using `tool_choice`, `tools` must be set.",
        "vllm-project/vllm tests/tool_use/test_chat_completion_request_validations.py": ""})
BOOK.row("vllm/roles-alternate",
    "Two messages in a row have the same role and the model's template requires alternating roles.",
    NEAR, _out_of_turn, f"{ALTERNATE.capitalize()} {ALTERNATE.capitalize()}", "messages[{i}].role", trait="alternates",
    models="gemma, llama-2", checked=CHECKED, remedy=remedies.MERGE_ROLES,
    wrong=sample_request(USER, USER, model=GEMMA), right=sample_request(USER, model=GEMMA),
    verbatim={"suitenumerique/conversations#197": "Conversation roles must alternate user/assistant/user/assistant/...",
        "Yoosu-L/llmapibenchmark#6": "", "weaviate/Verba#150": "", "microsoft/autogen#1037": ""})
BOOK.row("vllm/mistral-roles", "Two messages in a row have the same role.",
    NEAR, _out_of_turn, f"After the optional system message, {ALTERNATE}", "messages[{i}].role",
    trait="alternates-after-system", models="Mistral-7B-Instruct-v0.3, on servers of 2024", checked=CHECKED,
    remedy=remedies.MERGE_ROLES,
    wrong=sample_request(USER, USER, model="mistralai/Mistral-7B-Instruct-v0.3"),
    right=sample_request(USER, model="mistralai/Mistral-7B-Instruct-v0.3"),
    verbatim={"vllm-project/vllm#6862": "After the optional system message, conversation roles must alternate"})
BOOK.row("vllm/tool-after-user",
    "A user message comes right after a tool result, and the model has Mistral's tokenizer.",
    NEXT, lambda one, before: (before.get("role"), one.get("role")) == ("tool", "user"),
    "Unexpected role 'user' after role 'tool' Unexpected role 'user' after role 'tool'", ".role",
    trait="mistral-tokenizer", models="devstral", checked=CHECKED, remedy=remedies.ANSWER_BEFORE_USER,
    wrong=sample_request(USER, CALL_MESSAGE, RESULT, USER, model="mistralai/Devstral-Small-2507"),
    right=sample_request(USER, CALL_MESSAGE, RESULT, model="mistralai/Devstral-Small-2507"),
    verbatim={"public code that quotes it": "Unexpected role 'user' after role 'tool'"})
# fmt: on


refuse_by_qwen(BOOK, "vllm", model=QWEN,
    system=(*cite("nashsu/llm_wiki#45", FIRST), *cite("vllm-project/vllm#41114"), *cite("hanxinhao000/ZeroTermux#172")),
    role=cite("1CatAI/1Cat-vLLM#493, its log: the body was not quoted", UNKNOWN), role_is="reported")  # fmt: skip

CONTEXT_LENGTH = bodiless_rule(
    "vllm/context-length",
    status=400,
    why="The conversation is longer than the context window that the server was started with.",
    verbatim={"public code that quotes it": "However, your request has 40000 input tokens."},
    remedy=remedies.SHORTEN,
)


FAILURES = ByStatus(
    {
        401: Failure(body={"error": "Unauthorized"}),
        404: Failure("The model `{model}` does not exist.", {"type": "NotFoundError"}),
        500: Failure(
            "EngineCore encountered an issue. See stack trace (above) for the root cause.",
            {"type": "InternalServerError"},
        ),
    },
    "The request could not be processed.",
)


PROVIDER = Provider(
    name="vllm",
    base_path="/v1",
    completes_texts=True,
    errors=Errors(
        error_body,
        FAILURES,
        window=CONTEXT_LENGTH,
        too_long="This model's maximum context length is {window} tokens. However, your request has {tokens} input "
        "tokens. Please reduce the length of the input messages.",
    ),
    answers=Answers(
        id=lambda ids: ids.make("chatcmpl-", 32, HEXADECIMAL),
        call_id=lambda ids: ids.make("chatcmpl-tool-", 32, HEXADECIMAL),
        stream_content_type="text/event-stream; charset=utf-8",
        completion=Document(
            "id object created model choices service_tier:null system_fingerprint:null usage? prompt_logprobs:null "
            "prompt_token_ids:null kv_transfer_params:null",
        ),
        choice=Document("index message logprobs:null finish_reason stop_reason:null token_ids:null"),
        message=Document(
            "role content refusal:null annotations:null audio:null function_call:null tool_calls reasoning",
            tool_calls=lambda said: [] if said.tool_calls is ABSENT else said.tool_calls,
            reasoning=lambda said: said.rendered.thinking,
        ),
        call=Document("id? type function"),
        usage=Document(
            "prompt_tokens total_tokens completion_tokens prompt_tokens_details",
            prompt_tokens_details=lambda rendered: rendered.cached_details if rendered.tokens.cached else None,
        ),
        chunk=Document(
            "id object created model choices usage? prompt_token_ids?",
            prompt_token_ids=lambda step: None if step.opens else ABSENT,
        ),
        step=Document(
            "index delta logprobs:null finish_reason stop_reason? token_ids?",
            stop_reason=lambda step: None if step.ends else ABSENT,
            token_ids=lambda step: ABSENT if step.opens else None,
        ),
        thought=Document("reasoning"),
        opened_call=Document("id? type index function"),
    ),
    books=(BOOK,),
    traits=families_of("openai-chat", "vllm"),
)
