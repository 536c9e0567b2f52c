"""Words and numbers that compatible providers do not take: values of the right type outside an enum or a range.

Each provider brings its enums and ranges, as its API document or its SDK's types have them, and its words.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, Literal

from msgspec import Struct, field

from fake_providers import remedies
from fake_providers.providers.shared.chat_reading import inner
from fake_providers.providers.shared.chat_types import SampleRequests
from fake_providers.providers.shared.pydantic_words import UNREADABLE, UNTAGGED
from fake_providers.rule import Confidence, Remedy, Rule
from fake_providers.rulebook import ANY_PARAMETER, Breach, Quotes, RequestContext, Rulebook, cited

CHECKED: Final = "2026-11-29"
CHOICES: Final = ("none", "auto", "required")
"""What `tool_choice` may be, where it is a word."""
FORMATS: Final = ("text", "json_object", "json_schema")
CHOICE: Final = UNTAGGED["string", "object"]
EFFORTS: Final = ("none", "minimal", "low", "medium", "high", "xhigh", "max")
"""All efforts that any model has: which one takes which is said by other rules."""


class Range(Struct, frozen=True):
    """From `least` to `most`, either of them None where there is no bound. `above`: the least itself is outside."""

    least: float | None = None
    most: float | None = None
    above: bool = False

    def has(self, number: float) -> bool:
        low = self.least is None or (number > self.least if self.above else number >= self.least)
        return low and (self.most is None or number <= self.most)

    def is_below(self, number: float) -> bool:
        return self.least is not None and (number <= self.least if self.above else number < self.least)


PENALTY: Final = Range(-2, 2)
OPENAIS_RANGES: Final[Mapping[str, Range]] = {
    "temperature": Range(0, 2), "top_p": Range(0, 1), "presence_penalty": PENALTY, "frequency_penalty": PENALTY,
    "max_tokens": Range(1), "max_completion_tokens": Range(1), "n": Range(1), "top_logprobs": Range(0, 20),
}  # fmt: skip
"""Those of OpenAI's document, which most others have too."""

ENGINES: Final[Mapping[str, Range]] = {
    "temperature": Range(0), "top_p": Range(0, 1, above=True), "presence_penalty": PENALTY,
    "frequency_penalty": PENALTY, "max_tokens": Range(1), "n": Range(1),
}  # fmt: skip
"""Those of the engines that serve open models."""

Kind = Literal["tool-choice-unknown", "word-unknown", "value-range"]


class Outside(Struct, frozen=True):
    """A value outside its `range`, or none of the `words`."""

    at: str
    value: Any
    words: tuple[str, ...] = ()
    range: Range = Range()

    @property
    def kind(self) -> Kind:
        if not self.words:
            return "value-range"
        return "tool-choice-unknown" if self.at == "tool_choice" else "word-unknown"


class Values(Struct, frozen=True):
    """What a provider takes, and how it refuses others.

    - `words`: those of a refusal, or the whole of it where it reports another place than that of the value.
    - `choices`, `formats`, `efforts`: what `tool_choice`, `response_format.type` and `reasoning_effort` may be; empty
      where any word is taken. `others`: of further parameters.
    - `source`: where this is said. `known`: by rule, how it is known that the provider refuses this; else deduced.
    """

    words: Callable[[Outside, RequestContext], Breach | str]
    source: str
    choices: tuple[str, ...] = CHOICES
    formats: tuple[str, ...] = FORMATS
    efforts: tuple[str, ...] = EFFORTS
    others: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    ranges: Mapping[str, Range] = field(default_factory=lambda: OPENAIS_RANGES)
    known: Mapping[str, tuple[Confidence, Quotes]] = field(default_factory=dict)

    def outside(self, body: dict[str, Any]) -> Iterator[Outside]:
        """The choice first, then words, then numbers: in which order providers look is not known."""
        said = {
            "tool_choice": (body.get("tool_choice"), self.choices),
            "response_format.type": (inner(body, "response_format").get("type"), self.formats),
            "reasoning_effort": (body.get("reasoning_effort"), self.efforts),
            **{name: (body.get(name), words) for name, words in self.others.items()},
        }
        for at, (value, words) in said.items():
            if words and isinstance(value, str) and value not in words:
                yield Outside(at, value, words)
        for name, allowed in self.ranges.items():
            number = body.get(name)
            if isinstance(number, int | float) and not isinstance(number, bool) and not allowed.has(number):
                yield Outside(name, number, range=allowed)


# A table: two rows are to be compared.
# fmt: off
RULES: Final[Mapping[Kind, tuple[str, Remedy, tuple[tuple[str, Any, Any], ...]]]] = {
    "tool-choice-unknown": ("`tool_choice` is a word that the provider does not know, such as another provider's.",
        remedies.CHOICE_SHAPE, (("tool_choice", "x", "auto"),)),
    "word-unknown": ("A parameter has a word that is none of those it may have.",
        remedies.VALUE, (("response_format.type", "xml", "text"), ("reasoning_effort", "extreme", "low"))),
    "value-range": ("A parameter is a number outside its range.",
        remedies.KEEP_IN_RANGE, (("temperature", 5, 0.5), ("max_tokens", -1, 16))),
}
# fmt: on


def refuse_values(book: Rulebook, provider: str, values: Values, samples: SampleRequests, *, status: int = 400) -> None:
    """Add a rule for each kind of value that this provider does not take. A body is refused for the first one."""

    def check_of(kind: Kind) -> Callable[[RequestContext], Breach | None]:
        def check(context: RequestContext) -> Breach | None:
            found = next(values.outside(context.body), None)
            if found is None or found.kind != kind:
                return None
            words = values.words(found, context)
            return Breach(found.at, words) if isinstance(words, str) else words

        return check

    for kind, (why, remedy, candidates) in RULES.items():
        for place, wrong, right in candidates:
            breaking = samples.at(place, wrong)
            if next((found.kind for found in values.outside(breaking)), None) != kind:
                continue
            confidence, quotes = values.known.get(kind, ("inferred", {values.source: ""}))
            id, accepted, evidence = f"{provider}/{kind}", samples.at(place, right), cited(quotes)
            made = Rule(id, status, why, "all", confidence, evidence, CHECKED, breaking, accepted, remedy)
            book.add(made, ANY_PARAMETER, check_of(kind))
            break


def number(value: float) -> str:
    """As JSON and Python print it: `2`, `0.01`."""
    return str(int(value)) if float(value).is_integer() else str(value)


def pydantic_sentence(found: Outside) -> str:
    """What pydantic says of the value."""
    if found.words:
        *first, last = (repr(word) for word in found.words)
        return f"Input should be {', '.join(first)}{' or ' if first else ''}{last}"
    if found.range.is_below(found.value):
        than = "greater than" if found.range.above else "greater than or equal to"
        return f"Input should be {than} {number(found.range.least or 0)}"
    return f"Input should be less than or equal to {number(found.range.most or 0)}"


def pydantic_problem(found: Outside, loc: list[Any]) -> dict[str, Any]:
    """The whole problem, as pydantic lists it."""
    if found.words:
        kind, context = "literal_error", {"expected": pydantic_sentence(found).removeprefix("Input should be ")}
        return {"type": kind, "loc": loc, "msg": pydantic_sentence(found), "input": found.value, "ctx": context}
    if found.range.is_below(found.value):
        kind, bound = ("greater_than", "gt") if found.range.above else ("greater_than_equal", "ge")
        limit = found.range.least
    else:
        kind, bound, limit = "less_than_equal", "le", found.range.most
    return {"type": kind, "loc": loc, "msg": pydantic_sentence(found), "input": found.value, "ctx": {bound: limit}}


def engine_sentence(found: Outside) -> str:
    """What the sampling parameters of vLLM and SGLang say of a number, in the words of their sources."""
    least, most = found.range.least, found.range.most
    if found.at == "temperature":
        return f"temperature must be non-negative, got {found.value}."
    if most is None:
        return f"{found.at} must be at least {number(least or 0)}, got {found.value}."
    opened = "(" if found.range.above else "["
    return f"{found.at} must be in {opened}{number(least or 0)}, {number(most)}], got {found.value}."


def pydantic_outside(found: Outside) -> Breach:
    """The problem as Python prints it."""
    loc = ["body", *found.at.split(".")]
    return Breach(found.at, str([{**pydantic_problem(found, loc), "loc": tuple(loc)}]))


def serde_outside(found: Outside, context: RequestContext) -> Breach:
    """A negative count is no `u32`; of other numbers the words are not known."""
    if found.words:
        known = ", ".join(f"`{word}`" for word in found.words)
        reason = f"unknown variant `{found.value}`, expected one of {known}"
        reason = f"data did not match any variant of untagged enum {CHOICE}" if found.at == "tool_choice" else reason
    elif isinstance(found.value, int) and found.value < 0:
        reason = f"invalid value: integer `{found.value}`, expected u32"
    else:
        reason = f"invalid value: {found.value} is outside of [{found.range.least}, {found.range.most}]"
    return Breach(found.at, f"{UNREADABLE}{found.at}: {reason}")
