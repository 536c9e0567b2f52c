"""Vertex AI's rules on declarations. Each reports the first wrong schema in a sentence of its own."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from fake_providers.providers.vertex.books import BOOK, DOCS
from fake_providers.rulebook import Breach, RequestContext
from fake_providers.wires.gemini_generate.lenient_reading import declarations, field, items, type_of
from fake_providers.wires.gemini_generate.proto_messages import snake
from fake_providers.wires.gemini_generate.request_validator import BAD_NAME, FUNCTION_NAME
from fake_providers.wires.gemini_generate.rules.samples import (
    cite,
    declaration_of,
    sample_with_property,
    sample_with_tools,
    vertex_path,
)

FUNCTIONS = f"Learn more: {DOCS}/multimodal/function-calling"
STRING = {"type": "string"}
SCHEMA = {"type": "object", "properties": {"city": STRING}}
UNION = {"anyOf": [STRING, {"type": "integer"}]}


class Node(NamedTuple):
    """A schema within declared parameters. `path` is Vertex AI's spelling, `parameters.a.b`; `at` is the place in the
    body."""

    function: str
    path: str
    at: str
    schema: Any


def nodes(body: Any) -> Iterator[Node]:
    """Every schema of every declaration's `parameters`, outer ones first."""
    for at, declaration in declarations(body):
        parameters = field(declaration, "parameters")
        name = str(field(declaration, "name"))
        if isinstance(parameters, dict):
            yield from _within(Node(name, "parameters", f"{at}.parameters", parameters))


def _within(node: Node) -> Iterator[Node]:
    yield node
    name, path, at, schema = node
    properties = field(schema, "properties")
    for key, child in properties.items() if isinstance(properties, dict) else ():
        if isinstance(child, dict):
            yield from _within(Node(name, f"{path}.{key}", f"{at}.properties[{key}]", child))
    item_schema = field(schema, "items")
    if isinstance(item_schema, dict):
        yield from _within(Node(name, f"{path}.items", f"{at}.items", item_schema))
    for i, branch in enumerate(items(field(schema, "any_of"))):
        if isinstance(branch, dict):
            yield from _within(Node(name, f"{path}.any_of[{i}]", f"{at}.any_of[{i}]", branch))


@BOOK.rule(
    "vertex/function-name-invalid",
    why=(
        "A declared name has characters other than letters, digits and _.:- or does not start with a letter or "
        "underscore."
    ),
    confidence="verbatim",
    evidence=cite(
        "google-gemini/gemini-cli#2966",
        quote="Invalid function name. Must start with a letter or an underscore.",
    ),
    breaking=sample_with_tools(declaration_of(SCHEMA, name="get weather")),
    accepted=sample_with_tools(declaration_of(SCHEMA)),
    path=vertex_path(),
)
def function_name_invalid(context: RequestContext) -> Breach | None:
    for at, declaration in declarations(context.body.value):
        name = field(declaration, "name")
        if not isinstance(name, str) or not FUNCTION_NAME.fullmatch(name):
            return Breach(f"{at}.name", BAD_NAME)
    return None


@BOOK.rule(
    "vertex/parameters-not-object",
    why="`parameters` is not of type OBJECT. A function without arguments must leave it out.",
    confidence="verbatim",
    evidence=cite(
        "dyad-sh/dyad#2300",
        "spring-projects/spring-ai#1373",
        quote="functionDeclaration parameters schema should be of type OBJECT.",
    ),
    breaking=sample_with_tools(declaration_of({"properties": {"city": STRING}})),
    accepted=sample_with_tools(declaration_of(SCHEMA)),
    path=vertex_path(),
)
def parameters_not_object(context: RequestContext) -> Breach | None:
    for node in nodes(context.body.value):
        if node.path == "parameters" and type_of(node.schema) != "OBJECT":
            return Breach(
                node.at,
                f"Unable to submit request because `{node.function}` functionDeclaration parameters schema should be "
                f"of type OBJECT. {FUNCTIONS}",
            )
    return None


@BOOK.rule(
    "vertex/any-of-siblings",
    why="A schema has `anyOf` and any other key; the Developer API accepts a description there.",
    confidence="verbatim",
    evidence=cite(
        "BerriAI/litellm#11164",
        "jenslys/opencode-gemini-auth#57",
        "anomalyco/opencode#15795",
        "langchain-ai/langchain-google#1216",
        quote="schema specified other fields alongside any_of. When using any_of, it must be the only field set.",
    ),
    breaking=sample_with_property({**UNION, "description": "A city."}),
    accepted=sample_with_property(UNION),
    path=vertex_path(),
)
def any_of_siblings(context: RequestContext) -> Breach | None:
    for node in nodes(context.body.value):
        if field(node.schema, "any_of") and len([key for key in node.schema if node.schema[key] is not None]) > 1:
            return Breach(
                node.at,
                f"Unable to submit request because `{node.function}` functionDeclaration `{node.path}` schema "
                "specified other fields alongside any_of. When using any_of, it must be the only field set. "
                f"{FUNCTIONS}",
            )
    return None


@BOOK.rule(
    "vertex/schema-type-missing",
    why="A schema below the root has neither a type nor `anyOf`.",
    confidence="verbatim",
    evidence=cite(
        "google-gemini/gemini-cli#2282",
        "directus/mcp#8",
        quote="schema didn't specify the schema type field.",
    ),
    breaking=sample_with_property({"description": "A city."}),
    accepted=sample_with_property({"description": "A city.", "type": "string"}),
    path=vertex_path(),
)
def schema_type_missing(context: RequestContext) -> Breach | None:
    for node in nodes(context.body.value):
        if not {snake(key) for key in node.schema} & {"type", "any_of", "ref"}:
            return Breach(
                node.at,
                f"Unable to submit request because `{node.function}` functionDeclaration `{node.path}` schema didn't "
                f"specify the schema type field. {FUNCTIONS}",
            )
    return None
