"""What a model does not take, however well it is said: parameters and values of reasoning models, and roles."""

from typing import Any, Final

from fakes.rulebook import Breach, RequestContext, Rulebook
from fakes.wires.openai_chat.errors import envelope
from fakes.wires.openai_chat.rules.samples import CALLING, RESULT, TOOL, USER, asking, cite, probed
from fakes.wires.openai_shared.wording import breach, unsupported

BOOK = Rulebook(envelope)

REASONING: Final = "o-series and gpt-5*, without gpt-5-chat"
SAMPLING: Final[dict[str, Any]] = {"top_p": 1, "presence_penalty": 0, "frequency_penalty": 0}
"""Each parameter that a model takes only while it does not reason, with the default that changes nothing."""

_PICTURE: Final = {"type": "image_url", "image_url": {"url": "https://example.com/oslo.png"}}


@BOOK.rule(
    "openai/tools-unsupported",
    status=404,
    why="tools are offered to a model that calls none",
    models="gpt-4o*-search-preview, gpt-5-chat-latest",
    confidence="recorded",
    evidence=cite(
        "recorded exchanges, gpt-4o-mini-search-preview, gpt-5-chat-latest", "tools is not supported in this"
    ),
    breaking=asking(model="gpt-5-chat-latest", tools=[TOOL]),
    accepted=asking(model="gpt-5-chat-latest"),
)
def _tools_unsupported(context: RequestContext) -> Breach | None:
    if "no-tools" not in context.traits or not context.body.get("tools"):
        return None
    where = "https://platform.openai.com/docs/guides/function-calling#models-supporting-function-calling"
    sentence = f"tools is not supported in this model. For a list of supported models, refer to {where}."
    return breach(None, sentence, at="tools")


@BOOK.rule(
    "openai/max-tokens-unsupported",
    why="a reasoning model is given `max_tokens`",
    models=REASONING,
    confidence="recorded",
    evidence=cite("recorded exchange, gpt-5-nano", "Use 'max_completion_tokens' instead."),
    breaking=asking(model="gpt-5", max_tokens=32),
    accepted=asking(model="gpt-5"),
)
def _max_tokens(context: RequestContext) -> Breach | None:
    if "reasoning" not in context.traits or context.body.get("max_tokens") is None:
        return None
    return unsupported("max_tokens", " Use 'max_completion_tokens' instead.")


@BOOK.rule(
    "openai/max-tokens-twice",
    why="`max_tokens` and `max_completion_tokens` are both given",
    confidence="recorded",
    evidence=cite("recorded exchange, gpt-5-chat-latest", "Setting 'max_tokens' and 'max_completion_tokens' at the"),
    breaking=asking(max_tokens=32, max_completion_tokens=32),
    accepted=asking(max_completion_tokens=32),
)
def _max_tokens_twice(context: RequestContext) -> Breach | None:
    if context.body.get("max_tokens") is None or context.body.get("max_completion_tokens") is None:
        return None
    message = "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported."
    return breach("max_tokens", message, "invalid_parameter_combination")


@BOOK.rule(
    "openai/stop-unsupported",
    why="the model takes no stop sequences",
    models="o3, o4-mini, gpt-5*, gpt-4o*-search-preview; o3-mini was seen to take them",
    confidence="recorded",
    evidence=cite("recorded exchanges, o3, o4-mini, gpt-5*", "Unsupported parameter: 'stop' is not supported"),
    breaking=asking(model="gpt-5", stop=["END"]),
    accepted=asking(model="gpt-5"),
)
def _stop(context: RequestContext) -> Breach | None:
    if "no-stop" not in context.traits or context.body.get("stop") is None:
        return None
    if "reasoning" in context.traits:
        return unsupported("stop")
    return breach(None, "Model incompatible request argument supplied: stop", at="stop")


@BOOK.rule(
    "openai/parallel-tool-calls-unsupported",
    why="the model makes one call at a time and is told whether it may make more",
    models="o1, o3, o3-mini, o4-mini",
    confidence="verbatim",
    evidence=(
        *cite("evalstate/fast-agent#279, o4-mini", "Unsupported parameter: 'parallel_tool_calls' is not supported"),
        *cite("langchain-ai/langchain#29704, o3-mini"),
        *cite("run-llama/llama_index#20865, o1, o3-mini, o4-mini"),
    ),
    breaking=asking(model="o4-mini", tools=[TOOL], parallel_tool_calls=False),
    accepted=asking(model="o4-mini", tools=[TOOL]),
)
def _parallel(context: RequestContext) -> Breach | None:
    if "no-parallel-calls" not in context.traits or context.body.get("parallel_tool_calls") is None:
        return None
    return unsupported("parallel_tool_calls")


@BOOK.rule(
    "openai/tools-while-reasoning",
    why="newer models call no tools on this endpoint while they reason",
    models="gpt-5.4, gpt-5.5 with an effort; gpt-5.6 and newer unless the effort is `none`",
    confidence="verbatim",
    evidence=(
        *cite("GoogleChromeLabs/webmcp-tools#417", "use /v1/responses or set reasoning_effort to 'none'."),
        *cite("pipecat-ai/pipecat#4043", "Function tools with reasoning_effort are not supported for gpt-5.4"),
        *cite("sandialabs/atlas-ui-3#756", "This fires even though ATLAS never sends `reasoning_effort`"),
    ),
    breaking=asking(model="gpt-5.6-terra", tools=[TOOL]),
    accepted=asking(model="gpt-5.6-terra", tools=[TOOL], reasoning_effort="none"),
)
def _tools_while_reasoning(context: RequestContext) -> Breach | None:
    effort = context.body.get("reasoning_effort")
    always = "no-tools-unless-effort-none" in context.traits
    if effort == "none" or not context.body.get("tools") or not (always or (effort and _refuses_effort(context))):
        return None
    if not any(tool["type"] == "function" for tool in context.body["tools"]):
        return None
    advice = "To use function tools, use /v1/responses or set reasoning_effort to 'none'."
    advice = advice if always else "Please use /v1/responses instead."
    message = f"Function tools with reasoning_effort are not supported for {context.model} in /v1/chat/completions."
    return breach("reasoning_effort", f"{message} {advice}")


@BOOK.rule(
    "openai/role-unsupported",
    why="the model takes no system messages",
    models="o1-mini, o1-preview",
    confidence="recorded",
    evidence=(
        *cite("recorded exchange, o1-mini", "'messages[0].role' does not support 'system' with this model."),
        *cite("vicentereig/dspy.rb, a recorded exchange with a temperature of 0, which is heard of only later"),
    ),
    breaking=asking({"role": "system", "content": USER["content"]}, model="o1-mini"),
    accepted=asking({"role": "user", "content": USER["content"]}, model="o1-mini"),
)
def _role(context: RequestContext) -> Breach | None:
    if "no-system" not in context.traits:
        return None
    for index, message in enumerate(context.body["messages"]):
        if message["role"] in ("system", "developer"):
            param = f"messages[{index}].role"
            sentence = f"Unsupported value: '{param}' does not support '{message['role']}' with this model."
            return breach(param, sentence, "unsupported_value")
    return None


@BOOK.rule(
    "openai/temperature-unsupported",
    why="a reasoning model is given another temperature than 1",
    models=f"{REASONING}; from gpt-5.1 on only while the model reasons",
    confidence="recorded",
    evidence=(
        *probed("a refused temperature value beats a missing content"),
        *cite("ChatGPTNextWeb/NextChat#6120, o3-mini", "Unsupported parameter: 'temperature' is not supported with"),
    ),
    breaking=asking(model="gpt-5", temperature=0.5),
    accepted=asking(model="gpt-5", temperature=1),
)
def _temperature(context: RequestContext) -> Breach | None:
    temperature = context.body.get("temperature")
    if not _is_reasoning(context) or temperature in (None, 1):
        return None
    if "no-temperature" in context.traits:
        return unsupported("temperature")
    sentence = f"'temperature' does not support {temperature} with this model. Only the default (1) value is supported."
    return breach("temperature", f"Unsupported value: {sentence}", "unsupported_value")


@BOOK.rule(
    "openai/sampling-unsupported",
    why="a reasoning model is given `top_p` or a penalty",
    models=f"{REASONING}; from gpt-5.1 on only while the model reasons",
    confidence="recorded",
    evidence=(
        *cite("recorded exchange, gpt-5-nano", "Unsupported parameter: 'top_p' is not supported with this model."),
        *probed("frequency_penalty while reasoning"),
    ),
    breaking=asking(model="gpt-5", top_p=0.9),
    accepted=asking(model="gpt-5"),
)
def _sampling(context: RequestContext) -> Breach | None:
    if not _is_reasoning(context):
        return None
    refused = (name for name, default in SAMPLING.items() if context.body.get(name) not in (None, default))
    return next((unsupported(name) for name in refused), None)


@BOOK.rule(
    "openai/image-not-from-user",
    why="a tool result, or a system message, has a picture",
    models="gpt-4o*; gpt-4.1-nano was seen to take it",
    confidence="recorded",
    evidence=(
        *cite("recorded exchanges, gpt-4o-mini", "Image URLs are only allowed for messages with role 'user', but this"),
        *cite("strands-agents/sdk-python#320"),
    ),
    breaking=asking(USER, CALLING, {**RESULT, "content": [_PICTURE]}, model="gpt-4o"),
    accepted=asking(USER, CALLING, {**RESULT, "content": [_PICTURE]}, model="gpt-4.1"),
)
def _image(context: RequestContext) -> Breach | None:
    if "images-from-users" not in context.traits:
        return None
    for index, message in enumerate(context.body["messages"]):
        parts = message.get("content") if message["role"] in ("tool", "system", "developer") else None
        if isinstance(parts, list) and any(part["type"] == "image_url" for part in parts):
            param, role = f"messages[{index}]", message["role"]
            rest = f"Image URLs are only allowed for messages with role 'user', but this message with role '{role}'"
            return breach(param, f"Invalid '{param}'. {rest} contains an image URL.", "invalid_value")
    return None


def _is_reasoning(context: RequestContext) -> bool:
    """Whether the model would reason; without an effort the newer ones begin with none."""
    if "reasoning" not in context.traits:
        return False
    rests = "effort-none-by-default" in context.traits
    return (context.body.get("reasoning_effort") or ("none" if rests else "medium")) != "none"


def _refuses_effort(context: RequestContext) -> bool:
    return "no-tools-with-effort" in context.traits
