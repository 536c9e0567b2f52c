"""Which members a body has and of which types they are; the sentences for others. Order: that of the document.

The server reads JSON into Go's types. What it says of a member that it does not know is recorded, and of one of another
type quoted; the names that it has for types are known for texts and objects alone.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final, Literal

from msgspec import Struct

from fake_providers import remedies
from fake_providers.rulebook import ANY_MESSAGE, ANY_PARAMETER, ANY_PART, Breach, Rulebook
from fake_providers.values.go_json_body import NotJson
from fake_providers.wires.cohere_chat.errors import ERRORS_PAGE, envelope
from fake_providers.wires.cohere_chat.rules.samples import CALL, RESULT, SCHEMA, USER, request, with_call

USAGE: Final = "For proper usage, please refer to https://docs.cohere.com/reference/chat"


class Members(Struct, frozen=True):
    """An object with these members; with others too where it is `open`."""

    types: Mapping[str, "Type"]
    open: bool = False


class ListOf(Struct, frozen=True):
    item: "Type"


class TextOr(Struct, frozen=True):
    """A text, or a list of blocks."""

    blocks: ListOf


Type = Literal["string", "boolean", "integer", "number", "object", "any"] | Members | ListOf | TextOr

BLOCK: Final = Members(
    {"type": "string", "text": "string", "thinking": "string", "image_url": "any", "document": "any"}, open=True
)
CALL_TYPE: Final = Members(
    {"id": "string", "type": "string", "function": Members({"name": "string", "arguments": "string"})}
)
MESSAGE: Final = Members(
    {
        "role": "string",
        "content": TextOr(ListOf(BLOCK)),
        "tool_calls": ListOf(CALL_TYPE),
        "tool_plan": "string",
        "tool_call_id": "string",
        "citations": ListOf("object"),
    }
)
FUNCTION: Final = Members({"name": "string", "description": "string", "parameters": "object"})
REQUEST: Final = Members({
    "model": "string", "messages": ListOf(MESSAGE), "stream": "boolean", "documents": ListOf("any"),
    "tools": ListOf(Members({"type": "string", "function": FUNCTION})),
    "tool_choice": "string", "strict_tools": "boolean",
    "response_format": Members({"type": "string", "json_schema": "object", "schema": "object"}, open=True),
    "citation_options": Members({"mode": "string"}, open=True),
    "thinking": Members({"type": "string", "token_budget": "integer"}, open=True),
    "max_tokens": "integer", "stop_sequences": ListOf("string"), "seed": "integer", "priority": "integer",
    "temperature": "number", "frequency_penalty": "number", "presence_penalty": "number", "k": "integer", "p": "number",
    "logprobs": "boolean", "safety_mode": "string",
    # Of earlier versions of the SDK.
    "return_prompt": "boolean", "raw_prompting": "boolean",
})  # fmt: skip
"""`cohere-openapi.yaml` of cohere-developer-experience, commit e814c8a."""


class Misfit(Struct, frozen=True):
    """A member that is not known (`unknown`), or of another type. `at` is its place, `sentence` the provider's."""

    at: str
    sentence: str
    unknown: bool = False


class ParsedBody(Struct, frozen=True):
    """`RequestContext.body` of this wire: the JSON value, and the first member that does not fit."""

    value: Any
    misfit: Misfit | None


def misfit(value: Any) -> Misfit | None:
    """The first one of the body. Null fits every type, as in Go."""
    return _misfit(value, REQUEST, "", "")


def _misfit(value: Any, kind: Type, at: str, path: str) -> Misfit | None:
    """`at` has indexes, `path` none: that is how the provider names the place."""
    if value is None or kind == "any":
        return None
    if isinstance(kind, TextOr):
        if isinstance(value, str):
            return None
        kind = kind.blocks if isinstance(value, list) else "string"
    if not _fits(value, kind):
        sentence = f"invalid type: parameter '{path}' is of type {go_type(value)} but should be of type {_name(kind)}."
        return Misfit(at, f"{sentence} {USAGE}")
    found: Misfit | None = None
    if isinstance(kind, ListOf):
        for index, item in enumerate(value):
            if (found := _misfit(item, kind.item, f"{at}[{index}]", path)) is not None:
                return found
    elif isinstance(kind, Members):
        for name, member in value.items():
            of_member = kind.types.get(name)
            if of_member == "string" and isinstance(member, str):
                continue  # as most are
            place, named = (f"{at}.{name}", f"{path}.{name}") if at else (name, name)
            if of_member is not None:
                found = _misfit(member, of_member, place, named)
            elif not kind.open:
                sentence = f"unknown field: parameter '{name}' is not a valid field. {USAGE}"
                found = Misfit(place, sentence, unknown=True)
            if found is not None:
                return found
    return None


def _fits(value: Any, kind: Type) -> bool:
    if isinstance(kind, ListOf):
        return isinstance(value, list)
    if isinstance(kind, Members) or kind == "object":
        return isinstance(value, dict)
    if kind == "string":
        return isinstance(value, str)
    if kind == "boolean" or isinstance(value, bool):
        return kind == "boolean" and isinstance(value, bool)
    return isinstance(value, int if kind == "integer" else (int, float))


def go_type(value: Any) -> str:
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, int | float):
        return "number"
    return "string" if isinstance(value, str) else "array" if isinstance(value, list) else "object"


def _name(kind: Type) -> str:
    if isinstance(kind, ListOf):
        return "Array"
    return "Object" if isinstance(kind, Members) or kind == "object" else str(kind)


def _misfit_in(*endings: str) -> Callable[[ParsedBody], Breach | None]:
    """Refuses another type of the members whose place ends so; of all with no ending."""

    def find(body: ParsedBody) -> Breach | None:
        found = body.misfit
        if found is None or found.unknown or (endings and not found.at.endswith(endings)):
            return None
        return Breach(found.at, found.sentence)

    return find


TOOL: Final = {"type": "function", "function": {"name": "get_weather", "parameters": SCHEMA}}
TYPES: Final = {
    "RailtownAI/railtracks#693, of the older `/v1/chat`": "invalid type: parameter 'tool_results.outputs' is of type "
    "number but should be of type Object. For proper usage, please refer to https://docs.cohere.com/v1/reference/chat",
    "Cohere's models on Azure, in clients of them": "invalid type: parameter messages.content is of type array but "
    "should be of type string.",
}

BOOK = Rulebook(envelope)

# A table: two rows are to be compared.
# fmt: off
BOOK.row("cohere/body-not-json", "The body is not JSON.",
    ANY_PARAMETER,
    lambda body: isinstance(body.value, NotJson) and (body.value.message or "unexpected end of JSON input"),
    "invalid json syntax: {found}", remedy=remedies.JSON_LIBRARY,
    wrong=b'{"model": "command-a-03-2025", "messages": [', right=request(),
    verbatim={ERRORS_PAGE: r"invalid json syntax: invalid character '\a' in string literal"})
BOOK.row("cohere/unknown-field", "A member of the body, a message, a call or a tool is none that the API has.",
    ANY_PART, lambda body: body.misfit and body.misfit.unknown and Breach(body.misfit.at, body.misfit.sentence),
    status=422, remedy=remedies.KNOWN_MEMBERS,
    wrong=with_call(index=0), right=with_call(),
    recorded={"recordings, cohere 2025, `connectors`; 2024, `name` of a tool":
        f"unknown field: parameter 'connectors' is not a valid field. {USAGE}",
        "BerriAI/litellm#24031, `index` of a call that came from a stream": "parameter 'index'",
        "OpenRouterTeam/openrouter-examples#71, OpenAI's `strict` of a tool": "parameter 'strict'",
        "agno-agi/agno#3503, an own member of a tool": "parameter 'requires_confirmation'"})
BOOK.row("cohere/arguments-type", "The arguments of a call are an object, and not its JSON text.",
    ANY_MESSAGE, _misfit_in(".arguments"), status=422, remedy=remedies.ARGUMENTS_AS_TEXT,
    wrong=with_call(function={"name": "get_weather", "arguments": {"city": "Oslo"}}), right=with_call(),
    reported=TYPES)
BOOK.row("cohere/content-type",
    "The content of a message is neither a text nor a list of blocks: a tool's result that is no text, mostly.",
    ANY_MESSAGE, _misfit_in(".content"), status=422, remedy=remedies.CONTENT_SHAPE,
    wrong=request(USER, {"role": "assistant", "tool_calls": [CALL]}, {**RESULT, "content": {"degrees": 7}}),
    right=request(USER, {"role": "assistant", "tool_calls": [CALL]}, RESULT),
    reported=TYPES)
BOOK.row("cohere/tool-choice-type", "`tool_choice` is an object, as OpenAI has it: Cohere has no way to name a tool.",
    ANY_PART, _misfit_in("tool_choice"), status=422, remedy=remedies.CHOICE_SHAPE,
    wrong=request(tools=[TOOL], tool_choice={"type": "function", "function": {"name": "get_weather"}}),
    right=request(tools=[TOOL], tool_choice="REQUIRED"),
    reported=TYPES)
BOOK.row("cohere/member-type", "Any other member has another type.",
    ANY_PART, _misfit_in(), status=422, remedy=remedies.VALUE,
    wrong={**request(), "messages": "Hello"}, right=request(),
    reported=TYPES)
# fmt: on
