"""Rules on what comes before the body's fields: that it is JSON, the key, and the window. They are no checks of a book.

What depends on a header or on the whole size has no pair of requests.
"""

import json
from typing import Any

from fakes.rule import Citation, Confidence, Rule
from fakes.wires.anthropic_messages.rules.tool_examples import PROBES, ask, user

CHECKED = "2026-11-20"
LARGEST = 32 * 1024 * 1024
"""Bytes of a request, beyond which what stands in front of the API refuses it unread."""


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
    "the body is JSON",
    "verbatim",
    Citation("anthropics/claude-code#77525", "The request body is not valid JSON: unexpected control character"),
    breaking=b"{",
    accepted=json.dumps(ask()).encode(),
)
LONE_SURROGATE = _rule(
    "anthropic/lone-surrogate",
    400,
    "text has no half of a character, as is left when text is cut in the middle of an emoji",
    "verbatim",
    Citation("anthropics/claude-code#3277", "The request body is not valid JSON: no low surrogate in string"),
    Citation("anthropics/claude-code#60394", "no low surrogate in string: line 1 column 195621 (char 195620)"),
    breaking=json.dumps(ask(user("7 \ud83d"))).encode(),
    accepted=json.dumps(ask(user("7 \U0001f600"))).encode(),
)
NOT_OBJECT = _rule(
    "anthropic/body-type",
    400,
    "the body is a JSON object",
    "inferred",
    Citation(PROBES, "tool_choice: Input should be an object"),
    breaking=[],
    accepted=ask(),
)
TOO_LARGE = _rule(
    "anthropic/request-too-large",
    413,
    "a request to the Messages API has at most 32 MB",
    "verbatim",
    Citation("anthropics/anthropic-sdk-python#938", "32 MB for the Messages API"),
    Citation("the API's documentation of errors", "Request exceeds the maximum allowed number of bytes."),
)
KEY_MISSING = _rule(
    "anthropic/key-missing",
    401,
    "every request carries a key, in `x-api-key` or as a bearer token",
    "recorded",
    Citation("recorded exchanges of 2026", "x-api-key header is required"),
)
TOO_LONG = _rule(
    "anthropic/prompt-too-long",
    400,
    "the conversation fits the model's window",
    "recorded",
    Citation("recorded exchanges", "prompt is too long: 200021 tokens > 200000 maximum"),
)
RULES = (TOO_LARGE, NOT_JSON, LONE_SURROGATE, NOT_OBJECT, KEY_MISSING, TOO_LONG)
