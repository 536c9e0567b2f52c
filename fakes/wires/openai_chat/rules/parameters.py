"""The plain parameters, in the API's own order: their types and their ranges."""

from typing import Final

from fakes.rule import Citation
from fakes.rulebook import Breach, RequestContext, Rulebook
from fakes.wires.openai_chat.errors import envelope
from fakes.wires.openai_chat.rules.samples import asking, cite, probed
from fakes.wires.openai_shared.parameters import Parameter, ParameterBook, fits, metadata_limits, out_of_range
from fakes.wires.openai_shared.wording import breach, one_of, wrong_type, wrong_value

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


ITEM_RULES = ParameterBook(PARAMETERS)
DEDUCED = ParameterBook(OPTIONS)
COMBINED = Rulebook(envelope)
"""What one parameter asks of another."""


@ITEM_RULES.rule(
    "openai/parameter-type",
    why="a parameter is of the wrong type",
    confidence="recorded",
    evidence=probed("Invalid type for 'temperature': expected a decimal, but got a string instead."),
    breaking=asking(temperature="0.5"),
    accepted=asking(temperature=0.5),
)
def _type(context: RequestContext) -> Breach | None:
    parameter, value = context.body
    if fits(value, parameter.type):
        return None
    expected = one_of(parameter.values) if parameter.type == "one of" else parameter.type
    return wrong_type(parameter.name, expected, value)


@ITEM_RULES.rule(
    "openai/parameter-value",
    why="a parameter is a word that there is not",
    confidence="recorded",
    evidence=probed("an unknown service_tier"),
    breaking=asking(service_tier="express"),
    accepted=asking(service_tier="flex"),
)
def _word(context: RequestContext) -> Breach | None:
    parameter, value = context.body
    if not parameter.values or value in (*parameter.values, *parameter.newer):
        return None
    return wrong_value(parameter.name, value, parameter.values)


ITEM_RULES.rule(
    "openai/metadata-limits",
    why="the metadata have more than 16 properties, or one with a long name, a long value or a value that is no text",
    confidence="recorded",
    evidence=(*probed("metadata with too many properties"), *probed("a metadata value over 512 characters")),
    breaking=asking(metadata={"city": 7}),
    accepted=asking(metadata={"city": "Oslo"}),
)(metadata_limits)


ITEM_RULES.rule(
    "openai/parameter-range",
    why="a number is below or above what the parameter may be",
    confidence="recorded",
    evidence=(
        *cite("recorded exchange, gpt-4o", "Expected a value <= 2, but got 99.0 instead."),
        *cite("recorded exchange, gpt-4o-mini", "Invalid 'max_tokens': integer below minimum value."),
        *probed("n below the floor"),
    ),
    breaking=asking(max_completion_tokens=0),
    accepted=asking(max_completion_tokens=1),
)(out_of_range)


@DEDUCED.rule(
    "openai/option-type",
    why="an option is of another type than documented, such as a number for `reasoning_effort`",
    confidence="inferred",
    evidence=(
        Citation("openai/openai-python, types/chat/completion_create_params.py", "stream_options: Optional[...Param]"),
    ),
    breaking=asking(stream=True, stream_options="include_usage"),
    accepted=asking(stream=True, stream_options={"include_usage": True}),
)
def _option_type(context: RequestContext) -> Breach | None:
    parameter, value = context.body
    if fits(value, parameter.type):
        return None
    return wrong_type(parameter.name, parameter.type, value)


@COMBINED.rule(
    "openai/stream-options-without-stream",
    why="there are `stream_options` and nothing is streamed",
    confidence="verbatim",
    evidence=cite("BerriAI/litellm#5803", "The 'stream_options' parameter is only allowed when 'stream' is enabled."),
    breaking=asking(stream_options={"include_usage": True}),
    accepted=asking(stream_options={"include_usage": True}, stream=True),
)
def _stream_options(context: RequestContext) -> Breach | None:
    if context.stream or context.body.get("stream_options") is None:
        return None
    return breach("stream_options", "The 'stream_options' parameter is only allowed when 'stream' is enabled.")
