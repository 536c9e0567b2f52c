"""Rules on the request as a whole: its JSON, the key, and the context window. They are outside the rulebooks."""

import json

from fake_providers.rule import Rule
from fake_providers.wires.bedrock_converse.rules.samples import cite, sample_request

CHECKED = "2026-11-23"
NO_KEY = "Missing Authentication Token"
TOO_LONG_CLAUDE = "The model returned the following errors: Input is too long for requested model."
TOO_LONG_NOVA = (
    "Input Tokens Exceeded: Number of input tokens exceeds maximum length. Please update the input to try again."
)

MISSING_KEY = Rule(
    id="bedrock/missing-key",
    status=403,
    why="The request is neither signed nor has a bearer key. (Which key it is, no fake can judge.)",
    models="all",
    confidence="reported",
    evidence=cite("services of Amazon, which all answer so", quote=NO_KEY),
    checked=CHECKED,
    breaking=None,
    accepted=None,
)
NOT_JSON = Rule(
    id="bedrock/not-json",
    status=400,
    why="The body is not JSON.",
    models="all",
    confidence="inferred",
    evidence=cite("other services of Amazon with this protocol"),
    checked=CHECKED,
    breaking=b"{",
    accepted=json.dumps(sample_request()).encode(),
)
INPUT_TOO_LONG = Rule(
    id="bedrock/input-too-long",
    status=400,
    why="The conversation has more tokens than the model's context window.",
    models="all; each vendor has a sentence of its own",
    confidence="verbatim",
    evidence=cite(
        "strands-agents/sdk-python, a list of such sentences",
        "a recording of nova-2-lite",
        quote="Input is too long for requested model.",
    ),
    checked=CHECKED,
    breaking=None,
    accepted=None,
)
RULES = (MISSING_KEY, NOT_JSON, INPUT_TOO_LONG)
