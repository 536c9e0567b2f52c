"""Errors of decoding the body into Go's types: each rule covers the places where a value may have the wrong type.

Go reports one error per body, so only the last of these rules has to be in its place: it covers all other places. The
sources of all rules, and their sample requests, stand first.
"""

import re
from collections.abc import Callable
from typing import Any

from msgspec import Struct

from fake_providers import remedies
from fake_providers.rule import Remedy
from fake_providers.rulebook import ANY_MESSAGE, ANY_PARAMETER, ANY_PART, ANY_TOOL, Breach, Rulebook
from fake_providers.values.go_json_body import NotJson
from fake_providers.values.json_texts import copied
from fake_providers.wires.ollama_chat.errors import envelope
from fake_providers.wires.ollama_chat.go_json_fields import TypeMismatch

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
