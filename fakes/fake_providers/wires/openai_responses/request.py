"""Parses a Responses request: its route and its neutral view. Refuses nothing and never raises.
Reasoning that only this fake can read is decrypted here, and encrypted for `output_items`.

Codex groups its tools, `{"type": "namespace", "name": "weather", "tools": [...]}`, and a call has a `namespace`.
"""

import base64
import binascii
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from msgspec.structs import replace

from fake_providers.http import Request
from fake_providers.values.lenient import objects, text_or_none
from fake_providers.values.pictures import Picture, pictures_in
from fake_providers.view import (
    STORED_REASONING,
    Said,
    View,
    ViewCall,
    ViewMessage,
    ViewResult,
    ViewTool,
    going_on,
    read_arguments,
    with_tools,
)
from fake_providers.wire import Route
from fake_providers.wires.openai_responses.conversation import CONTINUED, Conversation, PlacedItem, conversation_of
from fake_providers.wires.openai_responses.own_tools import runs_at_the_provider
from fake_providers.wires.openai_shared.request_body import (
    NOT_JSON,
    PARTS,
    allowed_tools,
    body_of,
    forced_tools,
    model_of,
    route_to,
    wants_stream,
    whole_number,
)

__all__ = ["NOT_JSON", "body_of", "model_of", "route_of", "view_of", "wants_stream"]

NOTHING: Final[frozenset[str]] = frozenset()
FIELDS = ("tools", "tool_choice", "parallel_tool_calls")
OWN_CALLS = {
    "apply_patch_call": "operation",
    "shell_call": "action",
    "local_shell_call": "action",
    "computer_call": "action",
}
"""Calls of OpenAI's own tools that the client runs, and the member with what is to be done."""
SEARCH: Final = "tool_search"
"""A tool that finds others, of which the model has seen only the names: run by the client or by the provider."""
RESULTS = ("function_call_output", "custom_tool_call_output", *(f"{kind}_output" for kind in OWN_CALLS))


def route_of(request: Request) -> Route | None:
    return route_to("/responses", request)


def view_of(request: Request) -> View:
    """The neutral view of the whole conversation: the stored items that the request refers to, and its own."""
    body = body_of(request)
    if not isinstance(body, dict):
        return View("", False)
    own = _own_items(request, body)
    names = names_of(offered_tools(body)) if own is None else {}
    if own is not None:
        instructions = body.get("instructions")
        texts = (instructions if isinstance(instructions, str) else "", *own.system)
        system, messages = "\n".join([text for text in texts if text]), own.messages
    else:
        conversation = conversation_of(body, request.stored)
        said = going_on(None, _messages(conversation, names))
        system, messages = "\n".join(_system(body, conversation)), said.messages
    tools = PARTS.made(request.body, "tools", _plain_tools) if own is not None else tuple(_tools(body, names))
    tools = () if tools is None else tools
    asked = PARTS.of_parameters(request.body, _asked) or _asked(body)
    choice = body.get("tool_choice")
    return replace(
        asked,
        system=system,
        messages=messages,
        tools=tools,
        fields=asked.fields if body.get("tools") is None else with_tools(asked.fields),
        forces=NOTHING if choice is None else forced_tools(choice, [tool.name for tool in tools]),
    )


def _asked(body: dict[str, Any]) -> View:
    """What the parameters say, without items and tools."""
    return View(
        model=model_of(body),
        stream=wants_stream(body),
        fields=frozenset([name for name in FIELDS if body.get(name) is not None]),
        forbids_calls=body.get("tool_choice") == "none",
        schema=_format(body).get("schema"),
        allows=allowed_tools(body.get("tool_choice")),
        answer_format="json" if _format(body).get("type") in ("json_object", "json_schema") else "text",
        max_tokens=whole_number(body.get("max_output_tokens")),
        at_most_one_call=body.get("parallel_tool_calls") is False,
    )


def _own_items(request: Request, body: Mapping[str, Any]) -> Said | None:
    """The items of a request that refers to nothing and groups no tools. None for any other request, whose items depend
    on what is beside them."""
    if any(body.get(name) for name in CONTINUED) or PARTS.made(request.body, "tools", _has_groups):
        return None
    found = PARTS.folded(request.body, "input", _own_item, _own_going_on)
    if found is None or found.depends:
        return None
    return None if request.stored is not None and found.may_be_stored else found.said


class _Own(NamedTuple):
    """The items of a request; whether any depends on others, and whether there is only the id of any."""

    said: Said
    depends: bool
    may_be_stored: bool


def _own_going_on(own: _Own | None, seen: list[ViewMessage | str | None]) -> _Own:
    depends = (own is not None and own.depends) or DEPENDS in seen
    may_be_stored = (own is not None and own.may_be_stored) or MAY_BE_STORED in seen
    said = going_on(None if own is None else own.said, [one for one in seen if one is not MAY_BE_STORED])
    return _Own(said, depends, may_be_stored)


DEPENDS: Final = "(an item that depends on others)"
MAY_BE_STORED: Final = "(an item of which there is only the id)"


def _has_groups(tools: list[Any]) -> bool:
    return any(tool.get("type") == "namespace" for tool in tools)


def _own_item(index: int, item: Any) -> ViewMessage | str | None:
    if item.keys() - {"type"} == {"id"}:
        return MAY_BE_STORED
    kind = item.get("type")
    if (
        kind in ("additional_tools", "tool_search_output", "item_reference", "reasoning")
        or "namespace" in item
        or "environment" in item
    ):
        return DEPENDS
    if _is_message(item) and _is_system(item):
        return text_of(item.get("content"))
    return _message(PlacedItem(item, f"input[{index}]"), {})


def _plain_tools(tools: list[Any]) -> tuple[ViewTool, ...]:
    return tuple(_tools({"tools": tools}, {}))


def _format(body: Mapping[str, Any]) -> Mapping[str, Any]:
    text = body.get("text")
    format_ = text.get("format") if isinstance(text, dict) else None
    return format_ if isinstance(format_, dict) else {}


def _system(body: Mapping[str, Any], conversation: Conversation) -> Iterator[str]:
    """The instructions, which apply to this request only, and then all system messages."""
    instructions = body.get("instructions")
    if isinstance(instructions, str) and instructions:
        yield instructions
    for placed in conversation.items:
        if _is_message(placed.value) and _is_system(placed.value) and (text := text_of(placed.value.get("content"))):
            yield text


def _messages(conversation: Conversation, names: Mapping[tuple[str, str], str]) -> Iterator[ViewMessage]:
    hosted = {str(placed.value.get("call_id")) for placed in conversation.items if runs_at_the_provider(placed.value)}
    for placed in conversation.items:
        is_hosted = bool(hosted) and str(placed.value.get("call_id")) in hosted
        if not is_hosted and (message := _message(placed, names)) is not None:
            yield message


def _message(placed: PlacedItem, names: Mapping[tuple[str, str], str]) -> ViewMessage | None:
    """The message of an item; None for items that are no part of a text-and-tools conversation, such as searches."""
    item, at = placed.value, placed.at
    if _is_message(item):
        if _is_system(item):
            return None
        role = "assistant" if item.get("role") == "assistant" else "user"
        content = item.get("content")
        return ViewMessage(role, at, text=text_of(content), pictures=_pictures(content))  # type: ignore[arg-type]
    kind = str(item.get("type"))
    if kind in ("function_call", "custom_tool_call"):
        return ViewMessage("assistant", at, calls=(_call(item, names),))
    if kind == "tool_search_call" and item.get("execution") == "client":
        return ViewMessage("assistant", at, calls=(_call({**item, "name": SEARCH}, names),))
    if kind == "tool_search_output" and item.get("execution") == "client":
        found = ", ".join(str(tool.get("name")) for _, tool in _each(item.get("tools")))
        return ViewMessage("tool", at, results=(ViewResult(text_or_none(item.get("call_id")), SEARCH, found),))
    if kind in OWN_CALLS:
        members = item.get(OWN_CALLS[kind])
        named = {"call_id": item.get("call_id"), "name": kind.removesuffix("_call"), "arguments": members}
        return ViewMessage("assistant", at, calls=(_call(named, names),))
    if kind in RESULTS:
        output = item.get("output")
        parts = [output] if isinstance(output, dict) else output
        result = ViewResult(text_or_none(item.get("call_id")), None, text_of(parts), pictures=_pictures(parts))
        return ViewMessage("tool", at, results=(result,))
    if kind == "reasoning":
        # As plain text, or encrypted by this fake
        thinking = (
            text_of(item.get("summary")) or text_of(item.get("content")) or decrypt(item.get("encrypted_content"))
        )
        return ViewMessage("assistant", at, thinking=thinking or (STORED_REASONING if placed.stored else ""))
    return None


def _call(item: Mapping[str, Any], names: Mapping[tuple[str, str], str]) -> ViewCall:
    name = text_or_none(item.get("name")) or ""
    name = names.get((text_or_none(item.get("namespace")) or "", name), name)
    return ViewCall(
        text_or_none(item.get("call_id")), name, *read_arguments(item.get("arguments", item.get("input", "")))
    )


def _tools(body: Mapping[str, Any], names: Mapping[tuple[str, str], str]) -> Iterator[ViewTool]:
    for namespace, tool in offered_tools(body):
        if tool.get("type") == SEARCH and tool.get("execution") == "client":
            yield ViewTool(SEARCH, text_or_none(tool.get("description")) or "", tool.get("parameters"))
        name = text_or_none(tool.get("name"))
        if name is None and tool.get("type") not in ("function", "custom"):
            continue  # the provider's own tools have no name
        description = text_or_none(tool.get("description")) or ""
        yield ViewTool(names.get((namespace, name or ""), name or ""), description, tool.get("parameters"))


def text_of(content: Any) -> str:
    """The text, or the texts of a list of parts joined by line breaks."""
    if isinstance(content, str):
        return content
    return "\n".join(_part_texts(content)) if isinstance(content, list) else ""


def _pictures(content: Any) -> tuple[Picture, ...]:
    if not isinstance(content, list):
        return ()
    kinds = ("input_image", "computer_screenshot")
    urls = [part.get("image_url") for part in content if isinstance(part, dict) and part.get("type") in kinds]
    return pictures_in(urls)


def _part_texts(parts: Iterable[Any]) -> Iterator[str]:
    for part in parts:
        text = part if isinstance(part, str) else None
        if isinstance(part, dict):
            members = ("text", "refusal", "stdout", "stderr")
            text = next((found for name in members if (found := text_or_none(part.get(name)))), None)
        if text:
            yield text


def _is_message(item: Mapping[str, Any]) -> bool:
    return item.get("type") in (None, "message")


def _is_system(item: Mapping[str, Any]) -> bool:
    return item.get("role") in ("system", "developer")


Offered = tuple[str, Mapping[str, Any]]
"""The name of the namespace, "" outside of any, and the tool."""


def offered_tools(body: Any) -> tuple[Offered, ...]:
    """The tools of `tools` and those that items add, or that a search has found, in order."""
    if not isinstance(body, Mapping):
        return ()
    items = objects(body.get("input"))
    offered = [*_each(body.get("tools"))]
    for item in items:
        offered += _each(item.get("tools")) if item.get("type") == "additional_tools" else ()
    for item in items:  # a tool may be found twice, and one that the provider finds is deferred in `tools`
        known = [(namespace, tool.get("name")) for namespace, tool in offered]
        found = _each(item.get("tools")) if item.get("type") == "tool_search_output" else ()
        offered += [(namespace, tool) for namespace, tool in found if (namespace, tool.get("name")) not in known]
    return tuple(offered)


def _each(tools: Any) -> Iterator[Offered]:
    return (offered for tool in objects(tools) for offered in _without_namespace(tool))


def names_of(offered: Iterable[Offered]) -> Mapping[tuple[str, str], str]:
    """A unique name for each pair of namespace and name: the plain name, or with the namespace if several tools share
    it."""
    keys = [(namespace, name) for namespace, tool in offered if isinstance(name := tool.get("name"), str)]
    count = Counter(name for _, name in dict.fromkeys(keys))
    return {
        (namespace, name): f"{namespace}.{name}" if namespace and count[name] > 1 else name for namespace, name in keys
    }


def _without_namespace(tool: Mapping[str, Any]) -> Iterable[Offered]:
    if tool.get("type") != "namespace":
        return [("", tool)]
    name = tool.get("name")
    return [(name if isinstance(name, str) else "", inner) for inner in objects(tool.get("tools"))]


PREFIX: Final = "gAAAAABk"
"""The beginning of OpenAI's own encrypted reasoning, more or less: they are Fernet tokens."""
PLAIN: Final = "x5Qm7T/k"
"""The beginning of other providers' encrypted reasoning in the fakes; the real ones are random bytes."""


def encrypt(thinking: str, prefix: str = PREFIX) -> str:
    return prefix + base64.urlsafe_b64encode(thinking.encode(errors="replace")).decode()


def is_requested(body: Any) -> bool:
    """Whether the request includes encrypted reasoning in its response."""
    include = body.get("include") if isinstance(body, dict) else None
    return isinstance(include, list) and "reasoning.encrypted_content" in include


def decrypt(content: Any) -> str:
    """The thinking, or "" for content that this fake did not encrypt."""
    if not isinstance(content, str) or not content.startswith((PREFIX, PLAIN)):
        return ""
    try:
        return base64.urlsafe_b64decode(content[len(PREFIX) :].encode("ascii", "replace")).decode()
    except (binascii.Error, ValueError):
        return ""
