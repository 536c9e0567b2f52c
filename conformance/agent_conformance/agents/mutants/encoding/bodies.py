"""The parts of a request's JSON that a bug in its encoding spoils, wherever a format has them. Knows no scenario."""

import copy
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from agent_conformance.agents.mutants.mutant import Change, Mutant
from agent_conformance.agents.reference import Defences

Body = dict[str, Any]
Edit = Callable[[Body], None]


def in_body(edit: Edit) -> Change:
    """A change of the agent that edits a copy of each request before it is written."""

    def change(defences: Defences) -> Defences:
        def written(body: Any) -> bytes:
            edited = copy.deepcopy(dict(body))
            edit(edited)
            return defences.body_bytes(edited)

        return replace(defences, body_bytes=written)

    return change


def each(parts_of: Callable[[Body], Iterator[Body]], edit: Edit) -> Change:
    """A change that edits each of these parts of each request."""

    def edit_all(body: Body) -> None:
        for part in [*parts_of(body)]:
            edit(part)

    return in_body(edit_all)


def spoiled(name: str, breaks: str, source: str, scenario: str, change: Change) -> Mutant:
    """A mutant whose requests the provider refuses in this scenario."""
    return Mutant(name, breaks, source, ((scenario, "accepted:*"),), change)


def messages_of(body: Body) -> Iterator[Body]:
    """The messages, contents or items of the conversation."""
    for key in ("messages", "contents", "input"):
        yield from body.get(key) or ()


def parts_of(body: Body) -> Iterator[Body]:
    """The parts or blocks of all messages, but for texts that stand for one part."""
    for message in messages_of(body):
        content = message.get("parts") or message.get("content")
        yield from (part for part in content or () if isinstance(part, dict))


def calls_of(body: Body) -> Iterator[Body]:
    """The calls of the history, each as the object with its id or its name."""
    for message in messages_of(body):
        yield from message.get("tool_calls") or ()
        if message.get("type") == "function_call":
            yield message
    for part in parts_of(body):
        if part.get("type") == "tool_use":
            yield part
        if "functionCall" in part:
            yield part["functionCall"]


def results_of(body: Body) -> Iterator[Body]:
    """The results of the history, each as the object with its id or its name."""
    for message in messages_of(body):
        if message.get("role") == "tool" or message.get("type") == "function_call_output":
            yield message
    for part in parts_of(body):
        if part.get("type") == "tool_result":
            yield part
        if "functionResponse" in part:
            yield part["functionResponse"]


def tools_of(body: Body) -> Iterator[Body]:
    """The entries of `tools`."""
    yield from body.get("tools") or ()


def declarations_of(body: Body) -> Iterator[Body]:
    """The declared functions, each as the object with its name and its schema."""
    for tool in tools_of(body):
        if "functionDeclarations" in tool:
            yield from tool["functionDeclarations"]
        else:
            yield tool.get("function") or tool
