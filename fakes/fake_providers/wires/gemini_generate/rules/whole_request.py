"""Rules without sample requests: the key, which is checked only when serving, and the window, which only the caller
knows."""

from fake_providers.rule import Rule
from fake_providers.wires.gemini_generate.rules.samples import cite

MISSING_KEY = Rule(
    id="gemini/missing-key",
    status=403,
    why=(
        "The request has no key in `x-goog-api-key`, in `?key=` or as a bearer token. (A wrong key is a 400, which no "
        "fake can detect.)"
    ),
    models="all",
    confidence="verbatim",
    evidence=cite(
        "users of Google APIs quoting it",
        quote="Method doesn't allow unregistered callers (callers without established identity).",
    ),
    checked="2026-11-20",
    breaking=None,
    accepted=None,
)

MISSING_CREDENTIAL = Rule(
    id="vertex/missing-credential",
    status=401,
    why="The request has neither a bearer token nor a key, which express mode accepts.",
    models="all",
    confidence="recorded",
    evidence=cite(
        "a recording of gemini-2.5-pro in us-central1",
        quote="Request is missing required authentication credential. Expected OAuth 2 access token, login cookie or "
        "other valid authentication credential.",
    ),
    checked="2026-11-20",
    breaking=None,
    accepted=None,
)

INPUT_TOO_LONG = Rule(
    id="gemini/input-too-long",
    status=400,
    why="The conversation has more tokens than the model's context window. An older sentence contains its count too.",
    models="all",
    confidence="recorded",
    evidence=cite(
        "a recording of gemini-2.5-flash",
        quote="The input token count exceeds the maximum number of tokens allowed (1048576).",
    ),
    checked="2026-11-20",
    breaking=None,
    accepted=None,
)
