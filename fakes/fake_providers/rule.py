"""Rules and violations: why a provider refuses a request, and how we know. Knows no particular provider."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

Confidence = Literal["recorded", "verbatim", "reported", "inferred"]
"""`recorded`: a stored HTTP request with its response, or a measured probe; `verbatim`: the body is quoted by users;
`reported`: the refusal is reported and its wording filled in; `inferred`: deduced. A refusal by an inferred rule is
advice, never a failure."""


@dataclass(frozen=True, slots=True)
class Citation:
    """`source` is a thread (`owner/repo#n`), a page or a recording; `quote` its decisive sentence."""

    source: str
    quote: str = ""


@dataclass(frozen=True, slots=True)
class Rule:
    """One documented reason for which a provider refuses a request.

    `id` is `<provider>/<what-is-wrong>`. `breaking` and `accepted` are whole request bodies that differ in one field
    (bytes where the body is no JSON; both None where no body shows it: a key, a window);
    `path` is the path (and query) that both are posted to and `headers` what is sent besides the defaults.
    """

    id: str
    status: int
    why: str
    models: str
    confidence: Confidence
    evidence: tuple[Citation, ...]
    checked: str
    breaking: Any
    accepted: Any
    path: str = ""
    headers: Mapping[str, str] | None = None
    about: Literal["", "picture"] = ""
    """`picture`: the request is right but for a picture that this provider does not take."""


@dataclass(frozen=True, slots=True)
class Violation:
    """One rule broken by one request. `at` is the place in the body; `body` the whole JSON of the refusal."""

    rule: str
    status: int
    body: Any
    message: str
    at: str
    confidence: Confidence = "verbatim"
    about: Literal["", "picture"] = ""
