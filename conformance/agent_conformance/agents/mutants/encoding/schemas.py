"""Bugs with the schemas of tools: what a generator of schemas leaves out, or writes in another dialect."""

from collections.abc import Callable, Iterator
from typing import Any

from agent_conformance.agents.mutants.encoding.bodies import Body, declarations_of, each, spoiled
from agent_conformance.agents.mutants.mutant import Change

SCENARIO = "declarations/offered-whole"
PYTHON_NAMES = {
    "string": "str",
    "integer": "int",
    "number": "float",
    "boolean": "bool",
    "array": "list",
    "object": "dict",
}


def schemas_in(schema: Any) -> Iterator[dict[str, Any]]:
    """A schema and all schemas in it, the outer ones first."""
    if isinstance(schema, dict):
        yield schema
        for inner in (*(schema.get("properties") or {}).values(), schema.get("items")):
            yield from schemas_in(inner)


def in_schemas(edit: Callable[[dict[str, Any]], None], *, root: bool) -> Change:
    """A change that edits each declared schema, at its root alone or wherever there is one within it."""

    def edit_all(declaration: Body) -> None:
        for key in ("parameters", "input_schema", "parametersJsonSchema"):
            schemas = [*schemas_in(declaration.get(key))]
            for schema in schemas[:1] if root else schemas:
                edit(schema)

    return each(declarations_of, edit_all)


def _root_type_left_out(schema: dict[str, Any]) -> None:
    schema.pop("type", None)


def _root_of_another_type(schema: dict[str, Any]) -> None:
    schema["type"] = "string"


def _root_types_as_list(schema: dict[str, Any]) -> None:
    schema["type"] = ["object", "null"]


def _root_union(schema: dict[str, Any]) -> None:
    schema["anyOf"] = [{"required": [name]} for name in schema.get("properties") or ["any"]]


def _properties_left_out(schema: dict[str, Any]) -> None:
    schema.pop("properties", None)
    schema.pop("required", None)


def _properties_as_list(schema: dict[str, Any]) -> None:
    schema["properties"] = [{"name": name, **value} for name, value in (schema.get("properties") or {}).items()]


def _names_of_python(schema: dict[str, Any]) -> None:
    if isinstance(schema.get("type"), str):
        schema["type"] = PYTHON_NAMES.get(schema["type"], schema["type"])


def _required_at_the_property(schema: dict[str, Any]) -> None:
    required = schema.pop("required", ())
    for name, value in (schema.get("properties") or {}).items():
        if isinstance(value, dict) and isinstance(required, list):
            value["required"] = name in required


def _required_as_word(schema: dict[str, Any]) -> None:
    schema["required"] = "all"


def _required_of_another_name(schema: dict[str, Any]) -> None:
    schema["required"] = ["a_parameter_that_is_gone"]


def _items_left_out(schema: dict[str, Any]) -> None:
    schema.pop("items", None)


def _types_as_schemas(schema: dict[str, Any]) -> None:
    schema["properties"] = {name: value.get("type") for name, value in (schema.get("properties") or {}).items()}


def _enum_as_object(schema: dict[str, Any]) -> None:
    if isinstance(schema.get("enum"), list):
        schema["enum"] = {str(value): value for value in schema["enum"]}


def _names_with_spaces(schema: dict[str, Any]) -> None:
    schema["properties"] = {f"the {name}?": value for name, value in (schema.get("properties") or {}).items()}
    schema.pop("required", None)


def _strict(declaration: Body) -> None:
    if "parametersJsonSchema" not in declaration:
        declaration["strict"] = True


def _closed_and_strict(declaration: Body) -> None:
    _strict(declaration)
    for key in ("parameters", "input_schema"):
        for schema in schemas_in(declaration.get(key)):
            if schema.get("type") == "object":
                schema["additionalProperties"] = False


def _all_required_and_strict(declaration: Body) -> None:
    _closed_and_strict(declaration)
    for key in ("parameters", "input_schema"):
        for schema in schemas_in(declaration.get(key)):
            if schema.get("type") == "object":
                schema["required"] = [*(schema.get("properties") or {})]


def in_googles_schemas(edit: Callable[[dict[str, Any]], None], *, root: bool) -> Change:
    """As `in_schemas`, and the schema is sent as `parameters`, which accepts only a part of JSON Schema."""

    def edit_all(declaration: Body) -> None:
        if "parametersJsonSchema" in declaration:
            declaration["parameters"] = declaration.pop("parametersJsonSchema")
            schemas = [*schemas_in(declaration["parameters"])]
            for schema in schemas[:1] if root else schemas:
                edit(schema)

    return each(declarations_of, edit_all)


def _format_of_texts(schema: dict[str, Any]) -> None:
    if schema.get("type") == "string":
        schema["format"] = "email"


def _enum_of_numbers(schema: dict[str, Any]) -> None:
    if schema.get("type") == "integer":
        schema["enum"] = ["1", "2"]


MUTANTS = (
    spoiled(
        "M64a_root_type_left_out",
        "the schema of a tool is of type object",
        "https://github.com/vercel/ai/issues/1485",
        SCENARIO,
        in_schemas(_root_type_left_out, root=True),
    ),
    spoiled(
        "M64b_root_of_another_type",
        "the schema of a tool is of type object",
        "https://github.com/vercel/ai/issues/1485",
        SCENARIO,
        in_schemas(_root_of_another_type, root=True),
    ),
    spoiled(
        "M64c_root_types_as_list",
        "the schema of a tool has one type",
        "ollama/ollama api/types.go: a list of types at the root",
        SCENARIO,
        in_schemas(_root_types_as_list, root=True),
    ),
    spoiled(
        "M64d_root_union",
        "the schema of a tool is no union at its root",
        "https://github.com/nspady/google-calendar-mcp/issues/39",
        SCENARIO,
        in_schemas(_root_union, root=True),
    ),
    spoiled(
        "M64e_properties_left_out",
        "an object has its properties, also if there are none",
        "https://github.com/github/github-mcp-server/issues/1548",
        SCENARIO,
        in_schemas(_properties_left_out, root=True),
    ),
    spoiled(
        "M64f_properties_as_list",
        "properties are an object",
        "https://github.com/ollama/ollama/issues/10328",
        SCENARIO,
        in_schemas(_properties_as_list, root=True),
    ),
    spoiled(
        "M64g_names_of_python",
        "types have the names of JSON Schema",
        "https://github.com/zereight/gitlab-mcp/issues/166",
        SCENARIO,
        in_schemas(_names_of_python, root=False),
    ),
    spoiled(
        "M64h_required_at_the_property",
        "`required` is a list beside the properties",
        "https://github.com/ollama/ollama/issues/18051",
        SCENARIO,
        in_schemas(_required_at_the_property, root=True),
    ),
    spoiled(
        "M64i_required_as_word",
        "`required` is a list",
        "https://github.com/leonardcser/smelt/issues/26",
        SCENARIO,
        in_schemas(_required_as_word, root=True),
    ),
    spoiled(
        "M64j_required_of_another_name",
        "what is required is among the properties",
        "https://github.com/iBUHub/AIStudioToAPI/issues/154",
        SCENARIO,
        in_googles_schemas(_required_of_another_name, root=True),
    ),
    spoiled(
        "M64k_items_left_out",
        "an array says what its items are",
        "https://github.com/sigoden/aichat/issues/1049",
        SCENARIO,
        in_schemas(_items_left_out, root=False),
    ),
    spoiled(
        "M64l_types_as_schemas",
        "the schema of a property is an object",
        "https://github.com/ollama/ollama/issues/14256",
        SCENARIO,
        in_schemas(_types_as_schemas, root=True),
    ),
    spoiled(
        "M64m_enum_as_object",
        "`enum` is a list",
        "ollama/ollama api/types.go: an `enum` that is no list",
        SCENARIO,
        in_schemas(_enum_as_object, root=False),
    ),
    spoiled(
        "M64n_names_with_spaces",
        "the name of an argument fits the pattern of the API",
        "error tables of public clients",
        SCENARIO,
        in_schemas(_names_with_spaces, root=True),
    ),
    spoiled(
        "M64o_strict",
        "a strict tool allows no other properties",
        "recorded refusals of strict tools, gpt-4o",
        SCENARIO,
        each(declarations_of, _strict),
    ),
    spoiled(
        "M64p_closed_and_strict",
        "a strict tool has no optional property",
        "recorded refusals of strict tools, gpt-4o-mini",
        SCENARIO,
        each(declarations_of, _closed_and_strict),
    ),
    spoiled(
        "M64q_all_required_and_strict",
        "a strict tool has the keywords of strict schemas",
        "https://github.com/agentjido/req_llm/issues/302",
        "declarations/schema-words-some-refuse",
        each(declarations_of, _all_required_and_strict),
    ),
    spoiled(
        "M64r_googles_types_of_python",
        "types have the names of JSON Schema",
        "https://github.com/zereight/gitlab-mcp/issues/166",
        SCENARIO,
        in_googles_schemas(_names_of_python, root=False),
    ),
    spoiled(
        "M64s_googles_items_left_out",
        "an array says what its items are",
        "https://github.com/AstrBotDevs/AstrBot/issues/6029",
        SCENARIO,
        in_googles_schemas(_items_left_out, root=False),
    ),
    spoiled(
        "M64t_format_of_texts",
        "a `format` that the API does not know is left out",
        "public code that quotes the refusal",
        SCENARIO,
        in_googles_schemas(_format_of_texts, root=False),
    ),
    spoiled(
        "M64u_enum_of_numbers",
        "an `enum` of numbers is left out where only texts have one",
        "public code that quotes the refusal",
        SCENARIO,
        in_googles_schemas(_enum_of_numbers, root=False),
    ),
    spoiled(
        "M64v_properties_of_a_text",
        "only objects have properties",
        "https://github.com/anomalyco/opencode/issues/11889",
        SCENARIO,
        in_googles_schemas(_root_of_another_type, root=True),
    ),
)
