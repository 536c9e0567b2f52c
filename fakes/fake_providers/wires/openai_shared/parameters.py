"""Rules on plain parameters that both of OpenAI's endpoints share: types, ranges, and the limits of metadata.

A family without such a trait supports every known word.
"""

from collections.abc import Mapping
from typing import Any, Final, Literal

from msgspec import Struct

from fake_providers.rule import Violation
from fake_providers.rulebook import ANY_PARAMETER, Asked, Breach, RequestContext, Rulebook
from fake_providers.wires.openai_shared.errors import envelope
from fake_providers.wires.openai_shared.wording import breach, long_string, wrong_type

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

MOST_METADATA: Final = 16
LONGEST_KEY: Final = 64
LONGEST_VALUE: Final = 512
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


class ParameterBook(Rulebook):
    """Checks each parameter in turn; the body of the context is the parameter with its value."""

    selector = ANY_PARAMETER

    def __init__(self, parameters: tuple[Parameter, ...]) -> None:
        super().__init__(envelope)
        paths = ((parameter, parameter.name.split(".")) for parameter in parameters)
        self._parameters = tuple((parameter, path[0], path[1:]) for parameter, path in paths)

    def judge(self, context: RequestContext, reads: Asked | None = None) -> Violation | None:
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


def out_of_range(context: RequestContext) -> Breach | None:
    """Checks that a number is in the range of its parameter."""
    parameter, value = context.body
    number = "integer" if parameter.type == "an integer" else "decimal"
    if parameter.least is not None and value < parameter.least:
        sentence = f"{number} below minimum value. Expected a value >= {parameter.least}, but got {value} instead."
        return breach(parameter.name, f"Invalid '{parameter.name}': {sentence}", f"{number}_below_min_value")
    if parameter.most is not None and value > parameter.most:
        sentence = f"{number} above maximum value. Expected a value <= {parameter.most}, but got {value} instead."
        return breach(parameter.name, f"Invalid '{parameter.name}': {sentence}", f"{number}_above_max_value")
    return None


def too_long(parameter: Parameter, value: Any) -> Breach | None:
    """Checks that a text has no more characters than its parameter may have."""
    if parameter.longest is None or len(value) <= parameter.longest:
        return None
    return long_string(parameter.name, most=parameter.longest, length=len(value))


def metadata_limits(parameter: Parameter, value: Any) -> Breach | None:
    """Each limit was measured on both sides."""
    return _metadata_fault(value) if parameter.name == "metadata" else None


def _metadata_fault(metadata: Mapping[str, Any]) -> Breach | None:
    if len(metadata) > MOST_METADATA:
        expected = f"at most {MOST_METADATA} properties, but got an object with {len(metadata)} properties instead."
        message = f"Invalid 'metadata': too many properties. Expected an object with {expected}"
        return breach("metadata", message, "object_above_max_properties")
    for name, value in metadata.items():
        param = f"metadata.{name}"
        if len(name) > LONGEST_KEY:
            expected = f"maximum length {LONGEST_KEY}, but got a string with length {len(name)} instead."
            short = f"'{name[:3]}...{name[-3:]}'"
            message = f"Invalid property name in 'metadata': {short} is too long. Expected a string with {expected}"
            return breach(param, message, "property_name_above_max_length")
        if value is not None and not isinstance(value, str):
            return wrong_type(param, "a string", value)
        if value is not None and len(value) > LONGEST_VALUE:
            return long_string(param, most=LONGEST_VALUE, length=len(value))
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
