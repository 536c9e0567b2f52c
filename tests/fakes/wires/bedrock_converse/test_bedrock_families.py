"""Families of models: what each refuses and accepts, and which one an id is of."""

import json
from typing import Any

import pytest

from fake_providers import ScriptedFake, judge
from fake_providers.http import Request
from fake_providers.wires.bedrock_converse.request import base_id, traits_of
from fake_providers.wires.bedrock_converse.rules.samples import (
    DOCUMENT,
    POINT,
    TOOL,
    assistant,
    bedrock_path,
    call,
    result,
    sample_request,
    sample_with_tools,
    user,
)
from tests.docs.bedrock_families import FAMILIES, rules_of_families
from tests.docs.model_families import verdict
from tests.tables import rows

MODELS = {
    "Claude": "us.anthropic.claude-sonnet-4-6",
    "older Claude": "us.anthropic.claude-haiku-4-5-20251001-v1:0",
    "Claude 3": "anthropic.claude-3-haiku-20240307-v1:0",
    "Nova": "us.amazon.nova-pro-v1:0",
    "Nova 2": "us.amazon.nova-2-lite-v1:0",
    "Llama": "us.meta.llama3-3-70b-instruct-v1:0",
    "Mistral": "us.mistral.pixtral-large-2502-v1:0",
    "Qwen": "qwen.qwen3-32b-v1:0",
    "Writer": "us.writer.palmyra-x5-v1:0",
    "Cohere": "cohere.command-r-plus-v1:0",
    "unknown": "arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/abc123",
}
BODIES: dict[str, Any] = {
    "the assistant first": sample_request(assistant("a"), user("b")),
    "the assistant last": sample_request(user("a"), assistant("b")),
    "two user messages": sample_request(user("a"), user("b")),
    "text beside a result": sample_with_tools(user("a"), assistant(call()), user(result(), "b")),
    "text after a result": sample_with_tools(user("a"), assistant(call()), user(result()), user("b")),
    "text beside a call": sample_with_tools(user("a"), assistant("b", call()), user(result())),
    "any tool": sample_request(toolConfig={"tools": [TOOL], "toolChoice": {"any": {}}}),
    "one tool": sample_request(toolConfig={"tools": [TOOL], "toolChoice": {"tool": {"name": "f"}}}),
    "a status": sample_with_tools(user("a"), assistant(call()), user(result(status="error"))),
    "a cache point": sample_request(user("a", POINT)),
    "five cache points": sample_request(user(*["a", POINT] * 5)),
    "a document": sample_request(user("a", DOCUMENT)),
    "a blank text": sample_request(user(" ")),
    "unsigned reasoning": sample_request(
        user("a"), assistant({"reasoningContent": {"reasoningText": {"text": "b"}}}, "c"), user("d")
    ),
    "signed reasoning": sample_request(
        user("a"), assistant({"reasoningContent": {"reasoningText": {"text": "b", "signature": "s"}}}, "c"), user("d")
    ),
}
FIRST, LAST = "bedrock/start-with-user", "bedrock/end-with-user"
BESIDE, CALLS = "bedrock/results-beside-text", "bedrock/calls-beside-text"
CHOICE, CACHE = "bedrock/tool-choice-unsupported", "bedrock/cache-denied"
BLANK, OWN_BLANK = "bedrock/text-blank", "bedrock/claude-text-blank"
REASONING, SIGNATURE = "bedrock/reasoning-unsupported", "bedrock/claude-thinking-signature"
REFUSED: dict[str, dict[str, str]] = {
    "the assistant first": dict.fromkeys(("Nova", "Nova 2", "Llama", "Mistral", "Writer", "Cohere"), FIRST),
    "the assistant last": {
        **dict.fromkeys(("Nova", "Nova 2", "Llama", "Mistral", "Writer", "Cohere"), LAST),
        "Claude": "bedrock/claude-prefill",
    },
    "two user messages": {},
    "text beside a result": dict.fromkeys(("Llama", "Mistral", "Writer"), BESIDE),
    "text after a result": dict.fromkeys(("Llama", "Mistral", "Writer"), BESIDE),
    "text beside a call": dict.fromkeys(("Llama", "Mistral"), CALLS),
    "any tool": dict.fromkeys(("Llama", "Writer", "Cohere"), CHOICE),
    "one tool": dict.fromkeys(("Llama", "Mistral", "Writer", "Cohere"), CHOICE),
    "a status": {"Writer": "bedrock/field-unsupported"},
    "a cache point": dict.fromkeys(("Claude 3", "Llama", "Mistral", "Qwen", "Writer", "Cohere"), CACHE),
    "five cache points": {
        **dict.fromkeys(("Claude 3", "Llama", "Mistral", "Qwen", "Writer", "Cohere"), CACHE),
        **dict.fromkeys(("Claude", "older Claude"), "bedrock/too-many-cache-points"),
    },
    "a document": {},
    "a blank text": {
        **dict.fromkeys(("Nova", "Nova 2", "Llama", "Cohere"), BLANK),
        **dict.fromkeys(("Claude", "older Claude", "Claude 3"), OWN_BLANK),
    },
    "unsigned reasoning": {
        **dict.fromkeys(("Nova", "Llama", "Writer", "Claude 3"), REASONING),
        **dict.fromkeys(("Claude", "older Claude"), SIGNATURE),
    },
    "signed reasoning": {
        **dict.fromkeys(("Nova", "Nova 2", "Llama", "Mistral", "Qwen", "Writer", "Cohere"), REASONING),
        **dict.fromkeys(("Claude", "older Claude", "Claude 3"), SIGNATURE),
    },
}


@rows("body, family", [(body, family) for body in BODIES for family in MODELS], ids=", ".join)
def test_family_refuses_its_own_and_accepts_the_rest(body: str, family: str) -> None:
    violation = judge("bedrock", bedrock_path(MODELS[family]), json.dumps(BODIES[body]).encode(), {})

    assert (violation.rule if violation else None) == REFUSED[body].get(family)


OF_FAMILIES = [rule for rule, _ in rules_of_families()]


@rows("rule", OF_FAMILIES, ids=lambda rule: rule.id)
def test_request_beside_the_breaking_one_is_accepted_by_each_family_or_refused_for_what_it_lacks(rule: Any) -> None:
    beside = {
        family: verdict("bedrock", "bedrock-converse", rule, rule.accepted, FAMILIES[family]) for family in FAMILIES
    }

    assert [family for family in FAMILIES if beside[family] == rule.id] == []
    assert {found for found in beside.values() if found} <= {one.id for one in OF_FAMILIES}


CLAUDE_35 = "anthropic.claude-3-5-haiku-20241022-v1:0"


@pytest.mark.parametrize(
    "model",
    [
        CLAUDE_35,
        f"us.{CLAUDE_35}",
        f"global.{CLAUDE_35}",
        f"arn:aws:bedrock:us-east-1::foundation-model/{CLAUDE_35}",
        f"arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.{CLAUDE_35}",
    ],
)
def test_every_form_of_an_id_is_of_its_family(model: str) -> None:
    assert base_id(model) == CLAUDE_35
    assert {"claude", "prefill"} <= traits_of(model)
    assert judge("bedrock", bedrock_path(model), json.dumps(sample_request()).encode(), {}) is None


@pytest.mark.parametrize(
    ("model", "rule"),
    [
        ("does-not-exist", "bedrock/model-id"),
        ("us.does-not-exist", "bedrock/model-id"),
        ("us.amazon.nova-micro-v1:O", "bedrock/model-id"),
        ("arn:aws:s3:::bucket/key", "bedrock/model-id"),
        ("anthropic.claude-sonnet-4-20250514-v1:0", "bedrock/needs-profile"),
        ("meta.llama4-scout-17b-instruct-v1:0", "bedrock/needs-profile"),
    ],
)
def test_id_that_is_none_or_needs_a_profile_is_refused(model: str, rule: str) -> None:
    violation = judge("bedrock", bedrock_path(model), json.dumps(sample_request()).encode(), {})

    assert violation is not None
    assert violation.rule == rule


@rows("family", [family for family in MODELS if family != "unknown"])
def test_arn_that_says_no_vendor_is_of_the_family_that_the_fake_was_told(family: str) -> None:
    """What is refused of the base id alone, that it needs a profile, is not refused of the ARN of one."""
    for body in BODIES:
        fake = ScriptedFake("bedrock", served_model=MODELS[family])
        sent = Request("POST", bedrock_path(MODELS["unknown"]), {"authorization": "Bearer any"}, _bytes(body))

        fake.handle(sent)

        assert [violation.rule for violation in fake.violations] == [*filter(None, [REFUSED[body].get(family)])], body


def test_arn_that_says_its_model_is_of_that_whatever_the_fake_was_told() -> None:
    model = "arn:aws:bedrock:us-east-1::foundation-model/amazon.nova-pro-v1:0"
    fake = ScriptedFake("bedrock", served_model=MODELS["Claude"])

    fake.handle(Request("POST", bedrock_path(model), {"authorization": "Bearer any"}, _bytes("the assistant first")))

    assert [violation.rule for violation in fake.violations] == [FIRST]


def _bytes(body: str) -> bytes:
    return json.dumps(BODIES[body]).encode()


@pytest.mark.parametrize("path", ["/model/amazon.nova-lite-v1:0/converse", "/model/amazon.nova-lite-v1%3A0/converse"])
def test_colon_of_an_id_may_be_encoded_or_not(path: str) -> None:
    assert judge("bedrock", path, json.dumps(sample_request()).encode(), {}) is None
