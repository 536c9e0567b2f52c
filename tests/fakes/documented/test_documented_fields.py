"""No field that a vendor documents is refused: each one in the SDKs' own types is sent by itself.

Exceptions are listed here with a reason; an exception that is accepted by now must be removed.
"""

import copy
import json
import re
from collections.abc import Iterator

import pytest
from complete_requests import APIS, with_pictures
from field_walker import Walker, smallest
from google_requests import requests

from fake_providers import judge

EFFORTS = tuple(f"reasoning.effort.={one}" for one in ("none", "minimal", "low", "medium", "high", "xhigh", "max"))
REFUSED_BY_MODEL = (r"audio.*", r"modalities\..*", r"web_search_options.*")
UNKNOWN_TO_API = r".*(=UNKNOWN|\.raw|\.is_unknown\.=True)"
"""What mistralai adds to its unions, so that it reads newer answers."""
REFUSED_AS_RECORDED: dict[str, dict[str, tuple[str, ...]]] = {
    "chat": {
        "openai/web-search-unsupported": (r"web_search_options.*",),
        "openai/audio-unsupported": (r"messages\.\[\]\.content\.\[\].*",),
        "openai/audio-missing": (r"model\.=gpt.*audio.*",),
        "openai/effort-unsupported": (r"reasoning_effort\..*",),
    },
    "chat-reasoning": {
        "openai/audio-unsupported": (r"messages\.\[\]\.content\.\[\].*",),
        "openai/audio-missing": (r"model\.=gpt.*audio.*",),
        "openai/effort-value": tuple(rf"reasoning_effort\.={one}" for one in ("minimal", "xhigh", "max")),
        "openai/max-tokens-unsupported": ("max_tokens",),
        "openai/stop-unsupported": ("stop", r"stop\.\[\]"),
        "openai/unknown-parameter": REFUSED_BY_MODEL,
    },
    "responses": {
        "openai/responses-declared-range": (r"context_management.*compact_threshold",),
        "openai/responses-call-without-result": (r"input\.\[\]\.execution\.=client",),
        "openai/responses-result-without-call": (r"input\.\[\]\.execution\.=client",),
        "openai/responses-search-without-deferred": (r"tools\.\[\].*",),
        "openai/responses-research-without-tools": (r"model\.=o\d.*deep-research.*",),
        "openai/responses-effort-unsupported": EFFORTS,
        "openai/responses-item-member-unknown": (r"input\.\[\]\.phase\..*", r"input\.\[\]\.status\..*"),
        "openai/responses-model-unsupported": (r"model\.=o1-mini.*",),
    },
    "responses-reasoning": {
        "openai/responses-declared-range": (r"context_management.*compact_threshold",),
        "openai/responses-call-without-result": (r"input\.\[\]\.execution\.=client",),
        "openai/responses-result-without-call": (r"input\.\[\]\.execution\.=client",),
        "openai/responses-search-without-deferred": (r"tools\.\[\].*",),
        "openai/responses-mode-unsupported": (r"reasoning\.mode.*",),
        "openai/responses-research-without-tools": (r"model\.=o\d.*deep-research.*",),
        "openai/responses-effort-value": tuple(rf"reasoning\.effort\.={one}" for one in ("minimal", "max")),
        "openai/responses-item-member-unknown": (r"input\.\[\]\.phase\..*", r"input\.\[\]\.status\..*"),
        "openai/responses-model-unsupported": (r"model\.=o1-mini.*",),
        "openai/responses-thought-without-item": (r"input\.\[\]\.encrypted_content",),
    },
    "chat-any-model": {
        "openai/audio-missing": (r"model\.=gpt.*audio.*",),
    },
    "responses-any-model": {
        "openai/responses-declared-range": (r"context_management.*compact_threshold",),
        "openai/responses-call-without-result": (r"input\.\[\]\.execution\.=client",),
        "openai/responses-result-without-call": (r"input\.\[\]\.execution\.=client",),
        "openai/responses-search-without-deferred": (r"tools\.\[\].*",),
        "openai/responses-research-without-tools": (r"model\.=o\d.*deep-research.*",),
        "openai/responses-item-member-unknown": (r"input\.\[\]\.phase\..*", r"input\.\[\]\.status\..*"),
        "openai/responses-model-unsupported": (r"model\.=o1-mini.*",),
    },
    "responses-beta": {
        "openai/responses-declared-range": (r"context_management.*compact_threshold",),
        "openai/responses-call-without-result": (r"input\.\[\]\.execution\.=client",),
        "openai/responses-result-without-call": (r"input\.\[\]\.execution\.=client",),
        "openai/responses-search-without-deferred": (r"tools\.\[\].*",),
        "openai/responses-model-unsupported": (r"model\.=o1-mini.*",),
        "openai/responses-research-without-tools": (r"model\.=o\d.*deep-research.*",),
    },
    "messages": {
        "anthropic/declared-range": (r".*user_location\.country",),
        "anthropic/tools-all-deferred": (r"tools\.\[\]\.defer_loading",),
        "anthropic/failed-result-empty": (r"messages\.\[\]\.content\.\[\]\.is_error",),
        "anthropic/container-type": (r"container\.id",),
        "anthropic/effort-unknown": (r"output_config\.effort.*",),
        "anthropic/system-message-model": (r"messages\.\[\].*",),
        "anthropic/thinking-adaptive-unsupported": (r"thinking.*",),
        "anthropic/thinking-type-unsupported": (r"thinking.*",),
        "anthropic/tool-schema-invalid": (r"tools\.\[\]\.input_schema\.properties",),
    },
    "messages-beta": {
        "anthropic/declared-range": (r".*user_location\.country", r"fallbacks.*task_budget.*"),
        "anthropic/failed-result-empty": (r"messages\.\[\]\.content\.\[\]\.is_error",),
        "anthropic/container-type": (r"container\.id",),
        "anthropic/system-message-model": (r"messages\.\[\].*",),
        "anthropic/thinking-adaptive-unsupported": (r"thinking.*",),
        "anthropic/thinking-type-unsupported": (r"thinking.*",),
    },
    "messages-any-model": {
        "anthropic/declared-range": (r".*user_location\.country", r"fallbacks.*task_budget.*"),
        "anthropic/failed-result-empty": (r"messages\.\[\]\.content\.\[\]\.is_error",),
        "anthropic/container-type": (r"container\.id",),
    },
    "groq": {
        "groq/pictures-unsupported": (r"messages\.\[\]\.content\.\[\].*",),
        "groq/schema-missing": (r"response_format.*",),
        "groq/tool-type": (r"tools\.\[\]\.type",),
        "groq/member-missing": (r"tools\.\[\].*",),
    },
    "mistral": {
        "mistral/declared-missing": (UNKNOWN_TO_API, r"messages\.\[\]\.content\.\[\]"),
        "mistral/declared-member": (UNKNOWN_TO_API, r"messages.*content\.\[\]\.content", r"tools.*authorization"),
        "mistral/declared-word": (UNKNOWN_TO_API, "reasoning_effort", r".*\.detail", r".*\.type", r".*\.action"),
        "mistral/audio-unsupported": (r"messages\.\[\]\.content\.\[\]\.type\.=input_audio",),
        "mistral/effort-value": (r"reasoning_effort\..*",),
        "mistral/logprobs-unsupported": ("logprobs", "top_logprobs"),
        "mistral/assistant-empty": (r"messages\.\[\]\.role\.=assistant",),
        "mistral/tool-type": (r"tools\.\[\]\.type",),
        "mistral/word-unknown": (r"response_format\.type", "prompt_mode"),
        "mistral/tool-choice-unknown": ("tool_choice",),
    },
    "ollama": {"ollama/property-schema": (r"tools\.\[\]\.function\.parameters\.properties",)},
    "gemini": {
        "gemini/invalid-value": (r"config\.responseModalities\.\[\]",),
        "gemini/schema-unknown-field": (r"config\.responseSchema\.ref",),
        "gemini/schema-required-undefined": (r"config\.responseSchema\.required\.\[\]",),
        "gemini/response-mime-type": (r"config\.responseMimeType",),
        "gemini/schema-items-missing": (r"config\.responseSchema\.type\.=ARRAY",),
    },
    "vertex": {"gemini/invalid-value": (r"config\.responseModalities\.\[\]",)},
}
"""Refused fields by API and rule: the refusal was recorded for this model, or the smallest value makes no sense (a tool
or a format of type `a`, an array without items)."""

FIELDS = {
    "chat": 300, "chat-reasoning": 300, "chat-any-model": 300, "responses": 1200, "responses-reasoning": 1200,
    "responses-any-model": 1200, "responses-beta": 1400, "messages": 1000, "messages-beta": 2000,
    "messages-any-model": 2000, "groq": 150, "mistral": 200, "ollama": 30, "gemini": 350, "vertex": 350,
}  # fmt: skip
"""The least number of fields of each API."""


def refusals(api: str) -> Iterator[tuple[str, str | None]]:
    """Each field and the rule that refuses it."""
    if api in ("gemini", "vertex"):
        for where, path, body in requests(api):
            violation = judge(api, path, body, {"content-type": "application/json"})
            yield ".".join(where), violation and violation.rule
        return
    context = APIS[api]
    for where, value in Walker(context.hints).instances(context.kind):
        ours = {name: given for name, given in context.base.items() if not where or where[0] != name}
        body = with_pictures(context.complete({**copy.deepcopy(value), **copy.deepcopy(ours)}))
        headers = {"content-type": "application/json", **context.headers}
        violation = judge(context.provider, context.path, json.dumps(body).encode(), headers)
        yield ".".join(where), violation and violation.rule


@pytest.mark.slow
@pytest.mark.parametrize("api", REFUSED_AS_RECORDED)
def test_documented_fields_are_accepted_except_for_a_listed_reason(api: str) -> None:
    found = list(refusals(api))

    contents = REFUSED_AS_RECORDED[api]
    refused = [(where, rule) for where, rule in found if rule is not None]
    assert [
        (at, rule) for at, rule in refused if not any(re.fullmatch(one, at) for one in contents.get(rule, ()))
    ] == []
    assert {rule for _, rule in refused} == set(contents)
    assert len(found) >= FIELDS[api]


def test_an_undocumented_field_is_refused() -> None:
    for name in ("chat", "responses", "messages"):
        context = APIS[name]
        body = context.complete({**copy.deepcopy(context.base), "undocumented": 1})

        assert judge(context.provider, context.path, json.dumps(body).encode(), {}) is not None, name


def test_each_field_is_found_once_with_the_required_members() -> None:
    from openai.types.chat.chat_completion_message_function_tool_call_param import (
        ChatCompletionMessageFunctionToolCallParam as Call,
    )

    function = {"arguments": "a", "name": "a"}
    assert smallest(Call) == {"id": "a", "function": function, "type": "function"}
    assert [".".join(where) for where, _ in Walker().instances(Call)] == [
        "", "id", "function", "function.arguments", "function.name", "type.=function",
    ]  # fmt: skip
