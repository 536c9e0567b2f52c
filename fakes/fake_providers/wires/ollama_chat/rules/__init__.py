"""Ollama's rules in the server's own order: the body, then the model, its capabilities, the options, the format.

The server is open source, so the order and most sentences come from `server/routes.go` and `api/types.go` of
ollama/ollama (commit fb30760, 2026-08-21), and from threads of users. Ollama accepts what it does not check: roles, the
pairing of calls and results, names of tools.

First are the errors of decoding the body into Go's types: each rule covers the places where a value may have the wrong
type. Go reports one error per body, so only the last of these rules has to be in its place: it covers all other places.
"""

import json
import re
from collections.abc import Callable
from typing import Any, Final, Literal

import msgspec
from msgspec import Struct

from fake_providers import remedies
from fake_providers.http import Request
from fake_providers.models import traits
from fake_providers.rule import Remedy, Violation
from fake_providers.rulebook import (
    ANY_MESSAGE,
    ANY_PARAMETER,
    ANY_PART,
    ANY_TOOL,
    Breach,
    RequestContext,
    Rulebook,
    RuleFilter,
    Selector,
    has_parts,
)
from fake_providers.skippable_forms import Conversation, Form, FunctionTool, Name, Usual
from fake_providers.values.go_json_body import PARTS, TOO_DEEP, NotJson, body_of
from fake_providers.values.json_texts import copied
from fake_providers.verdict_cache import VerdictCache
from fake_providers.wires.ollama_chat.errors import envelope
from fake_providers.wires.ollama_chat.go_json_fields import EFFORTS, REQUEST, TypeMismatch, mismatch
from fake_providers.wires.ollama_chat.model_names import parse_name, tools_unsupported
from fake_providers.wires.ollama_chat.request import loads_only, member, model_of, wants_stream

TYPES = "ollama/ollama api/types.go, commit fb30760"
ROUTES = "ollama/ollama server/routes.go, ChatHandler, commit fb30760"

USER: dict[str, Any] = {"role": "user", "content": "What is the weather in Oslo?"}
SCHEMA: dict[str, Any] = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
CALL_MESSAGE: dict[str, Any] = {
    "role": "assistant",
    "content": "",
    "tool_calls": [{"id": "call_1", "function": {"index": 0, "name": "get_weather", "arguments": {"city": "Oslo"}}}],
}
RESULT: dict[str, Any] = {"role": "tool", "tool_name": "get_weather", "tool_call_id": "call_1", "content": "7 degrees"}


def sample_request(*messages: Any, model: str = "qwen3:8b", **fields: Any) -> dict[str, Any]:
    """A request body with these messages, or with one user message."""
    return copied({"model": model, "messages": list(messages) or [USER], "stream": False, **fields})


def sample_with_call(**members: Any) -> dict[str, Any]:
    """A conversation with one answered call; `members` are added to the call's `function`."""
    message = copied(CALL_MESSAGE)
    message["tool_calls"][0]["function"].update(members)
    return sample_request(USER, message, RESULT)


def sample_with_tool(**members: Any) -> dict[str, Any]:
    """A request with one tool; `members` are added to its `function`."""
    function = {"name": "get_weather", "description": "Current weather for a city.", "parameters": SCHEMA, **members}
    return sample_request(tools=[{"type": "function", "function": function}])


def sample_with_schema(**members: Any) -> dict[str, Any]:
    """A request with one tool; `members` are added to its schema."""
    return sample_with_tool(parameters={**SCHEMA, **members})


def sample_with_property(schema: Any) -> dict[str, Any]:
    """A request with one tool, whose property `city` has this schema."""
    return sample_with_schema(properties={"city": schema})


OBJECT_WORDS = "Value looks like object, but can't find closing '}' symbol"
PROPERTIES = r"tools\[\]\.function\.parameters\.properties"


class ParsedBody(Struct, frozen=True):
    """`RequestContext.body` of this wire: the JSON value, and the first value that does not fit Go's types."""

    value: Any
    mismatch: TypeMismatch | None


def _misfit(places: str) -> Callable[[ParsedBody], Breach | None]:
    """Refuses what does not fit in a place that matches `places`, where indexes are removed and property names stay.

    Only the first of a body is found, so that those of parameters hang on its messages and tools, too.
    """

    def find(body: ParsedBody) -> Breach | None:
        found = body.mismatch
        if found is None or not re.fullmatch(places, re.sub(r"\[\d+\]", "[]", found.at), re.DOTALL):
            return None
        return Breach(found.at, found.message)

    return find


BOOK = Rulebook(envelope)

# A table: two rows are to be compared.
# fmt: off
BOOK.row("ollama/body-missing", "The request has no body.",
    ANY_PARAMETER, lambda body: isinstance(body.value, NotJson) and not body.value.message, "missing request body",
    remedy=remedies.ONE_OBJECT,
    wrong=b"", right=sample_request(),
    reported={ROUTES: "..."})
BOOK.row("ollama/body-not-json", "The body is not JSON; anything after a complete value is ignored.",
    ANY_PARAMETER, lambda body: isinstance(body.value, NotJson) and Breach("", body.value.message),
    remedy=remedies.JSON_LIBRARY,
    wrong=b'{"model": "qwen3:8b", "messages": [', right=sample_request(),
    reported={f"{ROUTES}: the words are those of Go's decoder": "unexpected EOF"})
BOOK.row("ollama/body-type", "The body is JSON but not an object.",
    ANY_PARAMETER, _misfit(""), remedy=remedies.ONE_OBJECT,
    wrong=[sample_request()], right=sample_request(),
    reported={TYPES: ""})
BOOK.row("ollama/model-type", "The model's name is not a string.",
    ANY_PART, _misfit("model"), remedy=remedies.MODEL_NAME,
    wrong={**sample_request(), "model": 7}, right=sample_request(),
    reported={TYPES: ""})
BOOK.row("ollama/stream-type", "`stream` is not a boolean.",
    ANY_PART, _misfit("stream"), remedy=remedies.VALUE,
    wrong=sample_request(stream="false"), right=sample_request(stream=False),
    reported={TYPES: ""})
BOOK.row("ollama/messages-type", "`messages` is not a list of objects.",
    ANY_MESSAGE, _misfit(r"messages(\[\])?"), remedy=remedies.MESSAGE_LIST,
    wrong={"model": "qwen3:8b", "messages": "Hello"}, right={"model": "qwen3:8b", "messages": [USER]},
    reported={TYPES: ""})
BOOK.row("ollama/content-type",
    "The content of a message is not a string; a list of parts, as other providers accept it, is refused.",
    ANY_MESSAGE, _misfit(r"messages\[\]\.content"), remedy=remedies.JOIN_PARTS,
    wrong=sample_request({**USER, "content": [{"type": "text", "text": USER["content"]}]}), right=sample_request(),
    verbatim={"ollama/ollama#10255":
        "cannot unmarshal array into Go struct field ChatRequest.messages.content of type string",
        "ollama/ollama#6451, ahyatt/llm#70": "ChatRequest.messages of type string", TYPES: ""})
BOOK.row("ollama/message-member-type", "A role, a thinking text, a tool's name or an id is not a string.",
    ANY_MESSAGE, _misfit(r"messages\[\]\.(role|thinking|tool_name|tool_call_id)"),
    remedy=Remedy("messages", "Write roles, names and ids as texts."),
    wrong=sample_request({**RESULT, "tool_call_id": 1}), right=sample_request({**RESULT, "tool_call_id": "1"}),
    reported={TYPES: ""})
BOOK.row("ollama/images-type", "An image is not plain base64; a data URL or an address is refused.",
    ANY_MESSAGE, _misfit(r"messages\[\]\.images(\[\])?"), remedy=remedies.PICTURE_TYPE,
    wrong=sample_request({**USER, "images": ["data:image/png;base64,iVBORw0KGgo="]}),
    right=sample_request({**USER, "images": ["iVBORw0KGgo="]}),
    verbatim={"BerriAI/litellm#18338": "illegal base64 data at input byte 4",
        "BerriAI/litellm#30313": "illegal base64 data at input byte 5", TYPES: ""})
BOOK.row("ollama/arguments-type",
    "The arguments of a call are not an object; their JSON text, as OpenAI has it, is refused.",
    ANY_MESSAGE, _misfit(r"messages\[\]\.tool_calls\[\]\.function\.arguments"), remedy=remedies.ARGUMENTS_AS_TEXT,
    wrong=sample_with_call(arguments='{"city":"Oslo"}'), right=sample_with_call(arguments={"city": "Oslo"}),
    verbatim={"openclaw/openclaw#52253 and Xoshbin/asyar#513, ollama of 2026": OBJECT_WORDS,
        "aliasrobotics/cai#76, neuron-core/neuron-ai#219 and rashadphz/farfalle#89, ollama of 2024 and 2025":
        "cannot unmarshal string into Go struct field ChatRequest.messages.tool_calls.function.arguments of type "
        "api.ToolCallFunctionArguments", TYPES: ""})
BOOK.row("ollama/calls-type",
    "`tool_calls` is not a list of objects, or a name, an id or an index in it has another type.",
    ANY_MESSAGE, _misfit(r"messages\[\]\.tool_calls.*"), remedy=remedies.CALL_MEMBERS,
    wrong=sample_with_call(index="0"), right=sample_with_call(index=0),
    reported={TYPES: ""})
BOOK.row("ollama/properties-type", "The properties of a tool are not an object.",
    ANY_TOOL, _misfit(PROPERTIES), remedy=remedies.CONVERT_SCHEMA,
    wrong=sample_with_schema(properties=[]), right=sample_with_schema(properties={}),
    verbatim={"ollama/ollama#10328: a list, refused by 0.6.5 in older words": "cannot unmarshal array into Go struct",
        "the words of 2026, for any ordered map": OBJECT_WORDS, TYPES: ""})
BOOK.row("ollama/property-required",
    "`required` of a property is not a list of names; `true`, as in draft 3 of JSON Schema, is refused.",
    ANY_TOOL, _misfit(rf"{PROPERTIES}\..+\.required(\[\])?"), remedy=remedies.REQUIRED_NAMES,
    wrong=sample_with_property({"type": "object", "required": True}),
    right=sample_with_property({"type": "object", "required": ["name"]}),
    verbatim={"ollama/ollama#18051":
        "cannot unmarshal object into Go struct field ToolProperty.required of type []string", TYPES: ""})
BOOK.row("ollama/property-enum", "`enum` of a property is not a list.",
    ANY_TOOL, _misfit(rf"{PROPERTIES}\..+\.enum"), remedy=remedies.ENUM_TEXTS,
    wrong=sample_with_property({"type": "string", "enum": "Oslo"}),
    right=sample_with_property({"type": "string", "enum": ["Oslo"]}),
    reported={TYPES: ""})
BOOK.row("ollama/property-description", "The description of a property is not a string.",
    ANY_TOOL, _misfit(rf"{PROPERTIES}\..+\.description"), remedy=remedies.CONVERT_SCHEMA,
    wrong=sample_with_property({"type": "string", "description": ["A city."]}),
    right=sample_with_property({"type": "string", "description": "A city."}),
    reported={TYPES: ""})
BOOK.row("ollama/property-type", "The type of a property is neither a name nor a list of names.",
    ANY_TOOL, _misfit(rf"{PROPERTIES}\..+\.(type|anyOf|properties)(\[\])?"), remedy=remedies.CONVERT_SCHEMA,
    wrong=sample_with_property({"type": {"name": "string"}}), right=sample_with_property({"type": ["string", "null"]}),
    reported={TYPES: ""})
BOOK.row("ollama/property-schema",
    "The schema of a property is not an object; `true`, which JSON Schema allows, and a type's name are refused.",
    ANY_TOOL, _misfit(rf"{PROPERTIES}\..+"), remedy=remedies.CONVERT_SCHEMA,
    wrong=sample_with_property("string"), right=sample_with_property({"type": "string"}),
    verbatim={"ollama/ollama#14256":
        "cannot unmarshal string into Go struct field ToolFunctionParameters.tools.function.parameters.properties of "
        "type api.ToolProperty", TYPES: ""})
BOOK.row("ollama/parameters-required", "`required` of a tool is not a list of names.",
    ANY_TOOL, _misfit(r"tools\[\]\.function\.parameters\.required(\[\])?"), remedy=remedies.REQUIRED_NAMES,
    wrong=sample_with_schema(required={}), right=sample_with_schema(required=[]),
    verbatim={"leonardcser/smelt#26":
        "cannot unmarshal object into Go struct field ToolFunctionParameters.tools.function.parameters.required of "
        "type []string", TYPES: ""})
BOOK.row("ollama/parameters-type", "The type of a tool's parameters is a list, which only a property may have.",
    ANY_TOOL, _misfit(r"tools\[\]\.function\.parameters\.type"), remedy=remedies.OBJECT_SCHEMA,
    wrong=sample_with_schema(type=["object", "null"]), right=sample_with_schema(type="object"),
    reported={TYPES: ""})
BOOK.row("ollama/tools-type", "`tools` is not a list of objects, or a member of a tool has another type.",
    ANY_TOOL, _misfit(r"tools.*"), remedy=remedies.TOOL_SHAPE,
    wrong=sample_with_tool(parameters="{}"), right=sample_with_tool(parameters={}),
    reported={TYPES: ""})
BOOK.row("ollama/options-type", "`options` is not an object.",
    ANY_PART, _misfit("options"), remedy=remedies.VALUE,
    wrong=sample_request(options=[]), right=sample_request(options={}),
    reported={TYPES: ""})
BOOK.row("ollama/think-value", "`think` is neither a boolean nor one of the four efforts.",
    ANY_PART, _misfit("think"), remedy=remedies.EFFORT_OF_MODEL,
    wrong=sample_request(think="none"), right=sample_request(think="low"),
    reported={"ollama/ollama api/types.go, ThinkValue": "invalid think value", TYPES: ""})
BOOK.row("ollama/keep-alive", "`keep_alive` is a string without a unit; only a number is taken as seconds.",
    ANY_PART, _misfit("keep_alive"), remedy=remedies.VALUE,
    wrong=sample_request(keep_alive="-1"), right=sample_request(keep_alive=-1),
    verbatim={"valentinfrlch/ha-llmvision#625 and karakeep-app/karakeep#2409": 'time: missing unit in duration "-1"',
        TYPES: ""})
BOOK.row("ollama/member-type", "Any other member has another type.",
    ANY_PART, _misfit(r".*"), remedy=remedies.VALUE,
    wrong=sample_request(logprobs="yes"), right=sample_request(logprobs=True),
    reported={TYPES: ""})
# fmt: on


OPTIONS: Final = {
    **dict.fromkeys((
        "num_keep", "seed", "num_predict", "top_k", "repeat_last_n", "num_ctx", "num_batch", "num_gpu", "main_gpu",
        "num_thread", "draft_num_predict",
    ), "integer"),
    **dict.fromkeys((
        "top_p", "min_p", "typical_p", "temperature", "repeat_penalty", "presence_penalty", "frequency_penalty",
    ), "float32"),
    "use_mmap": "boolean",
    "stop": "array",
}  # fmt: skip
"""The type that the error message names for each option; an unknown option is only logged."""
PARAMETERS: Final = Selector(lambda context: ((context.body.value,),), reads="parts", unusual=("parameter",))


def _thinks(body: Any, context: RequestContext) -> Any:
    think = member(body, "think")
    return (think is True or think in EFFORTS) and json.dumps(context.model, ensure_ascii=False)


def _wrong_option(body: Any) -> Any:
    for name, value in (member(body, "options") or {}).items():
        if fault := _option_fault(OPTIONS.get(name), value):
            return {"name": name, "quoted": json.dumps(name), "fault": fault}
    return None


def _option_fault(requested: str | None, value: Any) -> str:
    """The expected type, as the error message names it, or "" if the value fits, is null, or the option is unknown."""
    if requested is None or value is None:
        return ""
    if requested == "array":
        if isinstance(value, list):
            return "" if all(isinstance(item, str) for item in value) else "an array of strings"
        return "type array"
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    fits = isinstance(value, bool) if requested == "boolean" else is_number
    return "" if fits else f"type {requested}"


def _wrong_format(body: Any) -> str:
    """The value as JSON in a string of JSON; empty where it is right."""
    requested = member(body, "format")
    if requested in (None, "", "json") or isinstance(requested, dict) or loads_only(body):
        return ""
    return json.dumps(json.dumps(requested, ensure_ascii=False, separators=(",", ":")), ensure_ascii=False)


# A table: two rows are to be compared.
# fmt: off
BOOK.row("ollama/top-logprobs", "`top_logprobs` is not between 0 and 20.",
    PARAMETERS, lambda body: not 0 <= (member(body, "top_logprobs") or 0) <= 20,
    "top_logprobs must be between 0 and 20", "top_logprobs", remedy=remedies.VALUE,
    wrong=sample_request(top_logprobs=21), right=sample_request(top_logprobs=20),
    reported={ROUTES: "..."})
BOOK.row("ollama/model-required", "The request names no model.",
    PARAMETERS, lambda body, context: not context.model.strip(), "model is required", "model",
    remedy=remedies.MODEL_NAME,
    wrong=sample_request(model=""), right=sample_request(),
    reported={ROUTES: "..."})
BOOK.row("ollama/model-name", "The model's name has a character that is not allowed.",
    PARAMETERS, lambda body, context: not parse_name(context.model), "invalid model name", "model",
    remedy=remedies.MODEL_NAME,
    wrong=sample_request(model="qwen3 8b"), right=sample_request(),
    reported={"ollama/ollama server/model_resolver.go, types/errtypes": "..."})
BOOK.row("ollama/no-thinking", "Thinking is requested and the model does not support it.",
    PARAMETERS, _thinks, "{found} does not support thinking", "think", trait="no-thinking",
    models="gemma, llama, mistral, qwen2.5, phi and others of the library; see "
        "`fakes/fake_providers/providers/ollama/facts.json`", remedy=remedies.NO_EFFORT,
    wrong=sample_request(model="llama3.1:8b", think=True), right=sample_request(model="llama3.1:8b", think=False),
    verbatim={"agentscope-ai/agentscope#1099 and Gitlawb/openclaude#1371": '"llama3.1:8b" does not support thinking'})
BOOK.row("ollama/no-tools", "There are tools and the model does not support them; an empty list counts as none.",
    PARAMETERS, lambda body, context: tools_unsupported(context, member(body, "tools")),
    models="gemma to gemma3, llama2, llama3, phi3, phi4, codellama and others of the library; see "
        "`fakes/fake_providers/providers/ollama/facts.json`", remedy=remedies.TOOL_MODEL,
    wrong=sample_with_tool() | {"model": "gemma3:4b"}, right=sample_with_tool() | {"model": "gemma4:e2b"},
    recorded={"recordings, gemma3:1b and gemma3:4b": "registry.ollama.ai/library/gemma3:1b does not support tools"})
BOOK.row("ollama/option-type", "An option has another type; `stop` must be a list even for one string.",
    PARAMETERS, _wrong_option, "option {quoted} must be of {fault}", "options.{name}", status=500,
    remedy=remedies.VALUE,
    wrong=sample_request(options={"stop": "END"}), right=sample_request(options={"stop": ["END"]}),
    verbatim={"stavsap/comfyui-ollama#103": 'option "stop" must be of type array (status code: 500)'})
BOOK.row("ollama/format", "`format` is neither `json` nor a schema.",
    PARAMETERS, _wrong_format, 'invalid format: {found}; expected "json" or a valid JSON Schema object', "format",
    status=500, remedy=remedies.FORMAT_SHAPE,
    wrong=sample_request(format="xml"), right=sample_request(format="json"),
    reported={"ollama/ollama llm/llama_server.go": 'expected "json" or a valid JSON Schema object'})
# fmt: on


class _Message(Form):
    """Of a conversation in which any message may follow any other."""

    def follow(self, conversation: Conversation) -> Conversation | None:
        return Conversation("user")


class _Said(_Message):
    role: Literal["system", "user"]
    content: str


class _CalledFunction(Form):
    name: Name
    arguments: dict[str, Any]


class _Call(Form):
    function: _CalledFunction


class _Answer(_Message):
    role: Literal["assistant"]
    content: str = ""
    tool_calls: list[_Call] | msgspec.UnsetType = msgspec.UNSET


class _Result(_Message):
    role: Literal["tool"]
    content: str
    tool_name: str = ""


MESSAGES = Usual("role", _Said, _Answer, _Result)
TOOLS = Usual("type", FunctionTool)

_ACCEPTED = VerdictCache(BOOK, messages=MESSAGES, tools=TOOLS)
RULES = BOOK.rules


def judge(request: Request, *, provider: str) -> Violation | None:
    value = body_of(request)
    if value is TOO_DEEP:
        return None
    model = model_of(value)
    name = parse_name(model)
    capabilities = name.traits if name else traits("ollama-chat", "")

    def found_in(value: Any, reads: RuleFilter | None = None) -> Violation | None:
        body = ParsedBody(value, mismatch(value, REQUEST) if has_parts(reads) else None)
        context = RequestContext(body, request.headers, model, capabilities, wants_stream(value), provider)
        return BOOK.judge(context, reads)

    try:
        parts = PARTS.read(request.body)
        if parts is None:
            return found_in(value)
        return _ACCEPTED.judge(request, parts, provider=provider, traits=capabilities, judge=found_in)
    except RecursionError:  # nested so deep that Python can just parse it: Ollama's answer is not known
        return None
