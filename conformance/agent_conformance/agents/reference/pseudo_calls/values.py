"""Values inside a block: JSON, Python literals, XML-ish parameters.

Nothing is completed or repaired: what does not read in full is not read at all.
"""

import ast
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from agent_conformance.agents.reference.arguments import finite, read_arguments, refuse_constant

DECODER = json.JSONDecoder(parse_constant=refuse_constant, parse_float=finite)
CONSTANTS = {"true": True, "false": False}
NAMES = ("name", "tool_name", "tool", "action")
ARGUMENTS = ("arguments", "parameters", "args", "action_input")
ENVELOPE = "tool_calls"
BEGUN_JSON = re.compile(r"\s*\[?\s*\{\s*\"")


@dataclass(frozen=True, slots=True)
class TextCall:
    """A call that was read in a text."""

    name: str
    arguments: Mapping[str, Any]


def json_at(text: str, at: int) -> tuple[Any, int] | None:
    """The JSON value that begins at `at`, blanks aside, and where it ends."""
    try:
        return DECODER.raw_decode(text, at + len(text[at:]) - len(text[at:].lstrip()))
    except (ValueError, RecursionError):
        return None


def object_at(text: str, at: int) -> tuple[dict[str, Any], int] | None:
    """The same, if it is an object."""
    read = json_at(text, at)
    return read if read is not None and isinstance(read[0], dict) else None


def json_run(text: str, at: int) -> tuple[list[Any], int]:
    """JSON objects and arrays in a row, with blanks, commas or semicolons between; where they end."""
    values: list[Any] = []
    end = at
    while True:
        start = re.compile(r"[\s,;]*(?=[{\[])").match(text, end)
        read = json_at(text, start.end()) if start else None
        if read is None:
            return values, end
        values.append(read[0])
        end = read[1]


def calls_in(value: Any) -> list[TextCall]:
    """The calls that a JSON value makes; empty if any part of it is none."""
    if isinstance(value, list):
        each = [calls_in(item) for item in value]
        return [call for calls in each for call in calls] if all(each) else []
    if not isinstance(value, Mapping):
        return []
    if isinstance(value.get(ENVELOPE), list):
        return calls_in(value[ENVELOPE])
    if isinstance(value.get("function"), Mapping):
        return calls_in(value["function"])
    name = next((value[key] for key in NAMES if isinstance(value.get(key), str)), "")
    given = next((value[key] for key in ARGUMENTS if key in value), None)
    arguments, _ = read_arguments(given)
    return [TextCall(name.strip(), arguments)] if name.strip() and arguments is not None else []


def keyed_calls(value: Any) -> list[TextCall]:
    """Calls whose name is the only key: `[{"get_weather": {"city": "Paris"}}]`."""
    items = value if isinstance(value, list) else [value]
    pairs = [pair for item in items if isinstance(item, Mapping) for pair in item.items()]
    return [TextCall(name, arguments) for name, arguments in pairs if isinstance(arguments, Mapping)]


def python_calls(source: str) -> list[TextCall]:
    """Calls in Python's words, one a line or in a list; a call with anything but named literals is left out."""
    found: list[TextCall] = []
    try:
        body = ast.parse(source.strip()).body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return []
    for statement in body:
        if not isinstance(statement, ast.Expr):
            return []
        value = statement.value
        for node in value.elts if isinstance(value, ast.List) else [value]:
            call = _python_call(_unprinted(node))
            if call is not None:
                found.append(call)
    return found


def _unprinted(node: ast.expr) -> ast.expr:
    """What is printed, for `print(CALL)`."""
    match node:
        case ast.Call(ast.Name("print"), [printed, *_]):
            return printed
    return node


def _python_call(node: ast.AST) -> TextCall | None:
    if not isinstance(node, ast.Call) or node.args or any(keyword.arg is None for keyword in node.keywords):
        return None
    try:
        arguments = {str(keyword.arg): _literal(keyword.value) for keyword in node.keywords}
        json.dumps(arguments, allow_nan=False)
    except (ValueError, TypeError):
        return None
    return TextCall(ast.unparse(node.func).removeprefix("default_api."), arguments)


def _literal(node: ast.expr | None) -> Any:
    """Raises `ValueError` for what is no literal, such as `**more` in a dictionary, which has no key."""
    if isinstance(node, ast.Name) and node.id in CONSTANTS:
        return CONSTANTS[node.id]
    if isinstance(node, ast.List | ast.Tuple):
        return [_literal(item) for item in node.elts]
    if isinstance(node, ast.Dict):
        return {str(_literal(key)): _literal(value) for key, value in zip(node.keys, node.values, strict=True)}
    return ast.literal_eval(node or ast.Pass())


PARAMETER = re.compile(
    r"<(?P<tag>(?:[\w:]+:|｜DSML｜)?parameter)(?:=(?P<key>[^<>=]+)|\s+name\s*=\s*[\"'](?P<named>[^\"']+)[\"'])"
    r"(?:\s+string=\"(?P<string>\w+)\")?(?:\s[^<>]*)?>(?P<value>.*?)</(?P=tag)>",
    re.DOTALL,
)
NEXT_ELEMENT = re.compile(r"<([A-Za-z_][\w.-]*)>")


def parameters(body: str) -> dict[str, Any] | None:
    """`<parameter=k>v</parameter>` and `<parameter name="k">v</parameter>` in a row; None if anything else is there."""
    found: dict[str, Any] = {}
    for match in PARAMETER.finditer(body):
        key = (match["key"] or match["named"]).strip()
        value = plain_value(match["value"])
        if match["string"] == "false":
            read = json_at(value, 0)
            found[key] = read[0] if read else value
        else:
            found[key] = value
    return None if PARAMETER.sub("", body).strip() else found


def elements(body: str) -> dict[str, Any] | None:
    """`<k>v</k>` in a row, each value to the closing tag of its name; None if anything else is there."""
    found: dict[str, Any] = {}
    rest = body.strip()
    while start := NEXT_ELEMENT.match(rest):
        value, closer, after = rest[start.end() :].partition(f"</{start[1]}>")
        if not closer:
            return None
        found[start[1]] = plain_value(value)
        rest = after.strip()
    return None if rest else found


def plain_value(value: str) -> str:
    """The text of a value: one line break at either end is layout."""
    return value.removeprefix("\n").removesuffix("\n")
