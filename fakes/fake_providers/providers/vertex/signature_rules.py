"""Vertex AI's sentences on thought signatures, which Gemini 3 requires there as on the Developer API."""

from fake_providers.providers.vertex.books import DOCS, SIGNATURES
from fake_providers.rulebook import Breach, RequestContext
from fake_providers.wires.gemini_generate.rules.rulebook import first_breach
from fake_providers.wires.gemini_generate.rules.samples import (
    call,
    cite,
    model,
    result,
    sample_request,
    user,
    vertex_path,
)
from fake_providers.wires.gemini_generate.rules.signatures import ALTERED, INTACT, corrupted_places, unsigned_calls

MISSING = (
    "Unable to submit request because function call `default_api:{name}` in the {position}. content block is missing a "
    "`thought_signature`. Learn more: https://docs.cloud.google.com/vertex-ai/generative-ai/docs/thought-signatures"
)
NOT_VALID = (
    f"Unable to submit request because Thought signature is not valid.. Learn more: {DOCS}/model-reference/gemini"
)
"""The two full stops are Vertex AI's."""


@SIGNATURES.rule(
    "vertex/thought-signature-missing",
    why="The first call of a model turn since the last user content has no thoughtSignature.",
    models="3 and later, gemini-3-pro-preview too",
    confidence="verbatim",
    evidence=cite(
        "Piebald-AI/piebald-issues#21",
        "JohnnyZ93/oai-compatible-copilot#49",
        quote="in the 2. content block is missing a `thought_signature`",
    ),
    breaking=sample_request(user("Rain?"), model(call(signed=False)), user(result())),
    accepted=sample_request(user("Rain?"), model(call()), user(result())),
    path=vertex_path(),
)
def thought_signature_missing(context: RequestContext) -> Breach | None:
    if not context.traits & {"thought-signatures", "thought-signatures-on-vertex"}:
        return None
    return first_breach(unsigned_calls(context.body.value, MISSING))


@SIGNATURES.rule(
    "vertex/thought-signature-invalid",
    why="A signature was changed: cut, altered or encoded twice; or another provider issued it.",
    models="3 and later",
    confidence="verbatim",
    evidence=cite(
        "decolua/9router#301",
        "lobehub/lobehub#12604",
        quote="Thought signature is not valid",
    ),
    breaking=sample_request(user("Rain?"), model({**call(), "thoughtSignature": ALTERED}), user(result())),
    accepted=sample_request(user("Rain?"), model({**call(), "thoughtSignature": INTACT}), user(result())),
    path=vertex_path(),
)
def thought_signature_invalid(context: RequestContext) -> Breach | None:
    if "thought-signatures" not in context.traits:
        return None
    return first_breach(Breach(at, NOT_VALID) for at in corrupted_places(context.body.value))
