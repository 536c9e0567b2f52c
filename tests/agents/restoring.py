"""What right agents make of a history that a crash or a pruner has left: calls and results in pairs, ids that fit.

It knows the adapter's types; it must not know the laws, the fakes or the reference agent.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from agent_conformance import Message, ToolCall

ID = re.compile(r"[a-zA-Z0-9_-]{1,40}")
LOST = "No result: the call was interrupted."


def in_pairs(history: Iterable[Message]) -> list[Message]:
    """Without results of no call and blank messages, and with a result for each call."""
    kept: list[Message] = []
    waiting: list[tuple[str | None, Message]] = []
    ids: set[str] = set()
    for message in history:
        if message.role == "tool":
            place = next((i for i, (id, _) in enumerate(waiting) if id == message.tool_call_id), None)
            if place is not None:
                kept.append(replace(message, tool_call_id=waiting.pop(place)[1].tool_call_id))
            continue
        kept += [lost for _, lost in waiting]
        calls = list(_renamed(message.tool_calls, ids))
        waiting = [
            (before.id, Message("tool", LOST, tool_call_id=call.id, name=call.name, is_error=True))
            for before, call in zip(message.tool_calls, calls, strict=True)
        ]
        if calls or message.text.strip():
            kept.append(replace(message, tool_calls=tuple(calls)))
    return kept + [lost for _, lost in waiting]


def _renamed(calls: Iterable[ToolCall], ids: set[str]) -> Iterator[ToolCall]:
    """With ids that a provider takes and that no call before has, and with names."""
    for call in calls:
        id = call.id if call.id and ID.fullmatch(call.id) and call.id not in ids else f"call_restored_{len(ids)}"
        ids.add(id)
        yield replace(call, id=id, name=call.name or "unnamed")
