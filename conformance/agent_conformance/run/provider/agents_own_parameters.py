"""Parameters that an agent adds to the declaration of a case's tool: the scripted model fills them in, unjudged.

Agents ask the model for more than a tool takes, such as a summary or the risk of a call, and take it out before the
tool runs.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from msgspec import structs

from agent_conformance.judge.declarations import added_requirements
from agent_conformance.scenario.model import ToolSpec
from fake_providers import Call, View, ViewCall
from fake_providers.values.minimal_value import minimal_value

Added = Mapping[str, Mapping[str, Any]]
"""By the scenario's name of a tool: the parameters and what the model writes for each."""


def own_parameters(view: View, specs: Sequence[ToolSpec]) -> dict[str, dict[str, Any]]:
    """What the declarations of this request require besides; the view has the scenario's names of its tools."""
    wanted = {spec.name: spec.parameters for spec in specs}
    added = {}
    for tool in view.tools:
        if tool.name in wanted and (names := added_requirements(wanted[tool.name], tool.parameters)):
            added[tool.name] = {name: _written(name, tool.parameters) for name in names}
    return added


def _written(name: str, declared: Mapping[str, Any]) -> Any:
    properties = declared.get("properties")
    schema = properties.get(name) if isinstance(properties, Mapping) else None
    if not isinstance(schema, Mapping):
        return None
    referred = {word: declared[word] for word in ("$defs", "definitions") if word in declared}
    return minimal_value({**referred, **schema})


def filled_in(call: Call, values: Mapping[str, Any]) -> Call | None:
    """The call with these arguments too; None for a text that has no object to put them into."""
    if not values:
        return call
    if call.arguments_text is None:
        return replace(call, arguments={**(call.arguments or {}), **values})
    text = _filled_text(call.arguments_text, values)
    return None if text is None else replace(call, arguments_text=text)


def _filled_text(text: str, values: Mapping[str, Any]) -> str | None:
    """In front of the rest of the text, which may be cut off. A model that has to say something says no blank text."""
    begun = text.lstrip()
    if begun.rstrip() in ("", "null", "{}"):
        return json.dumps(values, ensure_ascii=False)
    if begun.startswith("{"):
        return _beginning(values) + begun[1:]
    if begun.startswith('"'):
        try:
            inner = json.loads(text)
        except ValueError:
            return None
        filled = _filled_text(inner, values)
        return None if filled is None else json.dumps(filled, ensure_ascii=False)
    return None


def _beginning(values: Mapping[str, Any]) -> str:
    return json.dumps(values, ensure_ascii=False)[:-1] + ", "


def without_added(view: View, added: Added) -> View:
    """The view with the arguments of each call that its tool takes."""
    if not added or not any(call.name in added for message in view.messages for call in message.calls):
        return view
    messages = (
        structs.replace(message, calls=tuple(_without(call, added.get(call.name, {})) for call in message.calls))
        for message in view.messages
    )
    return structs.replace(view, messages=tuple(messages))


def _without(call: ViewCall, values: Mapping[str, Any]) -> ViewCall:
    if isinstance(call.arguments, dict):
        rest = {name: value for name, value in call.arguments.items() if name not in values}
        if len(rest) == len(call.arguments):
            return call
        return structs.replace(call, arguments=rest, arguments_text=json.dumps(rest, ensure_ascii=False))
    if values and call.arguments is None:
        return structs.replace(call, arguments_text=call.arguments_text.replace(_beginning(values), "{", 1))
    return call
