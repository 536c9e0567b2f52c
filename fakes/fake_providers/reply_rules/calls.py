"""What providers never send as tool calls: how many, of which names, with which arguments, in which pieces."""

from collections.abc import Mapping
from typing import Any

from fake_providers.replies.call_validation import arguments_of, mismatches
from fake_providers.reply import HARMLESS_QUIRKS, Call, Reply
from fake_providers.reply_rules.book import ReplyBook, Sample, Sending, Where

BOOK = ReplyBook()

OPENAI: Where = {"openai-chat": ("openai", "azure"), "openai-responses": ("openai", "azure")}
CLAUDE: Where = {"anthropic-messages": ("anthropic", "azure", "vertex"), "bedrock-converse": ("bedrock",)}
GEMINI: Where = {"gemini-generate": ("gemini", "vertex")}
XAI: Where = {"openai-chat": ("xai",), "openai-responses": ("xai",)}
OPENAI_CALLING = "https://developers.openai.com/api/docs/guides/function-calling"
OPENAI_CHAT = "https://developers.openai.com/api/reference/resources/chat"
ANTHROPIC_MESSAGES = "https://platform.claude.com/docs/en/api/messages/create"
FINE_GRAINED = "https://platform.claude.com/docs/en/agents-and-tools/tool-use/fine-grained-tool-streaming"
GEMINI_CALLING = "https://ai.google.dev/api/caching#FunctionCallingConfig"
ONE, TWO = Call("look_up", {"word": "pear"}), Call("look_up", {"word": "fig"})


def everywhere(*places: Where) -> Where:
    """All of these providers, by wire."""
    wires = dict.fromkeys(wire for place in places for wire in place)
    return {wire: tuple(name for place in places for name in place.get(wire, ())) for wire in wires}


def _asks(tools: int = 1, **members: Any) -> dict[str, Any]:
    """A request of chat completions that offers tools."""
    names = ("look_up", "spell")[:tools]
    schema = {"type": "object", "properties": {"word": {"type": "string"}}, "required": ["word"]}
    return {
        "model": "gpt-4.1",
        "messages": [{"role": "user", "content": "Which?"}],
        "tools": [{"type": "function", "function": {"name": name, "parameters": schema}} for name in names],
        **members,
    }


def _asks_claude(*, tool: Mapping[str, Any] | None = None, **members: Any) -> dict[str, Any]:
    schema = {"type": "object", "properties": {"word": {"type": "string"}}, "required": ["word"]}
    return {
        "model": "claude-sonnet-4-6",
        "max_tokens": 99,
        "messages": [{"role": "user", "content": "Which?"}],
        "tools": [{"name": "look_up", "input_schema": schema, **(tool or {})}],
        **members,
    }


def _asks_gemini(*allowed: str) -> dict[str, Any]:
    return {
        "contents": [{"role": "user", "parts": [{"text": "Which?"}]}],
        "tools": [{"functionDeclarations": [{"name": "look_up"}, {"name": "spell"}]}],
        "toolConfig": {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": list(allowed)}},
    }


# How many calls, and of which tools.


def _several(sending: Sending) -> Any:
    assert sending.view is not None
    return sending.view.at_most_one_call and len(sending.reply.calls) > 1 and len(sending.reply.calls)


BOOK.row(
    "several-calls",
    "With `parallel_tool_calls: false` a reply has one call at most.",
    everywhere(OPENAI, XAI, {"openai-chat": ("mistral", "groq", "anthropic", "openrouter", "vllm", "llama.cpp")}),
    _several,
    "with `parallel_tool_calls: false`, {provider} calls one tool at most, and this reply has {found} calls",
    instead="The first call; the next one comes after its result.",
    comes_apart=True,
    wrong=Sample(Reply(calls=(ONE, TWO)), _asks(parallel_tool_calls=False)),
    right=Sample(Reply(calls=(ONE, TWO)), _asks(parallel_tool_calls=True)),
    documented={
        OPENAI_CALLING: "You can prevent this by setting `parallel_tool_calls` to `false`, which ensures exactly zero "
        "or one tool is called.",
        "https://docs.x.ai/docs/api-reference": "If set to false, the model can perform maximum one tool call.",
        "https://docs.mistral.ai/api/": "when enabled the model can call multiple tools in parallel",
        "https://console.groq.com/docs/api-reference": "Whether to enable parallel function calling during tool use.",
        "https://platform.claude.com/docs/en/cli-sdks-libraries/libraries/openai-sdk": "`parallel_tool_calls`: Fully "
        "supported",
        "https://openrouter.ai/docs/api/reference/parameters": "If false, functions will be called sequentially.",
        "https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md": "Whether to enable "
        "parallel/multiple tool calls",
        "https://github.com/vllm-project/vllm/blob/main/vllm/entrypoints/serve/utils/tool_calls_utils.py": "Filter to "
        "first tool call only when parallel_tool_calls is explicitly False.",
    },
)
BOOK.row(
    "several-calls-of-claude",
    "With `disable_parallel_tool_use` a reply has one call at most.",
    CLAUDE,
    _several,
    "with `disable_parallel_tool_use`, {provider} calls one tool at most, and this reply has {found} calls",
    instead="The first call; the next one comes after its result.",
    comes_apart=True,
    wrong=Sample(
        Reply(calls=(ONE, TWO)), _asks_claude(tool_choice={"type": "auto", "disable_parallel_tool_use": True})
    ),
    right=Sample(
        Reply(calls=(ONE, TWO)), _asks_claude(tool_choice={"type": "auto", "disable_parallel_tool_use": False})
    ),
    documented={ANTHROPIC_MESSAGES: "If set to `true`, the model will output at most one tool use."},
)


def _forbidden(sending: Sending) -> Any:
    assert sending.view is not None
    return sending.view.forbids_calls and sending.reply.calls and sending.reply.calls[0].name


BOOK.row(
    "call-that-is-forbidden",
    "A request that forbids calls gets none.",
    everywhere(OPENAI, CLAUDE, GEMINI, XAI, {"openai-chat": ("mistral", "groq"), "cohere-chat": ("cohere",)}),
    _forbidden,
    "the request forbids calls, and {provider} calls no tool then; this reply calls {found}",
    instead="An answer in text.",
    wrong=Sample(Reply(calls=(ONE,)), _asks(tool_choice="none")),
    right=Sample(Reply(calls=(ONE,)), _asks(tool_choice="auto")),
    documented={
        OPENAI_CHAT: "`none` means the model will not call any tool and instead generates a message.",
        ANTHROPIC_MESSAGES: "The model will not be allowed to use tools.",
        GEMINI_CALLING: "Model will not predict any function call.",
    },
)


def _not_allowed(sending: Sending) -> Any:
    assert sending.view is not None
    allowed = sending.view.allows
    return allowed is not None and next((call.name for call in sending.reply.calls if call.name not in allowed), None)


BOOK.row(
    "call-of-a-tool-that-is-not-allowed",
    "Where a request names the tools that may be called, no other is.",
    everywhere(OPENAI, GEMINI),
    _not_allowed,
    "the request names the tools that {provider} may call, and {found}, which this reply calls, is none of them",
    instead="A call of one of them, or an answer.",
    wrong=Sample(
        Reply(calls=(Call("spell", {"word": "pear"}),)),
        _asks_gemini("look_up"),
        wire="gemini-generate",
    ),
    right=Sample(Reply(calls=(ONE,)), _asks_gemini("look_up"), wire="gemini-generate"),
    documented={
        GEMINI_CALLING: "A set of function names that, when provided, limits the functions the model will call.",
        OPENAI_CHAT: "Constrains the tools available to the model to a pre-defined set.",
    },
)


def _other_than_forced(sending: Sending) -> Any:
    assert sending.view is not None
    forced = sending.view.forces
    is_named = len(forced) == 1 < len(sending.view.tools)
    return is_named and next((call.name for call in sending.reply.calls if call.name not in forced), None)


BOOK.row(
    "call-of-another-tool-than-the-forced",
    "Where a request forces one tool by name, no other is called.",
    everywhere(OPENAI, CLAUDE),
    _other_than_forced,
    "the request forces one tool by its name, and {provider} calls no other; this reply calls {found}",
    instead="A call of that tool.",
    wrong=Sample(
        Reply(calls=(Call("spell", {"word": "pear"}),)),
        _asks(tools=2, tool_choice={"type": "function", "function": {"name": "look_up"}}),
    ),
    right=Sample(
        Reply(calls=(ONE,)), _asks(tools=2, tool_choice={"type": "function", "function": {"name": "look_up"}})
    ),
    documented={
        OPENAI_CALLING: "Forced Function: Call exactly one specific function.",
        ANTHROPIC_MESSAGES: "The model will use the specified tool with `tool_choice.name`.",
    },
)


def _no_call(sending: Sending) -> Any:
    assert sending.view is not None
    reply = sending.reply
    says_nothing_else = reply.calls or reply.server_calls or reply.fault is not None or sending.ends_early
    return sending.view.forces and not says_nothing_else and " or ".join(sorted(sending.view.forces))


BOOK.row(
    "answer-where-a-call-is-forced",
    "A request that forces a call gets one, unless the reply is cut off or declined.",
    everywhere(OPENAI, {"anthropic-messages": CLAUDE["anthropic-messages"]}),
    _no_call,
    "the request forces a call of {found}, and {provider} answers it with a call; this reply has none",
    instead="A call of one of the tools.",
    wrong=Sample(Reply(text="A pear."), _asks(tool_choice="required")),
    right=Sample(Reply(text="A pear."), _asks(tool_choice="auto")),
    documented={
        OPENAI_CHAT: "`required` means the model must call one or more tools.",
        ANTHROPIC_MESSAGES: "The model will use any available tools.",
    },
)


# Their arguments.

FINE_GRAINED_BETA = "fine-grained-tool-streaming"


def _opts_in(sending: Sending, name: str) -> bool:
    """Whether the request has the arguments of this tool streamed as the model writes them."""
    body = sending.body
    more = body.get("additionalModelRequestFields")
    named = (more if isinstance(more, dict) else body).get("anthropic_beta")
    if FINE_GRAINED_BETA in f"{sending.headers.get('anthropic-beta', '')} {named}":
        return True
    tools = body.get("tools")
    return any(
        isinstance(tool, dict) and tool.get("name") == name and tool.get("eager_input_streaming") is True
        for tool in (tools if isinstance(tools, list) else ())
    )


def _is_json(call: Call) -> bool:
    try:
        arguments_of(call)
    except ValueError:
        return False
    return True


def _buffered(sending: Sending) -> Any:
    if sending.ends_early:
        return None
    return next((c.name for c in sending.reply.calls if not _is_json(c) and not _opts_in(sending, c.name)), None)


BOOK.row(
    "arguments-that-are-no-json",
    "Claude's arguments are JSON, unless the request has them streamed unchecked.",
    CLAUDE,
    _buffered,
    "without `eager_input_streaming`, {provider} checks that arguments are JSON before it sends them; those of {found} "
    "are not",
    instead="Arguments that are JSON; or a reply that the token limit has cut off, with `finish: length`.",
    wrong=Sample(Reply(calls=(Call("look_up", None, '{"word": "pe'),)), _asks_claude(stream=True)),
    right=Sample(
        Reply(calls=(Call("look_up", None, '{"word": "pe'),)),
        _asks_claude(tool={"eager_input_streaming": True}, stream=True),
    ),
    elsewhere=True,
    documented={
        FINE_GRAINED: "It enables streaming of tool use parameter values without buffering or JSON validation. ... you "
        "may potentially receive invalid or partial JSON inputs."
    },
)


def strict_schema(body: Mapping[str, Any], name: str) -> Any:
    """The schema of a tool that the request declares as strict; None for another one."""
    tools = body.get("tools")
    for tool in tools if isinstance(tools, list) else ():
        declared = tool.get("function", tool) if isinstance(tool, dict) else None
        if isinstance(declared, dict) and declared.get("name") == name and declared.get("strict") is True:
            return declared.get("parameters", declared.get("input_schema"))
    return None


def _not_strict(sending: Sending) -> Any:
    """Only of a single call: OpenAI promises nothing of several."""
    if sending.ends_early or len(sending.reply.calls) != 1:
        return None
    (call,) = sending.reply.calls
    schema = strict_schema(sending.body, call.name)
    if schema is None:
        return None
    return (not _is_json(call) or mismatches(schema, arguments_of(call))) and call.name


STRICT = {
    "type": "function",
    "function": {
        "name": "look_up",
        "strict": True,
        "parameters": {
            "type": "object",
            "properties": {"word": {"type": "string"}},
            "required": ["word"],
            "additionalProperties": False,
        },
    },
}
BOOK.row(
    "arguments-against-a-strict-schema",
    "The arguments of a strict tool fit its schema.",
    everywhere(OPENAI, {"anthropic-messages": ("anthropic",)}),
    _not_strict,
    "{found} is declared with `strict: true`, so that {provider} sends arguments that fit its schema; these do not",
    instead="Arguments that fit it.",
    wrong=Sample(Reply(calls=(Call("look_up", {"word": 7}),)), _asks(tools=0) | {"tools": [STRICT]}),
    right=Sample(Reply(calls=(ONE,)), _asks(tools=0) | {"tools": [STRICT]}),
    elsewhere=True,
    documented={
        OPENAI_CALLING: "Setting `strict` to `true` will ensure function calls reliably adhere to the function schema.",
        ANTHROPIC_MESSAGES: "When true, guarantees schema validation on tool names and inputs",
    },
)


# The pieces of a stream, and how it ends.


def _quirk(sending: Sending) -> Any:
    return next(
        (quirk for quirk in sending.reply.quirks if quirk not in HARMLESS_QUIRKS and quirk != "reasoning-content"), None
    )


BOOK.row(
    "pieces-in-another-form",
    "A stream of OpenAI has each call under its own index, its id and name once, and its pieces together.",
    {"openai-chat": ("openai",)},
    _quirk,
    "{provider} sends no stream with the quirk `{found}`, which is known of other servers",
    instead="The same calls, each under its own index.",
    wrong=Sample(Reply(calls=(ONE, TWO), quirks=("same-index",))),
    right=Sample(Reply(calls=(ONE, TWO), quirks=("empty-choices",))),
    elsewhere=True,
    recorded={"https://github.com/ollama/ollama/issues/15457": "Ollama sends each call with index 0."},
)
BOOK.row(
    "word-in-the-start",
    "The event that begins a block of Claude's text has none of it.",
    {"anthropic-messages": ("anthropic",)},
    lambda sending: "text-in-the-start" in sending.reply.quirks,
    "{provider} begins each block of a stream empty, and this one has a word in its start",
    instead="An empty start, and the word in a delta.",
    wrong=Sample(Reply(text="A pear.", quirks=("text-in-the-start",))),
    right=Sample(Reply(text="A pear.")),
    elsewhere=True,
    recorded={"https://github.com/langchain-ai/langchain/issues/38442": "A gateway begins a block with a word."},
)


ENDS_AS_OPENAI: Where = {"openai-chat": ("openai", "azure", "deepseek", "groq", "mistral", "xai")}
COUNTED_REASONS = {
    "https://github.com/0xPlaygrounds/rig": "65 recorded replies of DeepSeek, Groq, Mistral and xAI with calls end "
    "with `tool_calls`, there and elsewhere, and none of 208 without.",
}


def _stops_with_calls(sending: Sending) -> Any:
    if sending.view is not None and sending.view.forces:
        return None
    return sending.reply.calls and {"stop": "`stop`", "none": "no reason"}.get(sending.reply.finish or "")


BOOK.row(
    "calls-that-end-otherwise",
    "Calls end with `tool_calls`, or with `stop` where a request forces them.",
    ENDS_AS_OPENAI,
    _stops_with_calls,
    "{provider} ends calls with `tool_calls`, and these end with {found}",
    instead="The finish reason `tool_calls`.",
    wrong=Sample(Reply(calls=(ONE,), finish="stop"), _asks()),
    right=Sample(
        Reply(calls=(ONE,), finish="stop"), _asks(tool_choice={"type": "function", "function": {"name": "look_up"}})
    ),
    elsewhere=True,
    recorded={
        "https://github.com/crewAIInc/crewAI": "21 recorded replies with calls end with `stop`, each of a request that "
        "forces the call.",
        OPENAI_CHAT: "`tool_calls` if the model called a tool",
        **COUNTED_REASONS,
    },
)
BOOK.row(
    "reason-of-calls-without-calls",
    "`tool_calls` is the reason of a reply that has calls.",
    ENDS_AS_OPENAI,
    lambda sending: sending.reply.finish == "tool_calls" and not sending.reply.calls,
    "{provider} ends a reply with `tool_calls` only if it has calls, and this one has none",
    instead="The finish reason `stop`.",
    wrong=Sample(Reply(text="A pear.", finish="tool_calls")),
    right=Sample(Reply(text="A pear.", finish="stop")),
    elsewhere=True,
    recorded={OPENAI_CHAT: "`tool_calls` if the model called a tool", **COUNTED_REASONS},
)
