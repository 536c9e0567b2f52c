"""What a provider sends, as data: its members in the provider's order, some of which are holes.

A `Document` is filled in from a reply or a part of one, an `Envelope` from what was wrong. Neither knows a wire.
"""

from collections.abc import Callable, Mapping
from operator import attrgetter
from typing import Any, Final

from msgspec import Struct, field

from fake_providers.rule import Rule
from fake_providers.rulebook import Breach, RequestContext


class _Absent:
    def __repr__(self) -> str:
        return "ABSENT"


ABSENT: Final[Any] = _Absent()
"""The value of a member that is left out."""


class Document:
    """Members in this order, each filled in with the attribute of its name that the document's subject has, or with
    another attribute (`content:text`), or null (`logprobs:null`). `values` are those of further members: constants, and
    functions of the subject."""

    def __init__(self, order: str = "", **values: Any) -> None:
        self._order = order.split()
        self._values = values
        self._constants: dict[str, Any] = {}
        self._holes: list[tuple[str, Callable[[Any], Any]]] = []
        for word in self._order:
            name, _, attribute = word.partition(":")
            value = None if attribute == "null" else values.get(name, attrgetter(attribute or name))
            self._constants[name] = None if callable(value) else value
            if callable(value):
                self._holes.append((name, value))
        if values.keys() - self._constants.keys():
            raise ValueError(f"values without a place in {order!r}: {sorted(values.keys() - self._constants.keys())}")

    def __call__(self, subject: Any) -> dict[str, Any]:
        filled = self._constants.copy()
        for name, value_of in self._holes:
            filled[name] = value = value_of(subject)
            if value is ABSENT:
                del filled[name]
        return filled

    def renamed(self, old: str, new: str) -> "Document":
        """The same with another member in the place of this one."""
        return Document(" ".join(new if word == old else word for word in self._order), **self._values)


class ByStatus(Struct, frozen=True):
    """A value for some statuses, and for all `other`. `failing` is for those from 500 on, or else that of 500."""

    known: Mapping[int, Any]
    other: Any = ABSENT
    failing: Any = ABSENT

    def of(self, status: int) -> Any:
        if status in self.known or status < 500:
            return self.known.get(status, self.other)
        return self.known.get(500, self.other) if self.failing is ABSENT else self.failing


class Envelope:
    """The body of an error, with holes such as `<message>` for values. `usual` are their values unless a call says
    otherwise, the same for all statuses or `ByStatus`; a member whose hole has none is left out."""

    def __init__(self, body: Any, **usual: Any) -> None:
        self._body = body
        self._usual = {"status": 400, **usual}

    def __call__(self, message: Any, **members: Any) -> Any:
        return self._filled(self._body, {**self._usual, "message": message, **members})

    def _filled(self, body: Any, values: Mapping[str, Any]) -> Any:
        if isinstance(body, ByStatus):
            return self._filled(body.of(values["status"]), values)
        if isinstance(body, str) and body.startswith("<"):
            value = values.get(body[1:-1], ABSENT)
            return value.of(values["status"]) if isinstance(value, ByStatus) else value
        if isinstance(body, list):
            return [self._filled(one, values) for one in body]
        if not isinstance(body, dict):
            return body
        filled = {name: self._filled(value, values) for name, value in body.items()}
        return {name: value for name, value in filled.items() if value is not ABSENT}

    def but(self, **usual: Any) -> "Envelope":
        """The same with other usual values."""
        return Envelope(self._body, **{**self._usual, **usual})

    def refusal(self, rule: Rule, found: Breach, _context: RequestContext) -> Any:
        """The body of a refusal, for `Rulebook`: `extra` of what was found has values for holes."""
        return self(found.message, **{"status": rule.status, **found.extra})


class Failure(Struct, frozen=True):
    """What a provider says: a sentence with holes such as `{model}`, and values for those of its envelope, or the whole
    `body` in the place of both. `wait` is how many seconds it says to wait unless that is scripted."""

    sentence: str = ""
    members: Mapping[str, Any] = field(default_factory=dict)
    wait: float = 1
    body: Any = None
