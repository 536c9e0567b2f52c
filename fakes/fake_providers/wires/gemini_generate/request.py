"""Parses a request of Gemini's wire: its route and its wire-neutral view. Never raises."""

import re
from functools import lru_cache, partial
from typing import Any
from urllib.parse import parse_qs, unquote

from msgspec import Struct
from msgspec.structs import replace

from fake_providers.http import Request, spaced
from fake_providers.values.lenient import text_or_none
from fake_providers.values.pictures import Picture, pictures_in
from fake_providers.view import (
    Role,
    View,
    ViewCall,
    ViewMessage,
    ViewResult,
    ViewTool,
    going_on,
    read_arguments,
    stands_for_reasoning,
    with_tools,
)
from fake_providers.wire import Route
from fake_providers.wires.gemini_generate.proto_messages import (
    contents,
    declarations,
    field,
    has_field,
    is_model,
    items,
    snake,
    type_of,
)
from fake_providers.wires.gemini_generate.proto_parser import PARTS, Parsed, parse

VERBS = "(generateContent|streamGenerateContent)"
PATH = re.compile(rf"/{{1,2}}(v1(?:alpha|beta)?)/models/([^:]+):{VERBS}")
VERTEX_PATH = re.compile(
    rf"/{{1,2}}(v1(?:alpha1|beta1)?)/(?:projects/[^/]+/locations/[^/]+/)?publishers/google/models/([^/:]+):{VERBS}"
)
"""Without a project in Vertex AI's express mode."""

WRAPPER_KEYS = ("result", "output", "error", "return_value")
"""The keys in which clients wrap a tool's result; the view unwraps one if it is the only key of the response.

`result` is google-genai's, `output` and `error` are from the reference, `return_value` is Pydantic AI's.
"""


class _Target(Struct, frozen=True):
    """What the path and the query of a request say; `version` and `route` are None for one that is no model's."""

    version: str | None
    route: Route | None
    is_vertex: bool
    has_key: bool
    wants_events: bool


def _target_of(target: str) -> _Target:
    path, _, query = target.partition("?")
    path, named = unquote(path), parse_qs(query)
    match = PATH.fullmatch(path) or VERTEX_PATH.fullmatch(path)
    return _Target(
        version=match[1] if match else None,
        route=Route(match[2], match[3] == "streamGenerateContent") if match else None,
        is_vertex="/publishers/google/" in path,
        has_key=bool("".join(named.get("key", []))),
        wants_events=named.get("alt", [""])[-1] == "sse",
    )


_kept_target = lru_cache(maxsize=64)(_target_of)
LONGEST_KEPT = 200
"""Characters of a target that is kept: clients send the same few again and again."""


def _target(request: Request) -> _Target:
    return (_kept_target if len(request.path) <= LONGEST_KEPT else _target_of)(request.path)


def is_vertex(request: Request) -> bool:
    """Whether the path is one of Vertex AI's, which contain the publisher."""
    return _target(request).is_vertex


def wants_events(request: Request) -> bool:
    """Whether the request wants server-sent events; without `alt=sse` a stream is one JSON array."""
    return _target(request).wants_events


def route(request: Request) -> Route | None:
    return _target(request).route if request.method.upper() == "POST" else None


def parsed(request: Request) -> Parsed:
    """The body with all that Google's parser says of it."""
    read: Parsed = parse(request.body, version=version_of(request), vertex=is_vertex(request))
    return read


def value_of(request: Request) -> Any:
    """The JSON value of the body, whatever the parser says of it."""
    parts = PARTS.read(request.body)
    return parsed(request).value if parts is None else parts.value


def version_of(request: Request) -> str:
    return (_target(request).version if request.method.upper() == "POST" else None) or "v1beta"


def has_key(request: Request) -> bool:
    """Whether there is a key: in the header, in the query, or as a bearer token."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    bearer = token.strip() if scheme.lower() == "bearer" else ""
    return bool(request.headers.get("x-goog-api-key") or _target(request).has_key or bearer)


def view(request: Request) -> View:
    target = route(request) or Route("", False)
    body = value_of(request)
    if not isinstance(body, dict):
        return View(target.model, target.stream)
    asked = PARTS.of_parameters(request.body, _asked) or _asked(body)
    said = PARTS.folded(request.body, "contents", _seen, _going_on)
    if said is None:
        said = _going_on(None, [_seen(index, content) for index, content in enumerate(contents(body))])
    tools = PARTS.made(request.body, "tools", _tools)
    tools = _tools(items(field(body, "tools"))) if tools is None else tools
    offers = any(has_field(tool, "function_declarations") for tool in items(field(body, "tools")))
    return replace(
        asked,
        model=target.model,
        stream=target.stream,
        messages=said.messages,
        tools=tools,
        fields=with_tools(asked.fields) if offers else asked.fields,
        forces=_forces(body) if asked.fields else asked.forces,
    )


def _asked(body: dict[str, Any]) -> View:
    """What the parameters say, without contents and tools."""
    tool_config, config = field(body, "tool_config"), field(body, "generation_config")
    calling = field(tool_config, "function_calling_config")
    allowed = items(field(calling, "allowed_function_names"))
    schemas = (field(config, name) for name in ("response_json_schema", "response_schema"))
    media_type, longest = field(config, "response_mime_type"), field(config, "max_output_tokens")
    return View(
        model="",
        stream=False,
        system=_system(field(body, "system_instruction")),
        fields=frozenset(("tool_choice",) if has_field(tool_config, "function_calling_config") else ()),
        forbids_calls=field(calling, "mode") == "NONE",
        schema=next((schema for schema in schemas if schema is not None), None),
        allows=frozenset(name for name in allowed if isinstance(name, str)) or None,
        answer_format="enum" if media_type == "text/x.enum" else "json" if media_type == "application/json" else "text",
        max_tokens=longest if isinstance(longest, int) else None,
    )


_going_on = partial(going_on, answer_seam="")


def _seen(index: int, content: Any) -> list[ViewMessage]:
    return _messages(content, f"contents[{index}]")


def _tools(tools: list[Any]) -> tuple[ViewTool, ...]:
    declared = declarations({"tools": tools})
    return tuple(_tool(declaration) for _, declaration in declared if isinstance(declaration, dict))


def _forces(body: Any) -> frozenset[str]:
    config = field(field(body, "tool_config"), "function_calling_config")
    if str(field(config, "mode")).upper() != "ANY":
        return frozenset()
    offered = (field(declaration, "name") for _, declaration in declarations(body) if isinstance(declaration, dict))
    allowed = items(field(config, "allowed_function_names")) or offered
    return frozenset(name for name in allowed if isinstance(name, str))


def _system(instruction: Any) -> str:
    if isinstance(instruction, str):
        return instruction
    return "\n".join(_texts(items(field(instruction, "parts")))[0])


def _texts(parts: list[Any]) -> tuple[list[str], list[str]]:
    """What is said, and what is thought."""
    found: tuple[list[str], list[str]] = ([], [])
    for part in parts:
        text = field(part, "text")
        if isinstance(text, str) and text:
            found[bool(field(part, "thought"))].append(text)
    return found


def _messages(content: Any, at: str) -> list[ViewMessage]:
    """One message, or two if a content has responses and other parts.

    The model's texts are joined: google-genai's chats send back one content for each chunk of a stream.
    """
    parts = [part for part in items(field(content, "parts")) if isinstance(part, dict)]
    role: Role = "assistant" if is_model(content) else "user"
    seam = "" if role == "assistant" else "\n"
    text, thinking = map(seam.join, _texts(parts))
    others = [part for part in parts if len(part) > 1 or "text" not in part]
    if not others:
        return [ViewMessage(role, at, text=text, thinking=thinking)]
    calls = tuple([_call(member) for part in others if (member := field(part, "function_call")) is not None])
    results = tuple([_result(member) for part in others if (member := field(part, "function_response")) is not None])
    found = [ViewMessage("tool", at, results=results)] if results else []
    pictures = _pictures(others)
    if calls or text or thinking or pictures or not results:
        signed = any(stands_for_reasoning(field(part, "thought_signature")) for part in others)
        message = ViewMessage(role, at, text=text, thinking=thinking, calls=calls, pictures=pictures, signed=signed)
        found.append(message)
    return found


def _pictures(parts: list[Any]) -> tuple[Picture, ...]:
    if not parts:
        return ()
    blobs = [field(part, "inline_data") or field(part, "file_data") for part in parts]
    images = [blob for blob in blobs if str(field(blob, "mime_type")).startswith("image/")]
    data = [field(blob, "data") or field(blob, "file_uri") for blob in images]
    return pictures_in(data)


def _call(member: Any) -> ViewCall:
    arguments = field(member, "args")
    read = read_arguments({} if arguments is None else arguments)
    return ViewCall(text_or_none(field(member, "id")), text_or_none(field(member, "name")) or "", *read)


def _result(member: Any) -> ViewResult:
    response = field(member, "response")
    is_error = has_field(response, "error")
    if isinstance(response, dict) and len(response) == 1 and next(iter(response)) in WRAPPER_KEYS:
        response = next(iter(response.values()))
    text = response if isinstance(response, str) else spaced(response)
    text = "" if response is None else text
    pictures = _pictures(items(field(member, "parts")))
    return ViewResult(text_or_none(field(member, "id")), text_or_none(field(member, "name")), text, is_error, pictures)


def _tool(declaration: Any) -> ViewTool:
    parameters = field(declaration, "parameters_json_schema")
    if parameters is None:
        parameters = _json_schema(field(declaration, "parameters"))
    name, description = text_or_none(field(declaration, "name")), text_or_none(field(declaration, "description"))
    return ViewTool(name or "", description or "", parameters)


def _json_schema(schema: Any) -> Any:
    """Google's schema as JSON Schema: types in lower case, keywords in camel case, `nullable` as a type."""
    if not isinstance(schema, dict):
        return schema
    plain: dict[str, Any] = {}
    for key, value in schema.items():
        name = snake(key)
        if name == "type" and isinstance(value, str | int):
            plain["type"] = type_of(schema).lower()
        elif name == "properties" and isinstance(value, dict):
            plain["properties"] = {key: _json_schema(child) for key, child in value.items()}
        elif name == "items":
            plain["items"] = _json_schema(value)
        elif name == "any_of" and isinstance(value, list):
            plain["anyOf"] = [_json_schema(child) for child in value]
        else:
            plain[re.sub(r"_([a-z])", lambda match: match[1].upper(), name)] = value
    if plain.pop("nullable", False) and isinstance(plain.get("type"), str):
        plain["type"] = [plain["type"], "null"]
    return plain
