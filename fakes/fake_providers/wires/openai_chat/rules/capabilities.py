"""Rules on what a model does not support: parameters and values of reasoning models, and roles."""

from typing import Any, Final

from fake_providers import remedies
from fake_providers.rule import Remedy
from fake_providers.rulebook import ANY_PARAMETER, ANY_PART, Breach, RequestContext, Rulebook, Selector
from fake_providers.wires.openai_chat.rules.samples import CALL_MESSAGE, PROBES, RESULT, TOOL, USER, sample_request
from fake_providers.wires.openai_shared.errors import envelope
from fake_providers.wires.openai_shared.parameters import REASONING, effort_list, is_reasoning, supported_efforts
from fake_providers.wires.openai_shared.wording import breach, unsupported

BOOK = Rulebook(envelope)
ABILITIES_BOOK = Rulebook(envelope)

SAMPLING: Final[dict[str, Any]] = {"top_p": 1, "presence_penalty": 0, "frequency_penalty": 0}
"""The parameters that a model accepts only while it does not reason, each with the default, which is always
accepted."""
LONGEST: Final = {
    "longest-4096": 4096,
    "longest-8192": 8192,
    "longest-16384": 16_384,
    "longest-32768": 32_768,
    "longest-100000": 100_000,
    "longest-128000": 128_000,
}
"""The tokens of the longest answer, by the trait of its models."""
SEARCHES: Final = "gpt-4o-mini-search-preview"

_PICTURE: Final = {"type": "image_url", "image_url": {"url": "https://example.com/oslo.png"}}
_JSON: Final = {"role": "user", "content": "Say it in JSON."}
_SCHEMA: Final = {"name": "weather", "schema": {"type": "object", "properties": {}}}
_BY_SCHEMA: Final = {"type": "json_schema", "json_schema": _SCHEMA}


def _stop(context: RequestContext) -> Breach | None:
    if context.body.get("stop") is None:
        return None
    if "reasoning" in context.traits:
        return unsupported("stop")
    return breach(None, "Model incompatible request argument supplied: stop", at="stop")


def _effort_value(context: RequestContext) -> Breach | None:
    effort, supported = context.body.get("reasoning_effort"), supported_efforts(context.traits)
    if not isinstance(effort, str) or not supported or effort in supported:
        return None
    sentence = f"'reasoning_effort' does not support '{effort}' with this model."
    values = f"Supported values are: {effort_list(supported)}."
    return breach("reasoning_effort", f"Unsupported value: {sentence} {values}", "unsupported_value")


def _tools_while_reasoning(context: RequestContext) -> Breach | None:
    effort = context.body.get("reasoning_effort")
    always = "no-tools-unless-effort-none" in context.traits
    refuses = always or (effort and "no-tools-with-effort" in context.traits)
    if effort == "none" or not context.body.get("tools") or not refuses:
        return None
    if not any(tool["type"] == "function" for tool in context.body["tools"]):
        return None
    advice = "To use function tools, use /v1/responses or set reasoning_effort to 'none'."
    advice = advice if always else "Please use /v1/responses instead."
    message = f"Function tools with reasoning_effort are not supported for {context.model} in /v1/chat/completions."
    return breach("reasoning_effort", f"{message} {advice}")


def _temperature(context: RequestContext) -> Breach | None:
    temperature = context.body.get("temperature")
    if temperature in (None, 1):
        return None
    if "no-temperature" in context.traits:
        return unsupported("temperature")
    sentence = f"'temperature' does not support {temperature} with this model. Only the default (1) value is supported."
    return breach("temperature", f"Unsupported value: {sentence}", "unsupported_value")


def _is_reasoning(context: RequestContext) -> bool:
    return is_reasoning(context.traits, context.body.get("reasoning_effort"))


EACH_MESSAGE: Final = Selector(
    lambda context: ((message, f"messages[{index}]") for index, message in enumerate(context.body["messages"])),
    "{place}",
    ("place",),
    "parts",
    ("conversation",),
)


def _format(body: dict[str, Any]) -> Any:
    return (body.get("response_format") or {}).get("type")


def _max_tokens_large(context: RequestContext) -> Breach | None:
    most = next((LONGEST[trait] for trait in context.traits if trait in LONGEST), None)
    for name in ("max_tokens", "max_completion_tokens"):
        asked = context.body.get(name)
        if most is not None and asked is not None and asked > most:
            supports = f"This model supports at most {most} completion tokens, whereas you provided {asked}."
            return breach(name, f"{name} is too large: {asked}. {supports}", "invalid_value")
    return None


# A table: two rows are to be compared.
# fmt: off
BOOK.row("openai/tools-unsupported", "There are tools and the model does not support them.",
    ANY_PARAMETER, lambda body: body.get("tools"),
    "tools is not supported in this model. For a list of supported models, refer to "
        "https://platform.openai.com/docs/guides/function-calling#models-supporting-function-calling.", "tools",
    needs="tools", trait="no-tools", status=404, models="gpt-4o*-search-preview, gpt-5-chat-latest",
    remedy=remedies.TOOL_MODEL,
    wrong=sample_request(model="gpt-5-chat-latest", tools=[TOOL]), right=sample_request(model="gpt-5-chat-latest"),
    recorded={"recordings, gpt-4o-mini-search-preview, gpt-5-chat-latest": "tools is not supported in this"})
BOOK.row("openai/max-tokens-unsupported", "`max_tokens` is set for a reasoning model.",
    ANY_PARAMETER, lambda body: body.get("max_tokens") is not None
        and unsupported("max_tokens", " Use 'max_completion_tokens' instead."), needs="max_tokens", trait="reasoning",
    models=REASONING, remedy=remedies.PARAMETER_NAME,
    wrong=sample_request(model="gpt-5", max_tokens=32), right=sample_request(model="gpt-5"),
    recorded={"recording, gpt-5-nano": "Use 'max_completion_tokens' instead."})
BOOK.row("openai/max-tokens-twice", "`max_tokens` and `max_completion_tokens` are both set.",
    ANY_PARAMETER, lambda body: body.get("max_tokens") is not None and body.get("max_completion_tokens") is not None
        and breach("max_tokens", "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.",
        "invalid_parameter_combination"), needs="max_completion_tokens", remedy=remedies.PARAMETER_NAME,
    wrong=sample_request(max_tokens=32, max_completion_tokens=32), right=sample_request(max_completion_tokens=32),
    recorded={"recording, gpt-5-chat-latest": "Setting 'max_tokens' and 'max_completion_tokens' at the"})
BOOK.row("openai/stop-unsupported", "`stop` is set and the model does not support stop sequences.",
    ANY_PARAMETER, _stop, needs="stop", trait="no-stop",
    models="o3, o4-mini, gpt-5*, gpt-6*, gpt-4o*-search-preview; o3-mini was observed to accept them",
    remedy=remedies.NO_PARAMETER,
    wrong=sample_request(model="gpt-5", stop=["END"]), right=sample_request(model="gpt-5"),
    recorded={"recordings, o3, o4-mini, gpt-5*": "Unsupported parameter: 'stop' is not supported"})
BOOK.row("openai/parallel-tool-calls-unsupported",
    "`parallel_tool_calls` is set and the model only makes one call at a time.",
    ANY_PARAMETER, lambda body: body.get("parallel_tool_calls") is not None and unsupported("parallel_tool_calls"),
    needs="parallel_tool_calls", trait="no-parallel-calls", models="o1, o3, o3-mini, o4-mini",
    remedy=Remedy("tool-choice", "Leave `parallel_tool_calls` out for this model."),
    wrong=sample_request(model="o4-mini", tools=[TOOL], parallel_tool_calls=False),
    right=sample_request(model="o4-mini", tools=[TOOL]),
    verbatim={"evalstate/fast-agent#279, o4-mini": "Unsupported parameter: 'parallel_tool_calls' is not supported",
        "langchain-ai/langchain#29704, o3-mini": "", "run-llama/llama_index#20865, o1, o3-mini, o4-mini": ""})
BOOK.row("openai/effort-unsupported", "`reasoning_effort` is set for a model that does not reason; null is accepted.",
    ANY_PARAMETER, lambda body: body.get("reasoning_effort") is not None,
    "Unrecognized request argument supplied: reasoning_effort", "reasoning_effort", needs="reasoning_effort",
    trait="no-effort", models="gpt-3.5, gpt-4*", checked="2026-11-22", remedy=remedies.NO_EFFORT,
    wrong=sample_request(reasoning_effort="low"), right=sample_request(reasoning_effort=None),
    verbatim={"davidmigloz/langchain_dart#712, gpt-4o-mini": "Unrecognized request argument supplied: reasoning_effort",
        "AAswordman/Operit#1048, gpt-4o, with the value `none`": "", "formulahendry/wechat-acp#16, gpt-4.1": "",
        "yaroslavyaroslav/OpenAI-sublime-text#146: null is accepted": ""})
BOOK.row("openai/effort-value",
    "The model reasons, but does not support this effort: older ones have no `none`, newer ones no `minimal`.",
    ANY_PARAMETER, _effort_value, needs="reasoning_effort",
    models="those whose efforts are known: o1*, o3*, o4*, gpt-5 to gpt-5.6, gpt-6-astra, -sol, -luna, gpt-6.1",
    checked="2026-11-22", remedy=remedies.EFFORT_OF_MODEL,
    wrong=sample_request(model="gpt-5.1", reasoning_effort="minimal"),
    right=sample_request(model="gpt-5.1", reasoning_effort="none"),
    verbatim={"immersive-translate/immersive-translate#3529, gpt-5.1":
        "Unsupported value: 'reasoning_effort' does not support 'minimal' with this model. Supported values are:",
        "egoist/chatwise-releases#1257, gpt-5.2-chat-latest": "Supported values are: 'medium'.",
        "kaitranntt/ccs#344, gpt-5-mini": "Supported values are: 'minimal', 'low', 'medium', and 'high'.",
        "livekit/agents#7169, gpt-5.6, live: no `minimal` and, unlike on Responses, no `max`": "",
        "genkit-ai/genkit#6303, gpt-6-astra, live": "Supported values are: 'low', 'medium', 'high', and 'xhigh'",
        "https://developers.openai.com/api/docs/models, the efforts of gpt-6 and gpt-6.1": ""})
BOOK.row("openai/logprobs-not-allowed", "Logprobs are requested from a model that never gives them.",
    ANY_PARAMETER, lambda body: body.get("logprobs"), "You are not allowed to request logprobs from this model",
    "logprobs", needs="logprobs", trait="logprobs-not-allowed", status=403,
    models="o1*, o3*, o4*, gpt-5, gpt-4o-search-preview, gpt-4o-mini-search-preview", checked="2026-11-22",
    remedy=remedies.NO_PARAMETER,
    wrong=sample_request(model="gpt-5", logprobs=True), right=sample_request(model="gpt-5", logprobs=False),
    recorded={"recordings, o4-mini, gpt-5, gpt-5-mini, gpt-4o-mini-search-preview": "..."})
BOOK.row("openai/logprobs-unsupported", "Logprobs are requested from a reasoning model.",
    ANY_PARAMETER, lambda body: body.get("logprobs") and unsupported("logprobs"), given=_is_reasoning, needs="logprobs",
    trait="reasoning", models="o1*, o3*, o4*, gpt-5*, gpt-6*, only while the model reasons", checked="2026-11-22",
    remedy=remedies.NO_PARAMETER,
    wrong=sample_request(model="gpt-5.5", logprobs=True, reasoning_effort="low"),
    right=sample_request(model="gpt-5.5", logprobs=True, reasoning_effort="none"),
    recorded={"recordings, gpt-5.2-chat-latest, gpt-5.5, gpt-5.6-luna, gpt-5.6-sol":
        "Unsupported parameter: 'logprobs' is not supported with this model."})
BOOK.row("openai/tools-while-reasoning",
    "There are tools while the model reasons, which newer models do not support on this endpoint.",
    ANY_PART, _tools_while_reasoning, even_usual=True, needs="tools",
    trait=("no-tools-unless-effort-none", "no-tools-with-effort"),
    models="gpt-5.4, gpt-5.5 with an effort; gpt-5.6 and newer unless the effort is `none`",
    remedy=Remedy("reasoning-settings",
        "Set `reasoning_effort` to `none`, or use the Responses API for this model with tools."),
    wrong=sample_request(model="gpt-5.6-terra", tools=[TOOL]),
    right=sample_request(model="gpt-5.6-terra", tools=[TOOL], reasoning_effort="none"),
    verbatim={"GoogleChromeLabs/webmcp-tools#417": "use /v1/responses or set reasoning_effort to 'none'.",
        "pipecat-ai/pipecat#4043": "Function tools with reasoning_effort are not supported for gpt-5.4",
        "sandialabs/atlas-ui-3#756": "This fires even though ATLAS never sends `reasoning_effort`"})
BOOK.row("openai/role-unsupported", "There is a system message and the model does not support it.",
    EACH_MESSAGE, lambda message, place: message["role"] in ("system", "developer")
        and breach(f"{place}.role",
        f"Unsupported value: '{place}.role' does not support '{message['role']}' with this model.",
        "unsupported_value"), even_usual=True, needs=("developer", "system"), trait="no-system",
    models="o1-mini, o1-preview", remedy=remedies.INSTRUCTIONS_TO_USER.of("messages"),
    wrong=sample_request({"role": "system", "content": USER["content"]}, model="o1-mini"),
    right=sample_request({"role": "user", "content": USER["content"]}, model="o1-mini"),
    recorded={"recording, o1-mini": "'messages[0].role' does not support 'system' with this model.",
        "vicentereig/dspy.rb, a recording with a temperature of 0, which is reported only later": ""})
BOOK.row("openai/temperature-unsupported", "`temperature` is not 1 for a reasoning model.",
    ANY_PARAMETER, _temperature, given=_is_reasoning, needs="temperature", trait="reasoning",
    models=f"{REASONING}; from gpt-5.1 on only while the model reasons", remedy=remedies.NO_SAMPLING,
    wrong=sample_request(model="gpt-5", temperature=0.5), right=sample_request(model="gpt-5", temperature=1),
    recorded={PROBES: "a refused temperature value beats a missing content",
        "ChatGPTNextWeb/NextChat#6120, o3-mini": "Unsupported parameter: 'temperature' is not supported with"})
BOOK.row("openai/sampling-unsupported", "`top_p` or a penalty is set for a reasoning model.",
    ANY_PARAMETER, lambda body: next(
        (unsupported(name) for name in SAMPLING if body.get(name) not in (None, SAMPLING[name])), None),
    given=_is_reasoning, needs=("frequency_penalty", "presence_penalty", "top_p"), trait="reasoning",
    models=f"{REASONING}; from gpt-5.1 on only while the model reasons", remedy=remedies.NO_SAMPLING,
    wrong=sample_request(model="gpt-5", top_p=0.9), right=sample_request(model="gpt-5"),
    recorded={"recording, gpt-5-nano": "Unsupported parameter: 'top_p' is not supported with this model.",
        PROBES: "frequency_penalty while reasoning"})
BOOK.row("openai/image-not-from-user", "A tool result or a system message contains an image.",
    EACH_MESSAGE, lambda message, place: message["role"] in ("tool", "system", "developer")
        and isinstance(message.get("content"), list) and any(part["type"] == "image_url" for part in message["content"])
        and breach(place,
        f"Invalid '{place}'. Image URLs are only allowed for messages with role 'user', but this "
        f"message with role '{message['role']}' contains an image URL.", "invalid_value"), needs="image_url",
    trait="images-from-users", models="gpt-4o*; gpt-4.1-nano was observed to accept it",
    remedy=Remedy("pictures",
        "Send the picture in a user message after the result, and a text in the result; or use a model that takes "
        "pictures in results."),
    wrong=sample_request(USER, CALL_MESSAGE, {**RESULT, "content": [_PICTURE]}, model="gpt-4o"),
    right=sample_request(USER, CALL_MESSAGE, {**RESULT, "content": [_PICTURE]}, model="gpt-4.1"),
    recorded={"recordings, gpt-4o-mini": "Image URLs are only allowed for messages with role 'user', but this",
        "strands-agents/sdk-python#320": ""})
ABILITIES_BOOK.row("openai/web-search-unsupported", "`web_search_options` are set, and the model does not search.",
    ANY_PARAMETER, lambda body: body.get("web_search_options") is not None
        and breach("web_search_options", "Web search options not supported with this model."), trait="no-web-search",
    models="gpt-4*, gpt-audio*; reasoning models do not know the parameter", checked="2026-11-23",
    remedy=remedies.HOSTED_TOOLS,
    wrong=sample_request(web_search_options={}), right=sample_request(),
    recorded={"recordings, gpt-4o, gpt-4.1, gpt-4.1-nano, gpt-audio": "Web search options not supported"})
ABILITIES_BOOK.row("openai/json-schema-unsupported", "A `response_format` of type `json_schema` came with gpt-4o.",
    ANY_PARAMETER, lambda body: _format(body) == "json_schema",
    "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model. Learn more "
        "about supported models at the Structured Outputs guide: "
        "https://platform.openai.com/docs/guides/structured-outputs", "response_format", trait="no-json-schema",
    models="gpt-3.5, gpt-35, gpt-4, gpt-4-turbo, gpt-audio*", checked="2026-11-23", remedy=remedies.FORMAT_IN_WORDS,
    wrong=sample_request(model="gpt-4-turbo", response_format=_BY_SCHEMA),
    right=sample_request(model="gpt-4o", response_format=_BY_SCHEMA),
    recorded={"recordings, gpt-4, gpt-4-turbo, gpt-audio": "is not supported with this model. Learn more"})
ABILITIES_BOOK.row("openai/json-object-while-searching", "A JSON object is asked of a model that searches.",
    ANY_PARAMETER, lambda body: _format(body) == "json_object"
        and breach("response_format", "Response format 'json_object' is not supported with web_search."),
    trait="searches", models="gpt-4o*-search-preview", checked="2026-11-23", remedy=remedies.FORMAT_IN_WORDS,
    wrong=sample_request(_JSON, model=SEARCHES, response_format={"type": "json_object"}),
    right=sample_request(_JSON, model="gpt-4o", response_format={"type": "json_object"}),
    recorded={f"recording, {SEARCHES}": "Response format 'json_object' is not supported with web_search."})
ABILITIES_BOOK.row("openai/max-tokens-large",
    "`max_tokens` or `max_completion_tokens` is larger than the model's longest answer.",
    ANY_PARAMETER, _max_tokens_large, needs=("max_completion_tokens", "max_tokens"),
    models="those whose limit is known: 16384 of gpt-4o, 32768 of gpt-4.1, 128000 of gpt-5", checked="2026-11-23",
    remedy=remedies.WHOLE_NUMBER,
    wrong=sample_request(model="gpt-4o", max_tokens=16_385), right=sample_request(model="gpt-4o", max_tokens=16_384),
    verbatim={"seven public projects, gpt-4o":
        "max_tokens is too large: 32000. This model supports at most 16384 completion tokens, whereas you provided",
        "recording, gpt-4o: 16384 is accepted": "",
        "https://developers.openai.com/api/docs/models, the longest answers of the models": ""})
# fmt: on
