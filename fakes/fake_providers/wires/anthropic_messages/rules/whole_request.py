"""Rules on the request as a whole: its size, its JSON, the key, and the context window. They are outside the rulebooks.

Rules that depend on a header or on the total size have no sample requests.
"""

import json
from typing import Any

from fake_providers.rule import Citation, Confidence, Rule
from fake_providers.wires.anthropic_messages.rules.samples import PROBES, sample_request, user

CHECKED = "2026-11-20"
LARGEST = 32 * 1024 * 1024
"""The most bytes that a request may have; the server in front of the API refuses a larger one unread."""


def _rule(
    id: str,
    status: int,
    why: str,
    confidence: Confidence,
    *evidence: Citation,
    breaking: Any = None,
    accepted: Any = None,
) -> Rule:
    return Rule(id, status, why, "all", confidence, evidence, CHECKED, breaking, accepted)


NOT_JSON = _rule(
    "anthropic/not-json",
    400,
    "The body is not JSON.",
    "verbatim",
    Citation("anthropics/claude-code#77525", "The request body is not valid JSON: unexpected control character"),
    breaking=b"{",
    accepted=json.dumps(sample_request()).encode(),
)
LONE_SURROGATE = _rule(
    "anthropic/lone-surrogate",
    400,
    "A string contains half of a surrogate pair, which is left when text is cut in the middle of an emoji.",
    "verbatim",
    Citation("anthropics/claude-code#3277", "The request body is not valid JSON: no low surrogate in string"),
    Citation("anthropics/claude-code#60394", "no low surrogate in string: line 1 column 195621 (char 195620)"),
    breaking=json.dumps(sample_request(user("7 \ud83d"))).encode(),
    accepted=json.dumps(sample_request(user("7 \U0001f600"))).encode(),
)
NOT_OBJECT = _rule(
    "anthropic/body-type",
    400,
    "The body is JSON but not an object.",
    "inferred",
    Citation(PROBES, "tool_choice: Input should be an object"),
    breaking=[],
    accepted=sample_request(),
)
TOO_LARGE = _rule(
    "anthropic/request-too-large",
    413,
    "The request is larger than 32 MB.",
    "verbatim",
    Citation("anthropics/anthropic-sdk-python#938", "32 MB for the Messages API"),
    Citation("the API's documentation of errors", "Request exceeds the maximum allowed number of bytes."),
)
KEY_MISSING = _rule(
    "anthropic/key-missing",
    401,
    "The request has no key, neither in `x-api-key` nor as a bearer token.",
    "recorded",
    Citation("recordings of 2026", "x-api-key header is required"),
)
TOO_LONG = _rule(
    "anthropic/prompt-too-long",
    400,
    "The conversation is longer than the model's context window.",
    "recorded",
    Citation("recordings", "prompt is too long: 200021 tokens > 200000 maximum"),
)
RULES = (TOO_LARGE, NOT_JSON, LONE_SURROGATE, NOT_OBJECT, KEY_MISSING, TOO_LONG)
