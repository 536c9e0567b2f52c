"""Rules on plain parameters that both of OpenAI's endpoints share: types, ranges, and the limits of metadata.

A family without such a trait supports every known word.
"""

from collections.abc import Mapping
from typing import Any, Final, Literal

from msgspec import Struct

from fake_providers.rule import Violation
from fake_providers.rulebook import Breach, RequestContext, Rulebook, RuleFilter, Selector
from fake_providers.wires.openai_shared.errors import envelope
from fake_providers.wires.openai_shared.wording import breach, long_string, wrong_type, wrong_value

Type = Literal[
    "a boolean",
    "an integer",
    "a decimal",
    "a string",
    "an object",
    "a metadata object",
    "an array of objects",
    "an array of strings",
    "one of a string or array of strings",
    "one of",
]

LONGEST_ID: Final = 64
"""The characters of `user`, `safety_identifier` and `prompt_cache_key`."""


class Parameter(Struct, frozen=True):
    """One parameter; `text.verbosity` is a member of another, and null is always accepted. `values` are the allowed
    words, and `newer` are allowed words that the SDK knows but the refusal does not list."""

    name: str
    type: Type
    least: float | None = None
    most: float | None = None
    values: tuple[str, ...] = ()
    newer: tuple[str, ...] = ()
    members: frozenset[str] | None = None
    longest: int | None = None


PARAMETER: Final = Selector(lambda context: (context.body,), "", ("value",), "parts", ("parameter",))
"""Each parameter with its value, for the rows of a `ParameterBook`."""


class ParameterBook(Rulebook):
    """Checks each parameter in turn; the body of the context is the parameter with its value."""

    def __init__(self, parameters: tuple[Parameter, ...]) -> None:
        super().__init__(envelope)
        paths = ((parameter, parameter.name.split(".")) for parameter in parameters)
        self._parameters = tuple((parameter, path[0], path[1:]) for parameter, path in paths)

    def judge(self, context: RequestContext, reads: RuleFilter | None = None) -> Violation | None:
        stretches = self.selected(context.provider, context.traits, reads)
        if not stretches:
            return None
        body = context.body
        return self.judge_each(
            (
                context.about((parameter, value))
                for parameter, name, below in self._parameters
                if name in body and (value := _value_at(body[name], below)) is not None
            ),
            stretches,
        )


def _value_at(value: Any, below: list[str]) -> Any:
    """The value itself, or that of its member; None where there is none."""
    for name in below:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def fits(value: Any, expected: Type) -> bool:
    match expected:
        case "a boolean":
            return isinstance(value, bool)
        case "a string" | "one of":
            return isinstance(value, str)
        case "an integer":
            return isinstance(value, int) and not isinstance(value, bool)
        case "a decimal":
            return isinstance(value, int | float) and not isinstance(value, bool)
        case "an object" | "a metadata object":
            return isinstance(value, dict)
        case "one of a string or array of strings":
            return isinstance(value, str) or (isinstance(value, list) and all(isinstance(item, str) for item in value))
    return isinstance(value, list)


def wrong_word(parameter: Parameter, value: Any) -> Breach | None:
    unknown = parameter.values and value not in (*parameter.values, *parameter.newer)
    return wrong_value(parameter.name, value, parameter.values) if unknown else None


def out_of_range(parameter: Parameter, value: Any) -> Breach | None:
    """The breach of a number that is not in the range of its parameter."""
    name, number = parameter.name, "integer" if parameter.type == "an integer" else "decimal"
    if parameter.least is not None and value < parameter.least:
        sentence = f"{number} below minimum value. Expected a value >= {parameter.least}, but got {value} instead."
        return breach(name, f"Invalid '{name}': {sentence}", f"{number}_below_min_value")
    if parameter.most is not None and value > parameter.most:
        sentence = f"{number} above maximum value. Expected a value <= {parameter.most}, but got {value} instead."
        return breach(name, f"Invalid '{name}': {sentence}", f"{number}_above_max_value")
    return None


def metadata_fault(metadata: Mapping[str, Any]) -> Breach | None:
    """Each limit was measured on both sides."""
    if len(metadata) > 16:
        expected = f"at most 16 properties, but got an object with {len(metadata)} properties instead."
        message = f"Invalid 'metadata': too many properties. Expected an object with {expected}"
        return breach("metadata", message, "object_above_max_properties")
    for name, value in metadata.items():
        param = f"metadata.{name}"
        if len(name) > 64:
            expected = f"maximum length 64, but got a string with length {len(name)} instead."
            short = f"'{name[:3]}...{name[-3:]}'"
            message = f"Invalid property name in 'metadata': {short} is too long. Expected a string with {expected}"
            return breach(param, message, "property_name_above_max_length")
        if value is not None and not isinstance(value, str):
            return wrong_type(param, "a string", value)
        too_long = long_string(param, value, 512)
        if too_long is not None:
            return too_long
    return None


EFFORTS: Final = ("none", "minimal", "low", "medium", "high", "xhigh", "max")
"""Every word that the API knows."""

SUPPORTED: Final[dict[str, tuple[str, ...]]] = {
    "efforts-minimal-to-high": ("minimal", "low", "medium", "high"),
    "efforts-none-to-high": ("none", "low", "medium", "high"),
    "efforts-none-to-xhigh": ("none", "low", "medium", "high", "xhigh"),
    "efforts-none-to-max": ("none", "low", "medium", "high", "xhigh", "max"),
    "efforts-low-to-high": ("low", "medium", "high"),
    "efforts-low-to-xhigh": ("low", "medium", "high", "xhigh"),
    "efforts-low-to-max": ("low", "medium", "high", "xhigh", "max"),
    "efforts-medium-to-xhigh": ("medium", "high", "xhigh"),
    "effort-medium": ("medium",),
    "effort-high": ("high",),
}
"""By trait, in the order of the error message."""


def supported_efforts(traits: frozenset[str]) -> tuple[str, ...]:
    """The efforts of a model with these traits; empty if they are not known."""
    return next((efforts for trait, efforts in SUPPORTED.items() if trait in traits), ())


def effort_list(efforts: tuple[str, ...]) -> str:
    """The efforts as the error message lists them: `'low', 'medium', and 'high'`."""
    names = [f"'{effort}'" for effort in efforts]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])}, and {names[-1]}"


REASONING: Final = "o1*, o3*, o4*, codex*, gpt-5*, gpt-6*, without gpt-5-chat"
"""The models that reason."""


def is_reasoning(traits: frozenset[str], effort: str | None) -> bool:
    """Whether a model with these traits reasons for a request with this effort; without one some newer ones do not."""
    default = "none" if "effort-none-by-default" in traits else "medium"
    return "reasoning" in traits and (effort or default) != "none"
