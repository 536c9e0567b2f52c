"""What tools have to be like, and the choice of them."""

import re
from collections.abc import Iterator
from typing import Any, Final

from fake_providers.rulebook import (
    ANY_MESSAGE,
    ANY_PARAMETER,
    ANY_PART,
    ANY_TOOL,
    Breach,
    ModelRefusal,
    RequestContext,
    Rulebook,
    refuse_by_model,
    sets,
)
from fake_providers.wires.cohere_chat.errors import envelope
from fake_providers.wires.cohere_chat.request import choice_of, items, object_or_empty, text_or_nothing
from fake_providers.wires.cohere_chat.rules.messages import OPENAPI
from fake_providers.wires.cohere_chat.rules.samples import (
    CALL,
    RESULT,
    SCHEMA,
    USER,
    cite,
    listed,
    sample_request,
    sample_with_tool,
)

BOOK = Rulebook(envelope)
NAME: Final = re.compile("[A-Za-z_][A-Za-z0-9_]*")
LIVE: Final = "a client of /v2/chat, live runs of 2026"


def functions_of(context: RequestContext) -> Iterator[tuple[str, dict[str, Any]]]:
    """The function of each tool with its place."""
    for index, tool in enumerate(items(context.body.value.get("tools"))):
        yield f"tools[{index}].function", object_or_empty(object_or_empty(tool).get("function"))


refuse_by_model(
    BOOK,
    [
        ModelRefusal(
            rule="cohere/no-tools",
            trait="no-tools",
            asks=sets("tools"),
            sentence="invalid request: tool use is not supported by the provided model: {model}.",
            why="The model takes no tools; an empty list counts as none.",
            models="command, command-light, command-a-vision",
            confidence="recorded",
            evidence=cite(
                "recordings, cohere 2025",
                "invalid request: tool use is not supported by the provided model: command-light.",
            ),
            breaking=sample_with_tool(model="command-light"),
            accepted=sample_with_tool(),
        ),
        ModelRefusal(
            rule="cohere/tool-choice-unsupported",
            trait="no-tool-choice",
            asks=sets("tool_choice"),
            sentence="invalid request: tool_choice is not supported for this model",
            why="The model takes tools, but no choice of them.",
            models="c4ai-aya-*, command, command-light, command-a-vision",
            confidence="recorded",
            evidence=cite(
                "recordings, cohere 2025, c4ai-aya-vision-8b",
                "invalid request: tool_choice is not supported for this model",
            ),
            breaking=sample_with_tool(model="c4ai-aya-vision-8b", request={"tool_choice": "NONE"}),
            accepted=sample_with_tool(request={"tool_choice": "NONE"}),
        ),
    ],
    body=lambda context: context.body.value,
)


def _no_tool_plan(context: RequestContext) -> Breach | None:
    if "no-tool-plan" not in context.traits:
        return None
    for index, message in enumerate(items(context.body.value.get("messages"))):
        if object_or_empty(message).get("tool_plan"):
            return Breach(f"messages[{index}].tool_plan", "`tool plan` cannot be used with this model")
    return None


def _tool_name(context: RequestContext) -> Breach | None:
    for place, function in functions_of(context):
        name = text_or_nothing(function.get("name"))
        if name and not NAME.fullmatch(name):
            rule = "tool names can only contain certain characters (A-Za-z0-9_) and can't begin with a digit"
            return Breach(f"{place}.name", f"invalid request: {rule} (provided name: '{name}').")
    return None


def _tool_without_name(context: RequestContext) -> Breach | None:
    for place, function in functions_of(context):
        if not function.get("name"):
            return Breach(f"{place}.name", "invalid request: all elements in tools must have a name.")
    return None


def _pattern(context: RequestContext) -> Breach | None:
    for place, function in functions_of(context):
        for at, schema in schemas_in(function.get("parameters"), f"{place}.parameters"):
            if isinstance(schema.get("pattern"), str) and not _is_regex(schema["pattern"]):
                problem = "invalid 'parameters' provided: pattern must be a valid regex"
                return Breach(f"{at}.pattern", f"invalid function at {place}: {problem}")
    return None


def _is_regex(text: str) -> bool:
    """Brackets and parentheses that are not closed, and nothing to repeat, are wrong in every dialect."""
    try:
        re.compile(text)
    except (re.error, RecursionError, OverflowError) as error:
        return not str(error).startswith(("unterminated", "missing )", "unbalanced", "nothing to repeat"))
    return True


def schemas_in(schema: Any, at: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The schema and those below it, with their places."""
    if not isinstance(schema, dict):
        return
    yield at, schema
    for member in ("properties", "$defs", "definitions"):
        for name, below in object_or_empty(schema.get(member)).items():
            yield from schemas_in(below, f"{at}.{member}.{name}")
    for member in ("anyOf", "oneOf", "allOf"):
        for index, below in enumerate(items(schema.get(member))):
            yield from schemas_in(below, f"{at}.{member}[{index}]")
    for member in ("items", "additionalProperties", "not"):
        yield from schemas_in(schema.get(member), f"{at}.{member}")


def _property_without_type(context: RequestContext) -> Breach | None:
    if "typed-properties" not in context.traits:
        return None
    for place, function in functions_of(context):
        properties = object_or_empty(object_or_empty(function.get("parameters")).get("properties"))
        for name, schema in properties.items():
            if not object_or_empty(schema).get("type"):
                return Breach(f"{place}.parameters.properties.{name}", f"property {name} must have a type")
    return None


UNSUPPORTED: Final = ("minLength", "maxLength", "minimum", "maximum", "minItems", "maxItems", "oneOf", "allOf", "not")
"""Keywords that both Cohere's page of structured outputs and a client that has tried them name."""


def _strict_schema(context: RequestContext) -> Breach | None:
    if context.body.value.get("strict_tools") is not True:
        return None
    for place, function in functions_of(context):
        for at, schema in schemas_in(function.get("parameters"), f"{place}.parameters"):
            lacks = schema.get("type") == "object" and not schema.get("required")
            if lacks or any(word in schema for word in UNSUPPORTED):
                problem = "extra restrictions to tool parameters apply when strict_tools=true"
                return Breach(at, f"invalid function at {place}: {problem}")
    return None


def _tool_choice_value(context: RequestContext) -> Breach | None:
    if choice_of(context.body.value) in ("", "REQUIRED", "NONE"):
        return None
    return Breach("tool_choice", "invalid request: tool_choice must be one of REQUIRED, NONE")


def _required_without_tools(context: RequestContext) -> Breach | None:
    if choice_of(context.body.value) != "REQUIRED" or context.body.value.get("tools"):
        return None
    return Breach("tool_choice", "invalid request: tool_choice REQUIRED needs tools")


# A table: two rows are to be compared.
# fmt: off
BOOK.row("cohere/tool-plan-unsupported", "A message has a `tool_plan`, and the model is one that thinks instead.",
    ANY_MESSAGE, _no_tool_plan, needs="tool_plan", trait="no-tool-plan", models="command-a-plus-*, north-mini-code-*",
    wrong=sample_request(USER, {"role": "assistant", "tool_plan": "I will look it up.", "tool_calls": [CALL]}, RESULT,
        model="command-a-plus-05-2026"),
    right=sample_request(USER, {"role": "assistant", "tool_calls": [CALL]}, RESULT, model="command-a-plus-05-2026"),
    verbatim={LIVE: "`tool plan` cannot be used with this model"})
BOOK.row("cohere/tool-name",
    "The name of a tool has a hyphen, a dot or another character that is not allowed, or begins with a digit.",
    ANY_TOOL, _tool_name, needs="tools",
    wrong=sample_with_tool(name="get-weather"), right=sample_with_tool(name="get_weather"),
    verbatim=(
        *listed(
        "invalid request: tool names can only contain certain characters (A-Za-z0-9_) and can't begin with a digit "
        "(provided name: 'xyz')."),
        *cite("clients of /v2/chat, 2026, of names with a dot", "tool names can only contain certain characters")))
BOOK.row("cohere/tool-without-name",
    "A tool has no name. The sentence is that of the older `/v1/chat`, where it is recorded.",
    ANY_TOOL, _tool_without_name, needs="tools",
    wrong=sample_with_tool(name=""), right=sample_with_tool(),
    reported={"recordings, cohere 2025, /v1/chat": "invalid request: all elements in tools must have a name."})
BOOK.row("cohere/schema-pattern", "A `pattern` in the schema of a tool is no regular expression.",
    ANY_TOOL, _pattern, needs="pattern",
    wrong=sample_with_tool(parameters={**SCHEMA, "properties": {"city": {"type": "string", "pattern": "["}}}),
    right=sample_with_tool(parameters={**SCHEMA, "properties": {"city": {"type": "string", "pattern": "[a-z]"}}}),
    verbatim={"clients of Cohere's models on OpenRouter, 2026":
        "invalid function at tools[1].function: invalid 'parameters' provided: pattern must be a valid regex"})
BOOK.row("cohere/schema-property-type", "A property of a tool has no type, as with `anyOf`; newer models take that.",
    ANY_TOOL, _property_without_type, needs="tools", trait="typed-properties", models="command-r-*, command-r-plus-*",
    wrong=sample_with_tool(model="command-r-08-2024",
        parameters={**SCHEMA, "properties": {"city": {"description": "A city."}}}),
    right=sample_with_tool(model="command-a-03-2025",
        parameters={**SCHEMA, "properties": {"city": {"description": "A city."}}}),
    verbatim=(*cite("anomalyco/models.dev#416", "property query must have a type"),
        *listed("property title must have a type")))
BOOK.row("cohere/strict-schema",
    "With `strict_tools` every object needs a required property, and some keywords are refused: bounds of numbers, "
        "texts and lists, `oneOf`, `allOf` and `not`.",
    ANY_PART, _strict_schema, even_usual=True, needs="strict_tools",
    wrong=sample_with_tool(request={"strict_tools": True}, parameters={**SCHEMA, "required": []}),
    right=sample_with_tool(request={"strict_tools": True}, parameters=SCHEMA),
    verbatim={LIVE:
        "invalid function at tools[0].function: extra restrictions to tool parameters apply when strict_tools=true",
        "docs.cohere.com/v2/docs/structured-outputs":
        "You must specify at least one `required` parameter. Tools with only optional parameters are not supported "
        "in this mode."})
BOOK.row("cohere/tool-choice-value",
    "`tool_choice` is neither `REQUIRED` nor `NONE`, in either case of letters; `auto` is to leave it out.",
    ANY_PARAMETER, _tool_choice_value, needs="tool_choice",
    wrong=sample_with_tool(request={"tool_choice": "get_weather"}),
    right=sample_with_tool(request={"tool_choice": "required"}),
    inferred={OPENAPI: "enum: REQUIRED, NONE",
        "recordings, cohere 2025 and 2026: `required` and `none` are accepted": ""})
BOOK.row("cohere/tool-choice-without-tools",
    "`tool_choice` demands a call, and there is no tool. `NONE` without tools is recorded as accepted.",
    ANY_PARAMETER, _required_without_tools, needs="tool_choice",
    wrong=sample_request(tool_choice="REQUIRED"), right=sample_request(tool_choice="NONE"),
    inferred={OPENAPI: "the `tools` parameter must be passed in the request"})
# fmt: on
