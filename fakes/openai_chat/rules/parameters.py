"""The plain parameters, in the API's own order: their types and their ranges."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from fakes.openai_chat.errors import envelope
from fakes.openai_chat.rules.sources import asking, probed, seen
from fakes.openai_chat.rules.wording import broken, long_string, one_of, wrong_type, wrong_value
from fakes.rule import Evidence, Violation
from fakes.rulebook import Asked, Broken, Rulebook

Type = Literal[
    "a boolean",
    "an integer",
    "a decimal",
    "a string",
    "an object",
    "a metadata object",
    "one of a string or array of strings",
    "one of",
]


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter; null is always accepted. `values` are the words that it may be, and `newer` those that the refusal
    does not list and the SDK knows."""

    name: str
    type: Type
    least: float | None = None
    most: float | None = None
    values: tuple[str, ...] = ()
    newer: tuple[str, ...] = ()


PARAMETERS: Final = (
    Parameter("parallel_tool_calls", "a boolean"),
    Parameter("max_tokens", "an integer", least=1),
    Parameter("max_completion_tokens", "an integer", least=1),
    Parameter("n", "an integer", least=1),
    Parameter("temperature", "a decimal", least=0, most=2),
    Parameter("top_p", "a decimal", least=0, most=1),
    Parameter("presence_penalty", "a decimal", least=-2, most=2),
    Parameter("frequency_penalty", "a decimal", least=-2, most=2),
    Parameter("logprobs", "a boolean"),
    Parameter("top_logprobs", "an integer"),
    Parameter("user", "a string"),
    Parameter("seed", "an integer"),
    Parameter("safety_identifier", "a string"),
    Parameter("prompt_cache_options", "an object"),
    Parameter("prompt_cache_key", "a string"),
    Parameter("service_tier", "one of", values=("auto", "default", "fast", "flex", "priority"), newer=("scale",)),
    Parameter("stream", "a boolean"),
    Parameter("store", "a boolean"),
    Parameter("metadata", "a metadata object"),
    Parameter("verbosity", "one of", values=("low", "medium", "high")),
)
"""Measured by pairs of neighbours with a wrong type; `max_tokens` stands where its successor does."""


OPTIONS: Final = (
    Parameter("stop", "one of a string or array of strings"),
    Parameter("stream_options", "an object"),
    Parameter("logit_bias", "an object"),
    Parameter("prediction", "an object"),
    Parameter("web_search_options", "an object"),
    Parameter("reasoning_effort", "a string"),
)
"""Those of which only the types are documented: what is said of them is deduced from the others."""


MOST_METADATA: Final = 16
LONGEST_KEY: Final = 64
LONGEST_VALUE: Final = 512


class _Parameters(Rulebook):
    """Asks its checks of each parameter in turn; their body is the parameter with its value."""

    def __init__(self, parameters: tuple[Parameter, ...]) -> None:
        super().__init__(envelope)
        self._parameters = parameters

    def judge(self, asked: Asked) -> Violation | None:
        body: Mapping[str, Any] = asked.body
        for parameter in self._parameters:
            value = body.get(parameter.name)
            if value is None:
                continue
            violation = super().judge(asked.about((parameter, value)))
            if violation is not None:
                return violation
        return None


WALK = _Parameters(PARAMETERS)
DEDUCED = _Parameters(OPTIONS)
COMBINED = Rulebook(envelope)
"""What one parameter asks of another."""


@WALK.rule(
    "openai/parameter-type",
    why="a parameter is of the wrong type",
    confidence="recorded",
    evidence=probed("Invalid type for 'temperature': expected a decimal, but got a string instead."),
    breaking=asking(temperature="0.5"),
    accepted=asking(temperature=0.5),
)
def _type(asked: Asked) -> Broken | None:
    parameter, value = asked.body
    if _fits(value, parameter.type):
        return None
    expected = one_of(parameter.values) if parameter.type == "one of" else parameter.type
    return wrong_type(parameter.name, expected, value)


@WALK.rule(
    "openai/parameter-value",
    why="a parameter is a word that there is not",
    confidence="recorded",
    evidence=probed("an unknown service_tier"),
    breaking=asking(service_tier="express"),
    accepted=asking(service_tier="flex"),
)
def _word(asked: Asked) -> Broken | None:
    parameter, value = asked.body
    if not parameter.values or value in (*parameter.values, *parameter.newer):
        return None
    return wrong_value(parameter.name, value, parameter.values)


@WALK.rule(
    "openai/metadata-limits",
    why="the metadata have more than 16 properties, or one with a long name, a long value or a value that is no text",
    confidence="recorded",
    evidence=(*probed("metadata with too many properties"), *probed("a metadata value over 512 characters")),
    breaking=asking(metadata={"city": 7}),
    accepted=asking(metadata={"city": "Oslo"}),
)
def _metadata(asked: Asked) -> Broken | None:
    parameter, value = asked.body
    return metadata_fault(value) if parameter.name == "metadata" else None


@WALK.rule(
    "openai/parameter-range",
    why="a number is below or above what the parameter may be",
    confidence="recorded",
    evidence=(
        *seen("recorded exchange, gpt-4o", "Expected a value <= 2, but got 99.0 instead."),
        *seen("recorded exchange, gpt-4o-mini", "Invalid 'max_tokens': integer below minimum value."),
        *probed("n below the floor"),
    ),
    breaking=asking(max_completion_tokens=0),
    accepted=asking(max_completion_tokens=1),
)
def _range(asked: Asked) -> Broken | None:
    parameter, value = asked.body
    number = "integer" if parameter.type == "an integer" else "decimal"
    if parameter.least is not None and value < parameter.least:
        sentence = f"{number} below minimum value. Expected a value >= {parameter.least}, but got {value} instead."
        return broken(parameter.name, f"Invalid '{parameter.name}': {sentence}", f"{number}_below_min_value")
    if parameter.most is not None and value > parameter.most:
        sentence = f"{number} above maximum value. Expected a value <= {parameter.most}, but got {value} instead."
        return broken(parameter.name, f"Invalid '{parameter.name}': {sentence}", f"{number}_above_max_value")
    return None


@DEDUCED.rule(
    "openai/option-type",
    why="an option is of another type than documented, such as a number for `reasoning_effort`",
    confidence="inferred",
    evidence=(
        Evidence("openai/openai-python, types/chat/completion_create_params.py", "stream_options: Optional[...Param]"),
    ),
    breaking=asking(stream=True, stream_options="include_usage"),
    accepted=asking(stream=True, stream_options={"include_usage": True}),
)
def _option_type(asked: Asked) -> Broken | None:
    parameter, value = asked.body
    if _fits(value, parameter.type):
        return None
    return wrong_type(parameter.name, parameter.type, value)


@COMBINED.rule(
    "openai/stream-options-without-stream",
    why="there are `stream_options` and nothing is streamed",
    confidence="verbatim",
    evidence=seen("BerriAI/litellm#5803", "The 'stream_options' parameter is only allowed when 'stream' is enabled."),
    breaking=asking(stream_options={"include_usage": True}),
    accepted=asking(stream_options={"include_usage": True}, stream=True),
)
def _stream_options(asked: Asked) -> Broken | None:
    if asked.stream or asked.body.get("stream_options") is None:
        return None
    return broken("stream_options", "The 'stream_options' parameter is only allowed when 'stream' is enabled.")


def metadata_fault(metadata: Mapping[str, Any]) -> Broken | None:
    """What is wrong with metadata, on either endpoint: measured on both sides of each limit."""
    if len(metadata) > MOST_METADATA:
        told = f"at most {MOST_METADATA} properties, but got an object with {len(metadata)} properties instead."
        message = f"Invalid 'metadata': too many properties. Expected an object with {told}"
        return broken("metadata", message, "object_above_max_properties")
    for name, value in metadata.items():
        param = f"metadata.{name}"
        if len(name) > LONGEST_KEY:
            told = f"maximum length {LONGEST_KEY}, but got a string with length {len(name)} instead."
            short = f"'{name[:3]}...{name[-3:]}'"
            message = f"Invalid property name in 'metadata': {short} is too long. Expected a string with {told}"
            return broken(param, message, "property_name_above_max_length")
        if value is not None and not isinstance(value, str):
            return wrong_type(param, "a string", value)
        if value is not None and len(value) > LONGEST_VALUE:
            return long_string(param, most=LONGEST_VALUE, length=len(value))
    return None


def _fits(value: Any, expected: Type) -> bool:
    if expected == "a boolean":
        return isinstance(value, bool)
    if expected in ("a string", "one of"):
        return isinstance(value, str)
    if expected in ("an object", "a metadata object"):
        return isinstance(value, dict)
    if expected == "one of a string or array of strings":
        return isinstance(value, str) or (isinstance(value, list) and all(isinstance(one, str) for one in value))
    if isinstance(value, bool):
        return False
    return isinstance(value, int) or (expected == "a decimal" and isinstance(value, float))
