"""Rules that no pair of JSON bodies can show: what the body is at all, the key, and the window. Knows no body."""

from fakes.rule import Confidence, Evidence, Rule

CHECKED = "2026-11-20"


def _rule(id: str, status: int, why: str, confidence: Confidence, *evidence: Evidence) -> Rule:
    return Rule(id, status, why, "all", confidence, evidence, CHECKED, breaking=None, accepted=None)


NOT_JSON = _rule(
    "anthropic/not-json",
    400,
    "the body is JSON",
    "verbatim",
    Evidence("anthropics/claude-code#77525", "The request body is not valid JSON: unexpected control character"),
)
NOT_OBJECT = _rule("anthropic/body-type", 400, "the body is a JSON object", "inferred", Evidence("the API reference"))
KEY_MISSING = _rule(
    "anthropic/key-missing",
    401,
    "every request carries a key, in `x-api-key` or as a bearer token",
    "recorded",
    Evidence("recorded exchanges of 2026", "x-api-key header is required"),
)
TOO_LONG = _rule(
    "anthropic/prompt-too-long",
    400,
    "the conversation fits the model's window",
    "recorded",
    Evidence("recorded exchanges", "prompt is too long: 200021 tokens > 200000 maximum"),
)
RULES = (NOT_JSON, NOT_OBJECT, KEY_MISSING, TOO_LONG)
