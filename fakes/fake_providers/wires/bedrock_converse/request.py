"""Parses a request of Bedrock's Converse: its route and its wire-neutral view. Never raises."""

import base64
import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, Final
from urllib.parse import unquote

from fake_providers.body_slices import PartReader
from fake_providers.http import Request, spaced
from fake_providers.models import PROFILE, traits
from fake_providers.values.json_texts import cached_by_body, read_json
from fake_providers.values.lenient import listed, members, objects, text_or_none
from fake_providers.values.pictures import Picture, pictures_in
from fake_providers.view import View, ViewCall, ViewMessage, ViewResult, ViewTool, going_on
from fake_providers.wire import Route
from fake_providers.wires.anthropic_messages.json_parser import NotJsonError, plain_part, read

PATH: Final = re.compile(r"(?:.*/)?model/([^/]+)/(converse|converse-stream|invoke|invoke-with-response-stream)")
"""The model is one label, percent-encoded or not."""
NOVA: Final = re.compile(r"amazon\.nova-(?!canvas|reel|sonic|.*(?:sonic|embed))")
NOT_JSON: Final = object()
NO_WORDS: Final = frozenset({"toolResult", "cachePoint", "toolAddition", "toolRemoval"})
"""Blocks of a user's message that are nothing that the user says."""
PARTS: Final = PartReader(plain_part, "messages", around_tools="toolConfig")


def route(request: Request) -> Route | None:
    known = len(request.path) <= LONGEST_TARGET
    return (_kept_route_to if known else _route_to)(request.method, request.path)


def _route_to(method: str, target: str) -> Route | None:
    match = PATH.fullmatch(target.partition("?")[0].lstrip("/"))
    if match is None or method.upper() != "POST":
        return None
    model = unquote(match[1])
    if match[2].startswith("invoke") and is_known_form(model) and not (_may_be_claude(model) or is_nova(model)):
        return None
    return Route(model, match[2].endswith("-stream"))


_kept_route_to = lru_cache(maxsize=64)(_route_to)
LONGEST_TARGET: Final = 200
"""Characters of a target that is kept: clients send the same few again and again."""


def is_invoke(request: Request) -> bool:
    """Whether the body is the one of the model's vendor, of which Claude's and Nova's are known here."""
    return "/invoke" in request.path.rpartition("/model/")[2]


def _may_be_claude(model: str) -> bool:
    """Whether it is one, or a resource that says no vendor."""
    bare = base_id(model)
    return bare.startswith("anthropic.") or (model.startswith("arn:") and not BASE.fullmatch(bare))


def is_nova(model: str) -> bool:
    """Whether it is one that reads and writes texts."""
    return NOVA.match(base_id(model)) is not None


def target_of(request: Request) -> Route:
    return route(request) or Route("", False)


@cached_by_body
def _parsed(body: bytes) -> Any:
    """An empty body is an empty object, as for every service of Amazon with this protocol."""
    if not body.strip():
        return {}
    try:
        return read(body)
    except NotJsonError:
        return NOT_JSON


def body_of(request: Request) -> Any:
    """The JSON value, or `NOT_JSON`."""
    parts = PARTS.read(request.body)
    return _parsed(request.body) if parts is None else parts.value


def tool_specs(body: dict[str, Any]) -> list[tuple[int, dict[str, Any]]]:
    """The client's own tools with their places in the list, which also holds cache points and the service's tools."""
    tools = enumerate(listed(members(body.get("toolConfig")).get("tools")))
    return [(i, spec) for i, tool in tools if isinstance(spec := members(tool).get("toolSpec"), dict)]


def view(request: Request) -> View:
    """`system` and system messages become `system`. Results become a message of role `tool`, and what stands beside
    them a user message after it."""
    target, body = target_of(request), members(body_of(request))
    said = PARTS.folded(request.body, "messages", _seen, going_on)
    if said is None:
        said = going_on(None, [_seen(index, message) for index, message in enumerate(listed(body.get("messages")))])
    systems = (_text(body.get("system")), *said.system)
    config = members(body.get("toolConfig"))
    offered = PARTS.made(request.body, "tools", _offered)
    offered = _offered(listed(config.get("tools"))) if offered is None else offered
    longest = members(body.get("inferenceConfig")).get("maxTokens")
    schema, more = schema_of(body), members(body.get("additionalModelRequestFields"))
    return View(
        model=target.model,
        stream=target.stream,
        system="\n".join(text for text in systems if text),
        messages=said.messages,
        tools=offered,
        fields=frozenset(
            name for name, there in (("tools", "tools" in config), ("tool_choice", "toolChoice" in config)) if there
        ),
        forces=_forces(config.get("toolChoice"), offered),
        thinks=_thinks(body),
        schema=schema,
        answer_format="text" if schema is None else "json",
        max_tokens=longest if isinstance(longest, int) else None,
        at_most_one_call=members(more.get("tool_choice")).get("disable_parallel_tool_use") is True,
    )


def _seen(index: int, message: Any) -> list[ViewMessage] | str:
    """The messages of one, or the text of a system message."""
    if not isinstance(message, dict):
        return []
    if message.get("role") == "system":
        return _text(message.get("content"))
    return _messages(message, f"messages[{index}]")


def _offered(tools: list[Any]) -> tuple[ViewTool, ...]:
    return tuple(_tool(spec) for _, spec in tool_specs({"toolConfig": {"tools": tools}}))


def thinking_of(body: dict[str, Any]) -> Any:
    """What the request asks of Claude's thinking; the service hands it on unread."""
    return members(body.get("additionalModelRequestFields")).get("thinking")


def _thinks(body: dict[str, Any]) -> bool:
    return members(thinking_of(body)).get("type") in ("enabled", "adaptive")


def _forces(choice: Any, offered: tuple[ViewTool, ...]) -> frozenset[str]:
    choice = members(choice)
    named = members(choice.get("tool")).get("name")
    return frozenset(tool.name for tool in offered if "any" in choice or tool.name == named)


def schema_of(body: dict[str, Any]) -> Any:
    """The schema of the answer, which `outputConfig` has as JSON text."""
    structure = members(members(body.get("outputConfig")).get("textFormat")).get("structure")
    text = members(members(structure).get("jsonSchema")).get("schema")
    try:
        return read_json(text) if isinstance(text, str) else None
    except ValueError:
        return None


def _messages(message: dict[str, Any], at: str) -> list[ViewMessage]:
    blocks = objects(message.get("content"))
    if message.get("role") == "assistant":
        thinking = [
            members(members(block.get("reasoningContent")).get("reasoningText")).get("text") for block in blocks
        ]
        calls = tuple(_call(use) for block in blocks if _is_clients(use := members(block.get("toolUse"))))
        return [ViewMessage("assistant", at, _text(blocks), _lines(thinking), calls)]
    results = tuple(_result(block["toolResult"]) for block in blocks if isinstance(block.get("toolResult"), dict))
    has_more = not blocks or any(block.keys() - NO_WORDS for block in blocks)
    user = [ViewMessage("user", at, _text(blocks), pictures=_pictures(blocks))] if has_more else []
    return [ViewMessage("tool", at, results=results), *user] if results else user


def _is_clients(use: dict[str, Any]) -> bool:
    """Whether it is a call, and not one of a tool that the service runs itself."""
    return bool(use) and use.get("type") != "server_tool_use"


def _call(use: dict[str, Any]) -> ViewCall:
    arguments = use.get("input")
    return ViewCall(
        text_or_none(use.get("toolUseId")), text_or_none(use.get("name")) or "", arguments, spaced(arguments)
    )


def _result(result: dict[str, Any]) -> ViewResult:
    content = objects(result.get("content"))
    text = _lines(_part(part) for part in content)
    return ViewResult(
        text_or_none(result.get("toolUseId")), None, text, result.get("status") == "error", _pictures(content)
    )


def _part(part: dict[str, Any]) -> str:
    """A part of a result as text: its text or JSON, and of another one what it is: `[image/png]`."""
    if isinstance(part.get("text"), str):
        return str(part["text"])
    if "json" in part:
        return part["json"] if isinstance(part["json"], str) else spaced(part["json"])
    kind = next(iter(part), "")
    if kind == "searchResult":
        return _text(members(part[kind]).get("content"))
    inner = members(part.get(kind))
    if isinstance(text := members(inner.get("source")).get("text"), str):
        return text
    return f"[{kind}/{inner.get('format')}]" if kind else ""


def _pictures(blocks: Iterable[dict[str, Any]]) -> tuple[Picture, ...]:
    sources = [members(members(block["image"]).get("source")) for block in blocks if "image" in block]
    return pictures_in(source.get("bytes") or _address(source) for source in sources)


def _address(source: dict[str, Any]) -> str:
    """A picture in S3 as an address of its own."""
    uri = members(source.get("s3Location")).get("uri")
    return (
        f"https://s3/{base64.urlsafe_b64encode(uri.encode(errors='replace')).decode()}" if isinstance(uri, str) else ""
    )


def _tool(spec: dict[str, Any]) -> ViewTool:
    schema = members(spec.get("inputSchema")).get("json")
    return ViewTool(text_or_none(spec.get("name")) or "", text_or_none(spec.get("description")) or "", schema)


def _text(blocks: Any) -> str:
    return _lines(text for block in objects(blocks) for text in _texts(block))


def _texts(block: dict[str, Any]) -> Iterable[Any]:
    """What a block says: as it is, for a guardrail to look at, or with citations."""
    yield block.get("text")
    yield members(members(block.get("guardContent")).get("text")).get("text")
    yield from (part.get("text") for part in objects(members(block.get("citationsContent")).get("content")))


def _lines(texts: Iterable[Any]) -> str:
    return "\n".join(text for text in texts if isinstance(text, str) and text)


WIRE_NAME = "bedrock-converse"
BASE = re.compile(
    r"(?!(?:us|us-gov|eu|apac|jp|au|ca|sa|global)\.)[a-z0-9-]{1,63}\.[a-zA-Z0-9.-]{1,63}(:[0-9]{1,3}(:[a-z0-9]+)?)?"
)
"""`vendor.model-v1:0`, also with the length of the context after another colon."""
ARN = re.compile(
    r"arn:aws[a-z-]*:(?:bedrock:[a-z0-9-]+:[0-9]*:(?:foundation-model|(?:application-)?inference-profile|"
    r"provisioned-model|custom-model|custom-model-deployment|imported-model|prompt|(?:default-)?prompt-router)/[^\s]+|"
    r"sagemaker:[a-z0-9-]+:[0-9]{12}:endpoint/[a-zA-Z0-9-]+)"
)


def base_id(model: str) -> str:
    """`vendor.model` without a geography or an ARN around it; the id of a resource that says no vendor as it is."""
    resource = model.rsplit("/", 1)[-1] if model.startswith("arn:") else model
    return PROFILE.sub("", resource, count=1)


def is_known_form(model: str) -> bool:
    return bool(ARN.fullmatch(model) if model.startswith("arn:") else BASE.fullmatch(base_id(model)))


def is_base(model: str) -> bool:
    """Whether the model is asked for by its base id, which is on-demand throughput."""
    return not model.startswith("arn:") and base_id(model) == model


def traits_at(request: Request) -> frozenset[str]:
    """The traits of the request's model; of the one that the fake was told it is, where an ARN says no vendor."""
    model = target_of(request).model
    hidden = model.startswith("arn:") and not BASE.fullmatch(base_id(model))
    return traits_of(request.stored if hidden and isinstance(request.stored, str) else model)


@lru_cache(maxsize=256)
def traits_of(model: str) -> frozenset[str]:
    """What is special about this model here; of a Claude also what Anthropic's own API knows of it."""
    bare = base_id(model)[:100]
    own = traits(WIRE_NAME, bare)
    if not bare.startswith("anthropic.") or "as-it-was" in own:
        return own
    return own | traits("anthropic-messages", bare.removeprefix("anthropic."))
