"""Rules and violations: why a provider refuses a request, and how we know."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Literal

from msgspec import Struct, field

Confidence = Literal["recorded", "verbatim", "reported", "inferred"]
"""`recorded`: a stored HTTP request with its response, or a measured probe; `verbatim`: the body is quoted by users;
`reported`: the refusal is reported and its wording filled in; `inferred`: deduced. A refusal by an inferred rule is
advice, never a failure."""


class Citation(Struct, frozen=True):
    """`source` is a thread (`owner/repo#n`), a page or a recording; `quote` its decisive sentence."""

    source: str
    quote: str = ""


Family = Literal[
    "encoding", "key", "too-long", "models", "messages", "content", "system", "order-of-turns", "pairing", "calls",
    "results", "declarations", "schemas", "strict-schemas", "tool-choice", "server-tools", "parameters",
    "answer-formats", "reasoning-settings", "reasoning-sent-back", "stored-state", "pictures", "caching",
]  # fmt: skip
"""What a rule is about."""


class Remedy(Struct, frozen=True):
    """What a maintainer does about a rule, in a sentence or two, and what else rules of this family have in common."""

    family: Family
    says: str

    def of(self, family: Family) -> "Remedy":
        """The same sentence for rules of another family."""
        return Remedy(family, self.says)


class Rule(Struct, frozen=True):
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
    remedy: Remedy
    path: str = ""
    headers: Mapping[str, str] | None = None
    about: Literal["", "picture"] = ""
    """`picture`: the request is right but for a picture that this provider does not take."""


class Violation(Struct, frozen=True):
    """One rule broken by one request. `at` is the place in the body; `body` the whole JSON of the refusal."""

    rule: str
    status: int
    body: Any
    message: str
    at: str
    confidence: Confidence = "verbatim"
    about: Literal["", "picture"] = ""


class Tolerance(Struct):
    """The ids of the rules that refuse nothing, and what one request has broken of them by now, in their order."""

    rules: frozenset[str]
    breaches: list[Violation] = field(default_factory=list)

    def takes(self, violation: Violation) -> bool:
        """Whether the request goes on to the next rule: this one is tolerated."""
        if violation.rule not in self.rules:
            return False
        if all(known.rule != violation.rule for known in self.breaches):
            self.breaches.append(violation)
        return True


CURRENT: ContextVar[Tolerance | None] = ContextVar("tolerance", default=None)
"""What is tolerated of the request that is being judged: here, so that no rulebook has to hand it on to the next."""


@contextmanager
def tolerating(tolerance: Tolerance | None) -> Iterator[None]:
    token = CURRENT.set(tolerance)
    try:
        yield
    finally:
        CURRENT.reset(token)


def judged(judge: Callable[[], Violation | None], tolerance: Tolerance) -> Violation | None:
    """The first violation that is not tolerated.

    Later checks may rely on what a tolerated rule would have refused: where one fails for that, nothing more is known.
    """
    with tolerating(tolerance):
        try:
            return judge()
        except Exception:
            if not tolerance.breaches:
                raise
            return None
