"""Vertex AI's words on thought signatures, which Gemini 3 demands there as on the Developer API."""

from fakes.rulebook import Breach, RequestContext
from fakes.wires.gemini_generate.rules.rulebook import (
    BOOK,
    VERTEX,
    asking,
    call,
    first,
    model,
    posted_to_vertex,
    result,
    said,
    user,
)
from fakes.wires.gemini_generate.rules.signatures import ALTERED, WHOLE, corrupted, unsigned
from fakes.wires.gemini_generate.vertex import DOCS

MISSING = (
    "Unable to submit request because function call `default_api:{name}` in the {position}. content block is missing a "
    "`thought_signature`. Learn more: https://docs.cloud.google.com/vertex-ai/generative-ai/docs/thought-signatures"
)
NOT_VALID = (
    f"Unable to submit request because Thought signature is not valid.. Learn more: {DOCS}/model-reference/gemini"
)
"""The double full stop is theirs."""


@BOOK.rule(
    "vertex/thought-signature-missing",
    why="Since the last content of the user's own, the first call of a model turn has no thoughtSignature.",
    models="3 and later, gemini-3-pro-preview too",
    confidence="verbatim",
    evidence=said(
        "Piebald-AI/piebald-issues#21",
        "JohnnyZ93/oai-compatible-copilot#49",
        quote="in the 2. content block is missing a `thought_signature`",
    ),
    breaking=asking(user("Rain?"), model(call(signed=False)), user(result())),
    accepted=asking(user("Rain?"), model(call()), user(result())),
    path=posted_to_vertex(),
    providers=VERTEX,
)
def thought_signature_missing(context: RequestContext) -> Breach | None:
    if not context.traits & {"thought-signatures", "thought-signatures-on-vertex"}:
        return None
    return first(unsigned(context.body.value, MISSING))


@BOOK.rule(
    "vertex/thought-signature-invalid",
    why="A signature came back changed: cut, altered or encoded once more.",
    models="3 and later",
    confidence="verbatim",
    evidence=said(
        "decolua/9router#301",
        "lobehub/lobehub#12604",
        quote="Thought signature is not valid",
    ),
    breaking=asking(user("Rain?"), model({**call(), "thoughtSignature": ALTERED}), user(result())),
    accepted=asking(user("Rain?"), model({**call(), "thoughtSignature": WHOLE}), user(result())),
    path=posted_to_vertex(),
    providers=VERTEX,
)
def thought_signature_invalid(context: RequestContext) -> Breach | None:
    if "thought-signatures" not in context.traits:
        return None
    return first(Breach(at, NOT_VALID) for at in corrupted(context.body.value))
