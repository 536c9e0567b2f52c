"""Errors of decoding the body into Go's types: each rule covers the places where a value may have the wrong type.

Go reports one error per body, so only the last of these rules has to be in its place: it covers all other places. The
sources of all rules, and their sample requests, stand first.
"""

import re
from typing import Any

from msgspec import Struct

from fake_providers.rule import Citation, Confidence, Rule
from fake_providers.rulebook import ANY_PARAMETER, ANY_PART, Breach, RequestContext, Rulebook
from fake_providers.values.go_bodies import NotJson
from fake_providers.values.json_texts import copied
from fake_providers.wires.ollama_chat.errors import envelope
from fake_providers.wires.ollama_chat.go_json import TypeMismatch

TYPES = "ollama/ollama api/types.go, commit fb30760"
ROUTES = "ollama/ollama server/routes.go, ChatHandler, commit fb30760"

USER: dict[str, Any] = {"role": "user", "content": "What is the weather in Oslo?"}
SCHEMA: dict[str, Any] = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
CALL_MESSAGE: dict[str, Any] = {
    "role": "assistant",
    "content": "",
    "tool_calls": [{"id": "call_1", "function": {"index": 0, "name": "get_weather", "arguments": {"city": "Oslo"}}}],
}
RESULT: dict[str, Any] = {
    "role": "tool",
    "tool_name": "get_weather",
    "tool_call_id": "call_1",
    "content": "7 degrees",
}


def cite(source: str, quote: str = "") -> tuple[Citation, ...]:
    return (Citation(source, quote),)


def sample_request(*messages: Any, model: str = "qwen3:8b", **fields: Any) -> dict[str, Any]:
    """A request body with these messages, or with one user message."""
    return copied({"model": model, "messages": list(messages) or [USER], "stream": False, **fields})


def sample_with_message(**members: Any) -> dict[str, Any]:
    """A request with one user message; `members` are added to the message."""
    return sample_request({**USER, **members})


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


BOOK = Rulebook(envelope)

OBJECT_WORDS = "Value looks like object, but can't find closing '}' symbol"
PROPERTIES = r"tools\[\]\.function\.parameters\.properties"


class ParsedBody(Struct, frozen=True):
    """`RequestContext.body` of this wire: the JSON value, and the first value that does not fit Go's types."""

    value: Any
    mismatch: TypeMismatch | None


def _missing(context: RequestContext) -> Breach | None:
    value = context.body.value
    return Breach("", "missing request body") if isinstance(value, NotJson) and not value.message else None


def _not_json(context: RequestContext) -> Breach | None:
    value = context.body.value
    return Breach("", value.message) if isinstance(value, NotJson) else None


def type_rule(
    id: str,
    places: str,
    *,
    why: str,
    breaking: Any,
    accepted: Any,
    confidence: Confidence = "reported",
    evidence: tuple[Citation, ...] = (),
) -> None:
    """A rule for the places that match `places`, in which indexes are removed and property names stay."""

    def check(context: RequestContext) -> Breach | None:
        found = context.body.mismatch
        if found is None or not re.fullmatch(places, re.sub(r"\[\d+\]", "[]", found.at), re.DOTALL):
            return None
        return Breach(found.at, found.message)

    evidence, id = (*evidence, *cite(TYPES)), f"ollama/{id}"
    BOOK.add(Rule(id, 400, why, "all", confidence, evidence, "2026-11-20", breaking, accepted), ANY_PART, check)


# A table: two rows are to be compared.
# fmt: off
BOOK.row("ollama/body-missing", "The request has no body.",
    ANY_PARAMETER, _missing,
    wrong=b"", right=sample_request(),
    reported={ROUTES: "missing request body"})
BOOK.row("ollama/body-not-json", "The body is not JSON; anything after a complete value is ignored.",
    ANY_PARAMETER, _not_json,
    wrong=b'{"model": "qwen3:8b", "messages": [', right=sample_request(),
    reported={f"{ROUTES}: the words are those of Go's decoder": "unexpected EOF"})
# fmt: on


type_rule(
    "body-type", "", why="The body is JSON but not an object.", breaking=[sample_request()], accepted=sample_request()
)
type_rule(
    "model-type",
    "model",
    why="The model's name is not a string.",
    breaking={**sample_request(), "model": 7},
    accepted=sample_request(),
)
type_rule(
    "stream-type",
    "stream",
    why="`stream` is not a boolean.",
    breaking=sample_request(stream="false"),
    accepted=sample_request(stream=False),
)
type_rule(
    "messages-type",
    r"messages(\[\])?",
    why="`messages` is not a list of objects.",
    breaking={"model": "qwen3:8b", "messages": "Hello"},
    accepted={"model": "qwen3:8b", "messages": [USER]},
)
type_rule(
    "content-type",
    r"messages\[\]\.content",
    why="The content of a message is not a string; a list of parts, as other providers accept it, is refused.",
    confidence="verbatim",
    evidence=(
        *cite(
            "ollama/ollama#10255",
            "cannot unmarshal array into Go struct field ChatRequest.messages.content of type string",
        ),
        *cite("ollama/ollama#6451, ahyatt/llm#70", "ChatRequest.messages of type string"),
    ),
    breaking=sample_with_message(content=[{"type": "text", "text": USER["content"]}]),
    accepted=sample_with_message(),
)
type_rule(
    "message-member-type",
    r"messages\[\]\.(role|thinking|tool_name|tool_call_id)",
    why="A role, a thinking text, a tool's name or an id is not a string.",
    breaking=sample_request({**RESULT, "tool_call_id": 1}),
    accepted=sample_request({**RESULT, "tool_call_id": "1"}),
)
type_rule(
    "images-type",
    r"messages\[\]\.images(\[\])?",
    why="An image is not plain base64; a data URL or an address is refused.",
    confidence="verbatim",
    evidence=(
        *cite("BerriAI/litellm#18338", "illegal base64 data at input byte 4"),
        *cite("BerriAI/litellm#30313", "illegal base64 data at input byte 5"),
    ),
    breaking=sample_with_message(images=["data:image/png;base64,iVBORw0KGgo="]),
    accepted=sample_with_message(images=["iVBORw0KGgo="]),
)
type_rule(
    "arguments-type",
    r"messages\[\]\.tool_calls\[\]\.function\.arguments",
    why="The arguments of a call are not an object; their JSON text, as OpenAI has it, is refused.",
    confidence="verbatim",
    evidence=(
        *cite("openclaw/openclaw#52253 and Xoshbin/asyar#513, ollama of 2026", OBJECT_WORDS),
        *cite(
            "aliasrobotics/cai#76, neuron-core/neuron-ai#219 and rashadphz/farfalle#89, ollama of 2024 and 2025",
            "cannot unmarshal string into Go struct field ChatRequest.messages.tool_calls.function.arguments of type "
            "api.ToolCallFunctionArguments",
        ),
    ),
    breaking=sample_with_call(arguments='{"city":"Oslo"}'),
    accepted=sample_with_call(arguments={"city": "Oslo"}),
)
type_rule(
    "calls-type",
    r"messages\[\]\.tool_calls.*",
    why="`tool_calls` is not a list of objects, or a name, an id or an index in it has another type.",
    breaking=sample_with_call(index="0"),
    accepted=sample_with_call(index=0),
)
type_rule(
    "properties-type",
    PROPERTIES,
    why="The properties of a tool are not an object.",
    confidence="verbatim",
    evidence=(
        *cite("ollama/ollama#10328: a list, refused by 0.6.5 in older words", "cannot unmarshal array into Go struct"),
        *cite("the words of 2026, for any ordered map", OBJECT_WORDS),
    ),
    breaking=sample_with_schema(properties=[]),
    accepted=sample_with_schema(properties={}),
)
type_rule(
    "property-required",
    rf"{PROPERTIES}\..+\.required(\[\])?",
    why="`required` of a property is not a list of names; `true`, as in draft 3 of JSON Schema, is refused.",
    confidence="verbatim",
    evidence=cite(
        "ollama/ollama#18051", "cannot unmarshal object into Go struct field ToolProperty.required of type []string"
    ),
    breaking=sample_with_property({"type": "object", "required": True}),
    accepted=sample_with_property({"type": "object", "required": ["name"]}),
)
type_rule(
    "property-enum",
    rf"{PROPERTIES}\..+\.enum",
    why="`enum` of a property is not a list.",
    breaking=sample_with_property({"type": "string", "enum": "Oslo"}),
    accepted=sample_with_property({"type": "string", "enum": ["Oslo"]}),
)
type_rule(
    "property-description",
    rf"{PROPERTIES}\..+\.description",
    why="The description of a property is not a string.",
    breaking=sample_with_property({"type": "string", "description": ["A city."]}),
    accepted=sample_with_property({"type": "string", "description": "A city."}),
)
type_rule(
    "property-type",
    rf"{PROPERTIES}\..+\.(type|anyOf|properties)(\[\])?",
    why="The type of a property is neither a name nor a list of names.",
    breaking=sample_with_property({"type": {"name": "string"}}),
    accepted=sample_with_property({"type": ["string", "null"]}),
)
type_rule(
    "property-schema",
    rf"{PROPERTIES}\..+",
    why="The schema of a property is not an object; `true`, which JSON Schema allows, and a type's name are refused.",
    confidence="verbatim",
    evidence=cite(
        "ollama/ollama#14256",
        "cannot unmarshal string into Go struct field ToolFunctionParameters.tools.function.parameters.properties of "
        "type api.ToolProperty",
    ),
    breaking=sample_with_property("string"),
    accepted=sample_with_property({"type": "string"}),
)
type_rule(
    "parameters-required",
    r"tools\[\]\.function\.parameters\.required(\[\])?",
    why="`required` of a tool is not a list of names.",
    confidence="verbatim",
    evidence=cite(
        "leonardcser/smelt#26",
        "cannot unmarshal object into Go struct field ToolFunctionParameters.tools.function.parameters.required of "
        "type []string",
    ),
    breaking=sample_with_schema(required={}),
    accepted=sample_with_schema(required=[]),
)
type_rule(
    "parameters-type",
    r"tools\[\]\.function\.parameters\.type",
    why="The type of a tool's parameters is a list, which only a property may have.",
    breaking=sample_with_schema(type=["object", "null"]),
    accepted=sample_with_schema(type="object"),
)
type_rule(
    "tools-type",
    r"tools.*",
    why="`tools` is not a list of objects, or a member of a tool has another type.",
    breaking=sample_with_tool(parameters="{}"),
    accepted=sample_with_tool(parameters={}),
)
type_rule(
    "options-type",
    "options",
    why="`options` is not an object.",
    breaking=sample_request(options=[]),
    accepted=sample_request(options={}),
)
type_rule(
    "think-value",
    "think",
    why="`think` is neither a boolean nor one of the four efforts.",
    evidence=cite("ollama/ollama api/types.go, ThinkValue", "invalid think value"),
    breaking=sample_request(think="none"),
    accepted=sample_request(think="low"),
)
type_rule(
    "keep-alive",
    "keep_alive",
    why="`keep_alive` is a string without a unit; only a number is taken as seconds.",
    confidence="verbatim",
    evidence=cite(
        "valentinfrlch/ha-llmvision#625 and karakeep-app/karakeep#2409", 'time: missing unit in duration "-1"'
    ),
    breaking=sample_request(keep_alive="-1"),
    accepted=sample_request(keep_alive=-1),
)
type_rule(
    "member-type",
    r".*",
    why="Any other member has another type.",
    breaking=sample_request(logprobs="yes"),
    accepted=sample_request(logprobs=True),
)
