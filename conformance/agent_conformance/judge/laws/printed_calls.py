"""A call that the user sees as a program prints it: the repr of an object, JSON with the call's id, or the id alone.

Knows how languages print objects; no wire and no framework. An agent that lists its calls in words is right.
"""

import re
from collections.abc import Callable, Iterable, Iterator

from agent_conformance.record.finding import Level
from agent_conformance.record.transcript import ServedCall, TurnRecord

LEAST_ID = 8
"""Characters; a shorter id may be a number or a word that anybody would use."""
NEAR = r".{0,2000}?"
QUOTE = r"\\*['\"]"
"""Also of JSON that was printed within a string."""
NAME = rf"{QUOTE}(?:\w*name|function|tool){QUOTE}\s*:\s*{QUOTE}{{}}{QUOTE}"
"""`"name": "get_weather"`."""

OBJECTS = (
    r"<[\w.]*(?:call|tool_?use)\w*(?: object)? at 0x[0-9a-f]+>",
    r"\[object Object\]",
)
"""Printed objects that name no tool."""
REPR = rf"(?-i:\b[A-Z])\w*\({NEAR}\b\w*name={QUOTE}{{}}{QUOTE}"
"""`ToolCall(id='call_1', function=Function(arguments='{}', name='get_weather'))`."""
FIELD_OF_A_WIRE = rf"{QUOTE}(?:function(?:_?calls?)?|tool_?calls?|tool_?use){QUOTE}\s*:\s*[\[{{]{NEAR}{NAME}"
"""`{"functionCall": {"name": "get_weather"}}`. Calls of Gemini and Ollama need no id."""
NAME_AND_ID = (rf"{NAME}{NEAR}{QUOTE}{{}}{QUOTE}", rf"{QUOTE}{{}}{QUOTE}{NEAR}{NAME}")
"""`{"id": "call_1", "name": "get_weather"}`, in either order."""


def printed_call(record: TurnRecord, known: Callable[[], str]) -> tuple[str, str, Level] | None:
    """The text in the reply, what it is, and its level: an id that stands in a sentence is advice."""
    calls = [call for request in record.requests for call in request.calls]
    if not calls:
        return None
    for form in _forms(calls, record.reply):
        match = re.search(form, record.reply, re.DOTALL | re.IGNORECASE)
        if match and _dense(match.group(0)) not in _dense(known()):
            return match.group(0), "a call as a program prints it", "must"
    for call in calls:
        if call.id and len(call.id) >= LEAST_ID and call.id in record.reply and call.id not in known():
            return call.id, "the id of a call", "should"
    return None


def _dense(text: str) -> str:
    """What the model wrote may be laid out in another way."""
    return "".join(text.split())


def _forms(calls: Iterable[ServedCall], reply: str) -> Iterator[str]:
    """The forms that the reply may have: to compile one takes longer than to look for its name and id."""
    folded = reply.casefold()
    yield from OBJECTS if "object" in folded else ()
    for call in calls:
        if call.wire_name.casefold() not in folded:
            continue
        name = re.escape(call.wire_name)
        yield from (form.replace("{}", name) for form in (REPR, FIELD_OF_A_WIRE))
        if call.id and call.id.casefold() in folded:
            before, after = NAME_AND_ID
            call_id = re.escape(call.id)
            yield before.replace("{}", name, 1).replace("{}", call_id)
            yield after.replace("{}", call_id, 1).replace("{}", name)
