"""What defines a provider of this wire: where the Developer API and Vertex AI differ. Knows neither by name."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from fake_providers.http import Request
from fake_providers.rule import Rule
from fake_providers.rulebook import Rulebook
from fake_providers.wires.gemini_generate.request_validator import FieldViolation
from fake_providers.wires.gemini_generate.rules.rulebook import INPUT_TOO_LONG


class StatusBody(Protocol):
    """The error body for a status."""

    def __call__(self, status: int, request: Request, *, retry_after: float | None = None) -> dict[str, Any]: ...


class Arrangement(Protocol):
    """The body of a response, or of a chunk, with the provider's members and their order."""

    def __call__(self, body: dict[str, Any], *, is_last: bool, has_avg_logprobs: bool) -> dict[str, Any]: ...


@dataclass(frozen=True, slots=True)
class Provider:
    """One provider of the wire.

    `validate` runs after the parser. `to_json` encodes a chunk, `makes_call_ids` says whether the newer models generate
    ids of calls, and `ends_with_last_piece` whether a stream ends with its last piece of text instead of an empty one
    after it.
    """

    name: str
    books: tuple[Rulebook, ...]
    missing_key: Rule
    validate: Callable[[Any], tuple[FieldViolation, ...]]
    status_body: StatusBody
    arrange: Arrangement
    to_json: Callable[[Any], str]
    makes_call_ids: bool
    ends_with_last_piece: bool

    @property
    def rules(self) -> tuple[Rule, ...]:
        """In the order of the checks."""
        return (self.missing_key, *(rule for book in self.books for rule in book.rules), INPUT_TOO_LONG)
