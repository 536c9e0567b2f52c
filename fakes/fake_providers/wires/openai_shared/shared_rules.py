"""Rules that both OpenAI wires share. Each is declared once; a wire adds it to a book of its own, under its own id and
with its own evidence. Knows no single rule.

A check gets the place of a function, and the object with its name and its parameters or arguments. Samples are made
with changes to that object.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from fake_providers.rule import Citation, Confidence, Rule, Violation
from fake_providers.rulebook import Breach, Check, Condition, Reads, RequestContext, Rulebook
from fake_providers.wires.openai_shared.request_body import NOT_JSON
from fake_providers.wires.openai_shared.wording import (
    UNPARSED,
    breach,
    empty_string,
    long_string,
    wrong_pattern,
    wrong_type,
)

Subjects = Callable[[RequestContext], Iterable[tuple[Any, Any]]]
"""What a check is called with, one after the other: mostly a place in the body, and the value there."""
SubjectCheck = Callable[[Any, Any], Breach | None]
Sample = Callable[..., Any]
"""Makes a request body of one wire; the arguments change what the rule is about."""


def unchanged(sample: Sample) -> Any:
    return sample()


@dataclass(frozen=True, slots=True)
class SharedRule:
    """What two wires have in common of a rule. `breaking` and `accepted` make its samples with those of the wire."""

    why: str
    check: SubjectCheck
    breaking: Callable[[Sample], Any]
    accepted: Callable[[Sample], Any] = unchanged


def shared_rule(
    why: str, *, breaking: Callable[[Sample], Any], accepted: Callable[[Sample], Any] = unchanged
) -> Callable[[SubjectCheck], SharedRule]:
    """Make a rule of the decorated check."""
    return lambda check: SharedRule(why, check, breaking, accepted)


@dataclass(frozen=True, slots=True)
class SharedRules:
    """Adds shared rules to a book of one wire, which says where their subjects are and makes their samples."""

    book: Rulebook
    subjects: Subjects
    sample: Sample
    only: Condition | None = None

    def add(
        self,
        id: str,
        rule: SharedRule,
        *,
        confidence: Confidence,
        evidence: tuple[Citation, ...],
        models: str = "all",
        only: Condition | None = None,
    ) -> None:
        """Add the rule at the end of the book's order. `only` restricts it to some requests, as `models` says."""
        self.book.rule(
            id,
            why=rule.why,
            confidence=confidence,
            evidence=evidence,
            breaking=rule.breaking(self.sample),
            accepted=rule.accepted(self.sample),
            models=models,
            only=only or self.only,
        )(each(self.subjects)(rule.check))


def each(subjects: Subjects) -> Callable[[SubjectCheck], Check]:
    """Make a check of a request from a check of each subject; the first breach counts."""

    def of_request(check: SubjectCheck) -> Check:
        def first_breach(context: RequestContext) -> Breach | None:
            for place, value in subjects(context):
                breach = check(place, value)
                if breach is not None:
                    return breach
            return None

        return first_breach

    return of_request


@shared_rule(
    "The body is not JSON; NaN and Infinity are not JSON either.",
    breaking=lambda sample: json.dumps(sample()).encode()[:-1],
)
def not_json(_place: str, body: Any) -> Breach | None:
    return breach(None, UNPARSED) if body is NOT_JSON else None


@shared_rule("The body is JSON but not an object.", breaking=lambda sample: [sample()])
def not_object(_place: str, body: Any) -> Breach | None:
    return None if isinstance(body, dict) else breach(None, UNPARSED)


@dataclass(slots=True)
class Item:
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

    def judge(self, context: RequestContext, reads: Reads | None = None) -> Violation | None:
        items = context.body.get(self._field)
        if not isinstance(items, list) or not self.has_any(context.provider, reads):
            return None
        # A context for each item, made once for all rulebooks of this list
        contexts: list[RequestContext] | None = context.read.get(self._field)
        if contexts is None:
            items_with_place = (
                Item(value, index, f"{self._field}[{index}]", context.body, context.read)
                for index, value in enumerate(items)
            )
            contexts = context.read[self._field] = [context.about(item) for item in items_with_place]
        return self.judge_each(contexts, context.provider, reads)


LONGEST_NAME: Final = 64
NAME_PATTERN: Final = "^[a-zA-Z0-9_-]+$"

Function = dict[str, Any]


def wrong_name_characters(place: str, name: str) -> Breach | None:
    """A breach if the name has characters that names of functions and of schemas must not have."""
    return None if re.fullmatch("[a-zA-Z0-9_-]+", name) else wrong_pattern(place, NAME_PATTERN)


@shared_rule("The name of a function is null or not a string.", breaking=lambda sample: sample(name=7))
def name_type(place: str, function: Function) -> Breach | None:
    name = function["name"]
    return None if isinstance(name, str) else wrong_type(f"{place}.name", "a string", name)


@shared_rule(
    "The description of a function is not a string, or `strict` not a boolean.",
    breaking=lambda sample: sample(description=7),
)
def member_type(place: str, function: Function) -> Breach | None:
    description, strict = function.get("description"), function.get("strict")
    if description is not None and not isinstance(description, str):
        return wrong_type(f"{place}.description", "a string", description)
    if strict is not None and not isinstance(strict, bool):
        return wrong_type(f"{place}.strict", "a boolean", strict)
    return None


@shared_rule("The name of a function is empty.", breaking=lambda sample: sample(name=""))
def name_empty(place: str, function: Function) -> Breach | None:
    return None if function["name"] else empty_string(f"{place}.name")


@shared_rule(
    "The name of a function has more than 64 characters.",
    breaking=lambda sample: sample(name="g" * 65),
    accepted=lambda sample: sample(name="g" * 64),
)
def name_too_long(place: str, function: Function) -> Breach | None:
    length = len(function["name"])
    return long_string(f"{place}.name", most=LONGEST_NAME, length=length) if length > LONGEST_NAME else None


@shared_rule(
    "The name of a function has characters other than letters, digits, _ and -.",
    breaking=lambda sample: sample(name="weather.get"),
)
def name_pattern(place: str, function: Function) -> Breach | None:
    return wrong_name_characters(f"{place}.name", function["name"])


call_name_empty = replace(name_empty, why="The name of a tool call is empty.")
call_name_too_long = replace(name_too_long, why="The name of a tool call has more than 64 characters.")
call_name_pattern = replace(
    name_pattern, why="The name of a tool call has characters other than letters, digits, _ and -."
)


@shared_rule(
    "The arguments of a tool call are an object or null instead of a JSON text.",
    breaking=lambda sample: sample(arguments={"city": "Oslo"}),
)
def call_arguments_type(place: str, function: Function) -> Breach | None:
    arguments = function["arguments"]
    return None if isinstance(arguments, str) else wrong_type(f"{place}.arguments", "a string", arguments)
