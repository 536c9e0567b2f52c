"""Answers of a case with an `output_schema`: whether a request says the schema, and what the model answers. No wire."""

import json
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import Any

from fake_providers import Call, Reply, View
from fake_providers.values.json_texts import read_json
from fake_providers.values.minimal_value import minimal_value


def says_schema(view: View, schema: Mapping[str, Any], tools: Collection[str]) -> bool:
    """Whether the request has all properties of the schema: in the wire's field for it, in the declaration of a tool
    that is none of `tools`, or in the words of the system prompt and the user.
    """
    names = list(schema.get("properties", ()))
    written = [json.dumps(one) for one in _schemas(view, tools)]
    if any(all(f'"{name}"' in one for name in names) for one in written):
        return True
    prompts = "\n".join([view.system, *(message.text for message in view.messages if message.role == "user")])
    return all(re.search(rf"\b{re.escape(name)}\b", prompts) for name in names)


def _schemas(view: View, tools: Collection[str]) -> Iterator[Any]:
    if view.schema is not None:
        yield view.schema
    yield from (tool.parameters for tool in view.tools if tool.name not in tools)


def in_words(reply: Reply) -> Reply:
    """What a model answers that was not told to write JSON: the same in a sentence."""
    value = json_object(reply.text)
    if value is None or reply.calls:
        return reply
    said = ", ".join(f"the {name} is {inner}" for name, inner in value.items())
    return replace(reply, text=f"Here is what I found: {said}.", chunks=())


def reply_call(reply: Reply, tool: str, argument: str | None) -> Call | None:
    """The answer as a call of the agent's own tool: under one argument, or as all of them if it is a JSON object."""
    if argument is not None:
        return Call(tool, {argument: reply.text})
    value = json_object(reply.text)
    return None if value is None else Call(tool, value)


def json_object(text: str | None) -> dict[str, Any] | None:
    try:
        value = read_json(text or "")
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def answer_with(word: str, schema: Mapping[str, Any]) -> str:
    """A value of the schema, with the word in its first property that is a text."""
    value = minimal_value(schema)
    free = (
        name
        for name, kind in schema["properties"].items()
        if isinstance(kind, dict) and kind.get("type") == "string" and "enum" not in kind
    )
    name = next(free, None)
    return json.dumps({**value, name: word} if name else value)
