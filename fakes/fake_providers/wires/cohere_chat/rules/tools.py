"""What tools have to be like, and the choice of them."""

import re
from collections.abc import Iterator
from typing import Any, Final

from fake_providers import remedies
from fake_providers.rule import Remedy
from fake_providers.rulebook import RequestContext, Rulebook, Selector
from fake_providers.values.lenient import listed, members, text_or_empty
from fake_providers.wires.cohere_chat.errors import ERRORS_PAGE, envelope
from fake_providers.wires.cohere_chat.request import choice_of
from fake_providers.wires.cohere_chat.rules.messages import MESSAGE, OPENAPI, PARAMETERS
from fake_providers.wires.cohere_chat.rules.samples import CALL, RESULT, SCHEMA, USER, request, with_city, with_tool

NAME: Final = re.compile("[A-Za-z_][A-Za-z0-9_]*")
LIVE: Final = "a client of /v2/chat, live runs of 2026"
PLUS: Final = "command-a-plus-05-2026"
PLANNED: Final = {"role": "assistant", "tool_plan": "I will look it up.", "tool_calls": [CALL]}
NO_TYPE: Final = {"description": "A city."}
UNSUPPORTED: Final = ("minLength", "maxLength", "minimum", "maximum", "minItems", "maxItems", "oneOf", "allOf", "not")
"""Keywords that both Cohere's page of structured outputs and a client that has tried them name."""


def _functions(context: RequestContext) -> Iterator[tuple[Any, ...]]:
    for i, tool in enumerate(listed(context.body.value.get("tools"))):
        yield members(members(tool).get("function")), i


def _schemas(context: RequestContext) -> Iterator[tuple[Any, ...]]:
    for function, i in _functions(context):
        for below, schema in _schemas_in(function.get("parameters"), ".parameters"):
            yield schema, i, below


def _schemas_in(schema: Any, at: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The schema and those below it, with their places."""
    if not isinstance(schema, dict):
        return
    yield at, schema
    for member in ("properties", "$defs", "definitions"):
        for name, below in members(schema.get(member)).items():
            yield from _schemas_in(below, f"{at}.{member}.{name}")
    for member in ("anyOf", "oneOf", "allOf"):
        for index, below in enumerate(listed(schema.get(member))):
            yield from _schemas_in(below, f"{at}.{member}[{index}]")
    for member in ("items", "additionalProperties", "not"):
        yield from _schemas_in(schema.get(member), f"{at}.{member}")


FUNCTION: Final = Selector(_functions, "tools[{i}].function", ("i",), "parts", ("tool",))
SCHEMA_IN: Final = Selector(_schemas, "tools[{i}].function{below}", ("i", "below"), "parts", ("tool",))
OF_FUNCTION: Final = f"invalid function at {FUNCTION.place}: "


def _is_broken_regex(text: Any) -> bool:
    """Brackets and parentheses that are not closed, and nothing to repeat, are wrong in every dialect."""
    try:
        re.compile(text if isinstance(text, str) else "")
    except (re.error, RecursionError, OverflowError) as error:
        return str(error).startswith(("unterminated", "missing )", "unbalanced", "nothing to repeat"))
    return False


def _untyped(function: Any) -> Any:
    properties = members(members(function.get("parameters")).get("properties"))
    return next(({"name": name} for name, schema in properties.items() if not members(schema).get("type")), None)


def _is_unstrict(schema: Any) -> bool:
    lacks = schema.get("type") == "object" and not schema.get("required")
    return lacks or any(word in schema for word in UNSUPPORTED)


BOOK = Rulebook(envelope)

# A table: two rows are to be compared.
# fmt: off
BOOK.row("cohere/no-tools", "The model takes no tools; an empty list counts as none.",
    PARAMETERS, lambda body: body.get("tools"),
    "invalid request: tool use is not supported by the provided model: {model}.", "tools", trait="no-tools",
    models="command-light, command-a-vision", checked="2026-11-23", remedy=remedies.TOOL_MODEL,
    wrong=with_tool("command-light"), right=with_tool(),
    recorded={"recordings, cohere 2025":
        "invalid request: tool use is not supported by the provided model: command-light."})
BOOK.row("cohere/tool-choice-unsupported", "The model takes tools, but no choice of them.",
    PARAMETERS, lambda body: body.get("tool_choice"), "invalid request: tool_choice is not supported for this model",
    "tool_choice", trait="no-tool-choice", models="c4ai-aya-*, command-light, command-a-vision",
    checked="2026-11-23", remedy=Remedy("tool-choice", "Leave `tool_choice` out for this model."),
    wrong=with_tool("c4ai-aya-vision-8b", {"tool_choice": "NONE"}), right=with_tool(also={"tool_choice": "NONE"}),
    recorded={"recordings, cohere 2025, c4ai-aya-vision-8b": "..."})
BOOK.row("cohere/tool-plan-unsupported", "A message has a `tool_plan`, and the model is one that thinks instead.",
    MESSAGE, lambda one: one.get("tool_plan"), "`tool plan` cannot be used with this model", ".tool_plan",
    needs="tool_plan", trait="no-tool-plan", models="command-a-plus-*, north-mini-code-*",
    remedy=Remedy("content",
        "Leave `tool_plan` out for models that think; what the model said before its calls can be a message of "
        "its own."),
    wrong=request(USER, PLANNED, RESULT, model=PLUS),
    right=request(USER, {"role": "assistant", "tool_calls": [CALL]}, RESULT, model=PLUS),
    verbatim={LIVE: "..."})
BOOK.row("cohere/tool-name",
    "The name of a tool has a hyphen, a dot or another character that is not allowed, or begins with a digit.",
    FUNCTION, lambda one: (name := text_or_empty(one.get("name"))) and not NAME.fullmatch(name),
    "invalid request: tool names can only contain certain characters (A-Za-z0-9_) and can't begin with a digit "
        "(provided name: '{item[name]}').", ".name", needs="tools",
    remedy=Remedy("declarations",
        "Map each tool's name to letters, digits and `_` that begin with no digit, in declarations and calls alike."),
    wrong=with_tool(name="get-weather"), right=with_tool(name="get_weather"),
    verbatim={ERRORS_PAGE:
        "invalid request: tool names can only contain certain characters (A-Za-z0-9_) and can't begin with a digit "
        "(provided name: 'xyz').",
        "clients of /v2/chat, 2026, of names with a dot": "tool names can only contain certain characters"})
BOOK.row("cohere/tool-without-name",
    "A tool has no name. The sentence is that of the older `/v1/chat`, where it is recorded.",
    FUNCTION, lambda one: not one.get("name"), "invalid request: all elements in tools must have a name.", ".name",
    needs="tools", remedy=Remedy("declarations", "Declare each tool with its name."),
    wrong=with_tool(name=""), right=with_tool(),
    reported={"recordings, cohere 2025, /v1/chat": "..."})
BOOK.row("cohere/schema-pattern", "A `pattern` in the schema of a tool is no regular expression.",
    SCHEMA_IN, lambda schema: _is_broken_regex(schema.get("pattern")),
    OF_FUNCTION + "invalid 'parameters' provided: pattern must be a valid regex", ".pattern", needs="pattern",
    remedy=Remedy("schemas", "Leave a `pattern` out that is no regular expression."),
    wrong=with_city({"type": "string", "pattern": "["}), right=with_city({"type": "string", "pattern": "[a-z]"}),
    verbatim={"clients of Cohere's models on OpenRouter, 2026":
        "invalid function at tools[1].function: invalid 'parameters' provided: pattern must be a valid regex"})
BOOK.row("cohere/schema-property-type", "A property of a tool has no type, as with `anyOf`; newer models take that.",
    FUNCTION, _untyped, "property {name} must have a type", ".parameters.properties.{name}", needs="tools",
    trait="typed-properties", models="command-r-*, command-r-plus-*", remedy=remedies.CONVERT_SCHEMA,
    wrong=with_city(NO_TYPE, "command-r-08-2024"), right=with_city(NO_TYPE),
    verbatim={"anomalyco/models.dev#416": "property query must have a type",
        ERRORS_PAGE: "property title must have a type"})
BOOK.row("cohere/strict-schema",
    "With `strict_tools` every object needs a required property, and some keywords are refused: bounds of numbers, "
        "texts and lists, `oneOf`, `allOf` and `not`.",
    SCHEMA_IN, _is_unstrict, OF_FUNCTION + "extra restrictions to tool parameters apply when strict_tools=true",
    given=lambda context: context.body.value.get("strict_tools") is True, even_usual=True, needs="strict_tools",
    remedy=Remedy("strict-schemas",
        "Name a required property of each object and drop bounds, `oneOf`, `allOf` and `not`, or leave "
        "`strict_tools` out."),
    wrong=with_tool(also={"strict_tools": True}, parameters={**SCHEMA, "required": []}),
    right=with_tool(also={"strict_tools": True}, parameters=SCHEMA),
    verbatim={LIVE:
        "invalid function at tools[0].function: extra restrictions to tool parameters apply when strict_tools=true",
        "docs.cohere.com/v2/docs/structured-outputs":
        "You must specify at least one `required` parameter. Tools with only optional parameters are not supported "
        "in this mode."})
BOOK.row("cohere/tool-choice-value",
    "`tool_choice` is neither `REQUIRED` nor `NONE`, in either case of letters; `auto` is to leave it out.",
    PARAMETERS, lambda body: choice_of(body) not in ("", "REQUIRED", "NONE"),
    "invalid request: tool_choice must be one of REQUIRED, NONE", "tool_choice", needs="tool_choice",
    remedy=remedies.COHERE_CHOICE,
    wrong=with_tool(also={"tool_choice": "get_weather"}), right=with_tool(also={"tool_choice": "required"}),
    inferred={OPENAPI: "enum: REQUIRED, NONE",
        "recordings, cohere 2025 and 2026: `required` and `none` are accepted": ""})
BOOK.row("cohere/tool-choice-without-tools",
    "`tool_choice` demands a call, and there is no tool. `NONE` without tools is recorded as accepted.",
    PARAMETERS, lambda body: choice_of(body) == "REQUIRED" and not body.get("tools"),
    "invalid request: tool_choice REQUIRED needs tools", "tool_choice", needs="tool_choice",
    remedy=remedies.COHERE_CHOICE,
    wrong=request(tool_choice="REQUIRED"), right=request(tool_choice="NONE"),
    inferred={OPENAPI: "the `tools` parameter must be passed in the request"})
# fmt: on
