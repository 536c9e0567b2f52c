"""What a provider sends, as data: its members in the provider's order, some of which are holes.

A `Document` is filled in from a reply or a part of one, an `Envelope` from what was wrong. Neither knows a wire.
"""

from collections.abc import Callable, Iterable, Mapping
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
    functions of the subject. A member with `?` is left out where it is `ABSENT`.

    `fill` fills it in. It is written as a function, because an answer of a hundred chunks is filled in that often.
    """

    def __init__(self, order: str = "", **values: Any) -> None:
        self._order = order.split()
        self._values = values
        names = {word.removesuffix("?").partition(":")[0] for word in self._order}
        if values.keys() - names:
            raise ValueError(f"values without a place in {order!r}: {', '.join(sorted(values.keys() - names))}")
        members, optional = [], []
        for word in self._order:
            name, _, attribute = word.removesuffix("?").partition(":")
            value = f"values[{name!r}]" if name in values else "None" if attribute == "null" else ""
            called = "(subject)" if callable(values.get(name)) else ""
            members.append(f"{name!r}: {value}{called}" if value else f"{name!r}: subject.{attribute or name}")
            if word.endswith("?"):
                optional.append(f"    if filled[{name!r}] is ABSENT:\n        del filled[{name!r}]\n")
        source = f"def fill(subject):\n    filled = {{{', '.join(members)}}}\n{''.join(optional)}    return filled\n"
        scope: dict[str, Any] = {"values": values, "ABSENT": ABSENT}
        exec(source, scope)
        self.fill: Callable[[Any], dict[str, Any]] = scope["fill"]

    def __call__(self, subject: Any) -> dict[str, Any]:
        return self.fill(subject)

    def renamed(self, old: str, new: str) -> "Document":
        """The same with another member in the place of this one."""
        return Document(" ".join(new if word == old else word for word in self._order), **self._values)

    def marked(self, names: Iterable[str]) -> "Document":
        """The same with a mark in the place of each of these members, if it has them."""
        marks = {name: mark_of(name) for name in names if name in self._values}
        return Document(" ".join(self._order), **{**self._values, **marks})

    def function_of(self, name: str) -> Callable[[Any], Any] | None:
        found: Callable[[Any], Any] | None = self._values.get(name)
        return found


def headers(order: str = "", **values: str | Callable[[Any], Any]) -> Document:
    """The headers of a reply: `order` as in a document, and then those whose values are given, with `_` for `-`. A
    function may say that its header is absent."""
    given = {name.replace("_", "-"): value for name, value in values.items()}
    names = (f"{name}?" if callable(value) else name for name, value in given.items())
    return Document(" ".join((order, *names)), **given)


def mark_of(name: str) -> str:
    """Stands for a value that is put into the JSON later: nothing that a client says."""
    return f"\0filled in later:{name}"


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

    def refusal(self, rule: Rule, found: Breach, _context: RequestContext | None) -> Any:
        """The body of a refusal, for `Rulebook`: `extra` of what was found has values for holes."""
        return self(**{"message": found.message, "status": rule.status, **found.extra})


class Failure(Struct, frozen=True):
    """What a provider says: a sentence with holes such as `{model}`, and values for those of its envelope, or the whole
    `body` in the place of both. `wait` is how many seconds it says to wait unless that is scripted."""

    sentence: str = ""
    members: Mapping[str, Any] = field(default_factory=dict)
    wait: float = 1
    body: Any = None
