"""Rules on the plain parameters, in the API's own order: their types and ranges."""

from typing import Final

from fake_providers.rule import Citation
from fake_providers.rulebook import Breach, RequestContext, Rulebook
from fake_providers.wires.openai_chat.rules.samples import cite, cite_probe, sample_request
from fake_providers.wires.openai_shared.efforts import EFFORTS
from fake_providers.wires.openai_shared.errors import envelope
from fake_providers.wires.openai_shared.parameters import Parameter, ParameterBook, fits, metadata_limits, out_of_range
from fake_providers.wires.openai_shared.shared_rules import SharedRules
from fake_providers.wires.openai_shared.wording import breach, long_array, one_of, wrong_type, wrong_value

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
"""The order was measured with pairs of neighbours of a wrong type; `max_tokens` has the place of its successor."""


OPTIONS: Final = (
    Parameter("stop", "one of a string or array of strings"),
    Parameter("stream_options", "an object"),
    Parameter("logit_bias", "an object"),
    Parameter("prediction", "an object"),
    Parameter("web_search_options", "an object"),
    Parameter("reasoning_effort", "one of", values=EFFORTS),
    Parameter("n", "an integer", most=128),
    Parameter("top_logprobs", "an integer", least=0, most=20),
    Parameter("prompt_cache_retention", "one of", values=("in_memory", "24h")),
    Parameter("functions", "an array of objects"),
    Parameter("modalities", "an array of strings"),
    Parameter("audio", "an object"),
    Parameter("moderation", "an object"),
)
"""Parameters of which only types and ranges are documented; their error messages are deduced from the others."""


ITEM_RULES = ParameterBook(PARAMETERS)
DEDUCED = ParameterBook(OPTIONS)
MOST_STOPS: Final = 4
COMBINED = Rulebook(envelope)
"""Rules on parameters that depend on another."""


@ITEM_RULES.rule(
    "openai/parameter-type",
    why="A parameter has the wrong type.",
    confidence="recorded",
    evidence=cite_probe("Invalid type for 'temperature': expected a decimal, but got a string instead."),
    breaking=sample_request(temperature="0.5"),
    accepted=sample_request(temperature=0.5),
)
def _type(context: RequestContext) -> Breach | None:
    parameter, value = context.body
    if fits(value, parameter.type):
        return None
    expected = one_of(parameter.values) if parameter.type == "one of" else parameter.type
    return wrong_type(parameter.name, expected, value)


@ITEM_RULES.rule(
    "openai/parameter-value",
    why="A parameter has an unknown word as its value.",
    confidence="recorded",
    evidence=cite_probe("an unknown service_tier"),
    breaking=sample_request(service_tier="express"),
    accepted=sample_request(service_tier="flex"),
)
def _word(context: RequestContext) -> Breach | None:
    parameter, value = context.body
    if not parameter.values or value in (*parameter.values, *parameter.newer):
        return None
    return wrong_value(parameter.name, value, parameter.values)


SharedRules(ITEM_RULES, lambda context: (context.body,), sample_request).add(
    "openai/metadata-limits",
    metadata_limits,
    confidence="recorded",
    evidence=(*cite_probe("metadata with too many properties"), *cite_probe("a metadata value over 512 characters")),
)


ITEM_RULES.rule(
    "openai/parameter-range",
    why="A number is below or above the range of its parameter.",
    confidence="recorded",
    evidence=(
        *cite("recording, gpt-4o", "Expected a value <= 2, but got 99.0 instead."),
        *cite("recording, gpt-4o-mini", "Invalid 'max_tokens': integer below minimum value."),
        *cite_probe("n below the floor"),
    ),
    breaking=sample_request(max_completion_tokens=0),
    accepted=sample_request(max_completion_tokens=1),
)(out_of_range)


@DEDUCED.rule(
    "openai/option-type",
    why="An option has another type than documented, such as a number for `reasoning_effort`.",
    confidence="inferred",
    evidence=(
        Citation("openai/openai-python, types/chat/completion_create_params.py", "stream_options: Optional[...Param]"),
    ),
    breaking=sample_request(stream=True, stream_options="include_usage"),
    accepted=sample_request(stream=True, stream_options={"include_usage": True}),
)
def _option_type(context: RequestContext) -> Breach | None:
    parameter, value = context.body
    if fits(value, parameter.type):
        return None
    return wrong_type(parameter.name, one_of(parameter.values) if parameter.values else parameter.type, value)


DEDUCED.rule(
    "openai/option-range",
    why="More choices or log probabilities are asked for than documented.",
    confidence="inferred",
    evidence=cite("openai/openai-openapi 2.3.0: at most 128 choices, and 20 log probabilities"),
    checked="2026-11-23",
    breaking=sample_request(n=129),
    accepted=sample_request(n=128),
)(out_of_range)


@DEDUCED.rule(
    "openai/stop-too-many",
    why="There are more than 4 stop sequences.",
    confidence="verbatim",
    evidence=(
        *cite("continuedev/continue#2461", "Invalid 'stop': array too long. Expected an array with maximum length 4"),
        *cite("continuedev/continue#1572"),
        *cite("QwenLM/Qwen-Agent#228, Azure"),
    ),
    checked="2026-11-22",
    breaking=sample_request(stop=["1", "2", "3", "4", "5"]),
    accepted=sample_request(stop=["1", "2", "3", "4"]),
)
def _stop_too_many(context: RequestContext) -> Breach | None:
    parameter, value = context.body
    if parameter.name != "stop" or isinstance(value, str) or len(value) <= MOST_STOPS:
        return None
    return long_array("stop", most=MOST_STOPS, length=len(value))


DEDUCED.rule(
    "openai/option-value",
    why="`reasoning_effort` is a word that no model knows.",
    confidence="inferred",
    evidence=cite("the sentence that Responses, by a measured probe, has for `reasoning.effort`"),
    checked="2026-11-22",
    breaking=sample_request(model="gpt-7", reasoning_effort="extreme"),
    accepted=sample_request(model="gpt-7", reasoning_effort="high"),
)(_word)


@COMBINED.rule(
    "openai/stream-options-without-stream",
    why="`stream_options` is set and the request does not stream.",
    confidence="verbatim",
    evidence=cite("BerriAI/litellm#5803", "The 'stream_options' parameter is only allowed when 'stream' is enabled."),
    breaking=sample_request(stream_options={"include_usage": True}),
    accepted=sample_request(stream_options={"include_usage": True}, stream=True),
)
def _stream_options(context: RequestContext) -> Breach | None:
    if context.stream or context.body.get("stream_options") is None:
        return None
    return breach("stream_options", "The 'stream_options' parameter is only allowed when 'stream' is enabled.")
