"""Tables of rules on either OpenAI wire: on each item of a list, and on presence, type and length of members.

A check gets a subject and its place, such as a function with its name and its parameters. Samples are made with changes
to that subject. What both wires word alike is in `rules`.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, Literal

from msgspec import Struct

from fake_providers.rule import Citation, Confidence, Rule, Violation
from fake_providers.rulebook import (
    ANY_MESSAGE,
    ANY_TOOL,
    Asked,
    Breach,
    Check,
    Condition,
    RequestContext,
    Rulebook,
    Selector,
)
from fake_providers.wires.openai_shared.wording import empty_array, empty_string, long_string, missing, wrong_type

Subjects = Callable[[RequestContext], Iterable[tuple[Any, Any]]]
"""What a check is called with, one after the other: mostly a place in the body, and the value there."""
SubjectCheck = Callable[[Any, Any], Breach | None]
Sample = Callable[..., Any]
"""Makes a request body of one wire; the arguments change what the rule is about."""


def unchanged(sample: Sample) -> Any:
    return sample()


def changed(**members: Any) -> Callable[[Sample], Any]:
    """Makes a sample with these members."""
    return lambda sample: sample(**members)


class Row(Struct, frozen=True):
    """One rule of a table. `accepted` is the unchanged sample of the table, unless it is given."""

    id: str
    why: str
    check: SubjectCheck
    breaking: Any
    confidence: Confidence
    evidence: tuple[Citation, ...]
    accepted: Any = None
    checked: str = "2026-11-20"
    selector: Selector | None = None


class Grounds(Struct, frozen=True):
    """How sure a rule is on one wire, and why. `only` restricts it to some requests, as `models` says."""

    confidence: Confidence
    evidence: tuple[Citation, ...]
    models: str = "all"
    only: Condition | None = None


def grounds(confidence: Confidence, *evidence: Citation, models: str = "all", only: Condition | None = None) -> Grounds:
    return Grounds(confidence, evidence, models, only)


OpenAIWire = Literal["chat", "responses"]


class SharedRule(Struct, frozen=True):
    """A rule that both wires word alike. Its id is `name` behind the prefix of the wire's table, and its samples are
    made with those of the table. `responses` is None where that wire has no such rule."""

    name: str
    why: str
    check: SubjectCheck
    breaking: Callable[[Sample], Any]
    chat: Grounds
    responses: Grounds | None
    accepted: Callable[[Sample], Any] = unchanged


class RuleTable(Struct, frozen=True):
    """Adds rules on the same subjects to a book of one wire, at the end of its order."""

    book: Rulebook
    subjects: Subjects
    sample: Sample
    only: Condition | None = None
    selector: Selector | None = None
    """What the rules look at, where the book does not say it."""

    @property
    def looked_at(self) -> Selector:
        found = self.selector or getattr(self.book, "selector", None)
        assert found is not None, "a table on whole bodies says what its rules look at"
        return found

    def add(self, *rows: Row) -> None:
        for row in rows:
            right = self.sample() if row.accepted is None else row.accepted
            rule = Rule(row.id, 400, row.why, "all", row.confidence, row.evidence, row.checked, row.breaking, right)
            self.book.add(rule, row.selector or self.looked_at, each(self.subjects)(row.check), given=self.only)

    def add_shared(self, wire: OpenAIWire, prefix: str, *rules: SharedRule, only: Condition | None = None) -> None:
        """Add each rule that this wire has. `only` skips requests in which none of them can find anything."""
        for rule in rules:
            grounds = rule.chat if wire == "chat" else rule.responses
            if grounds is not None:
                made = Rule(
                    f"{prefix}{rule.name}",
                    400,
                    rule.why,
                    grounds.models,
                    grounds.confidence,
                    grounds.evidence,
                    "2026-11-20",
                    rule.breaking(self.sample),
                    rule.accepted(self.sample),
                )
                check, given = each(self.subjects)(rule.check), grounds.only or only or self.only
                self.book.add(made, self.looked_at, check, given=given)


def each(subjects: Subjects) -> Callable[[SubjectCheck], Check]:
    """Make a check of a request from a check of each subject; the first breach counts."""

    def of_request(check: SubjectCheck) -> Check:
        if subjects is items:
            return lambda context: check(context.body.place, context.body.value)
        if subjects is whole_body:
            return lambda context: check("", context.body)

        def first_breach(context: RequestContext) -> Breach | None:
            for place, value in subjects(context):
                breach = check(place, value)
                if breach is not None:
                    return breach
            return None

        return first_breach

    return of_request


class Item(Struct):
    """One item of the list, as the checks receive it in `RequestContext.body`. Never changed; see `RequestContext`.

    `read` is that of the whole request: what the check of one item has found out about all of them.
    """

    value: Any
    index: int
    place: str
    request_body: Mapping[str, Any]
    read: dict[str, Any]


class ItemRules(Rulebook):
    """A rulebook that checks every item in turn, each with an `Item` as the body of its context."""

    def __init__(self, envelope: Callable[[Rule, Breach, RequestContext], Any], field: str) -> None:
        super().__init__(envelope)
        self._field = field
        self.selector = ANY_TOOL if field == "tools" else ANY_MESSAGE

    def judge(self, context: RequestContext, reads: Asked | None = None) -> Violation | None:
        items, stretches = context.body.get(self._field), self.selected(context.provider, context.traits, reads)
        if not stretches or not isinstance(items, list):
            return None
        # A context for each item, made once for all rulebooks of this list
        contexts: list[RequestContext] | None = context.read.get(self._field)
        if contexts is None:
            items_with_place = (
                Item(value, index, f"{self._field}[{index}]", context.body, context.read)
                for index, value in enumerate(items)
            )
            contexts = context.read[self._field] = [context.about(item) for item in items_with_place]
        return self.judge_each(contexts, stretches)


def items(context: RequestContext) -> tuple[tuple[str, Any], ...]:
    """The item of a context of `ItemRules`, with its place."""
    return ((context.body.place, context.body.value),)


def whole_body(context: RequestContext) -> tuple[tuple[str, Any], ...]:
    return (("", context.body),)


def place_of(owner: str, member: str) -> str:
    """The place of a member; without a name that of the owner itself, and without an owner that in the body."""
    return f"{owner}.{member}" if owner and member else owner or member


def has(member: str) -> SubjectCheck:
    """Refuses an object without this member."""
    return lambda place, owner: None if member in owner else missing(place_of(place, member))


def is_object(place: str, value: Any) -> Breach | None:
    return None if isinstance(value, dict) else wrong_type(place, "an object", value)


def is_text(member: str = "") -> SubjectCheck:
    """Refuses a value that is no string: that of this member, which is there, or the subject itself."""

    def check(place: str, subject: Any) -> Breach | None:
        value = subject[member] if member else subject
        return None if isinstance(value, str) else wrong_type(place_of(place, member), "a string", value)

    return check


def is_not_empty(member: str = "") -> SubjectCheck:
    """Refuses an empty string."""

    def check(place: str, subject: Any) -> Breach | None:
        return None if (subject[member] if member else subject) else empty_string(place_of(place, member))

    return check


def is_at_most(most: int, member: str = "") -> SubjectCheck:
    """Refuses a string with more characters."""

    def check(place: str, subject: Any) -> Breach | None:
        length = len(subject[member] if member else subject)
        return long_string(place_of(place, member), most=most, length=length) if length > most else None

    return check


def is_list(member: str, expected: str = "an array of objects") -> SubjectCheck:
    """Refuses any other value than a list and null; a missing one is accepted."""

    def check(place: str, owner: Mapping[str, Any]) -> Breach | None:
        value = owner.get(member)
        return (
            None if value is None or isinstance(value, list) else wrong_type(place_of(place, member), expected, value)
        )

    return check


def is_not_an_empty_list(member: str) -> SubjectCheck:
    return lambda place, owner: empty_array(place_of(place, member)) if owner.get(member) == [] else None


LIKE_OTHER_TYPES: Final = (Citation("worded like the refusals of other wrong types"),)
LIKE_OTHER_MISSING: Final = (Citation("worded like the refusals of other missing members"),)
