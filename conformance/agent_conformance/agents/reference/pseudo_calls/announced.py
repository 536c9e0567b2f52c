"""Calls that are announced in words: `Action:` and `Using tool:`, with JSON after them. Knows tools only by name."""

import re

from agent_conformance.agents.reference.pseudo_calls.blocks import Block, Position
from agent_conformance.agents.reference.pseudo_calls.values import BEGUN_JSON, TextCall, calls_in, json_at, json_run

ACTION = re.compile(
    r"^Action(?:\s*\d+)?\s*:[ \t]*(?P<name>[^\n`{\[]+?)\s+Action(?:\s*\d+)?\s*Input(?:\s*\d+)?\s*:[\s*]*",
    re.MULTILINE,
)
ACTION_JSON = re.compile(r"^Action:\s*(?:```(?:json)?\s*)?(?=[{\[])", re.MULTILINE)
THOUGHT = re.compile(
    r"Thought(?:\s*\d+)?:(?:(?!^Action|^Final Answer:).)*(?=^Action|^Final Answer:)(?:Final Answer:)?", re.S | re.M
)


GROUNDED = re.compile(r".*?Grounded answer:\s*(?:<co: \d+>)?(.*?)(?:</co: \d+>)?\Z", re.DOTALL)
CLOSING = re.compile(r"\s*```|\s*<end_action>")
OBSERVED = re.compile(r"\s*Observation(?:\s*\d+)?:")


def react(position: Position) -> Block | None:
    """`Action: NAME` with `Action Input:`, or `Action:` with JSON; what follows is an invented observation."""
    thought = THOUGHT.match(position.text, position.at)
    if thought is not None:
        return Block(position.at, thought.end(), mark=True)
    named = ACTION.match(position.text, position.at)
    if named is None:
        return _unnamed(position, BRACKETED_ACTION) or _json_action(position)
    read = json_at(position.text, named.end())
    calls = (TextCall(named["name"].strip(), read[0]),) if read and isinstance(read[0], dict) else ()
    return Block(position.at, len(position.text), calls)


BRACKETED_ACTION = re.compile(r"^Action(?:\s*\d+)?\s*:[ \t]*(?P<name>[\w.-]+)\[[^\n]*", re.MULTILINE)
TOOL_LINE = re.compile(r"^TOOL:(?P<name>[\w.-]+):[^\n]*", re.MULTILINE)


def tool_line(position: Position) -> Block | None:
    """`TOOL:NAME:TEXT` in a line of its own."""
    return _unnamed(position, TOOL_LINE)


def _unnamed(position: Position, pattern: re.Pattern[str]) -> Block | None:
    """A call of an offered tool with a bare text: it is hidden, since the text does not say which argument it is."""
    match = pattern.match(position.text, position.at)
    if match is None or match["name"] not in position.names:
        return None
    is_observed = OBSERVED.match(position.text, match.end())
    return Block(position.at, len(position.text) if is_observed else match.end())


def _json_action(position: Position) -> Block | None:
    text, at = position.text, position.at
    match = ACTION_JSON.match(text, at)
    if match is None:
        return None
    values, end = json_run(text, match.end())
    if not values:
        return Block(at, len(text)) if BEGUN_JSON.match(text, match.end()) else None
    calls = tuple(call for value in values for call in calls_in(value))
    if not calls:
        return Block(at, len(text)) if any(_names_a_tool(value, position.names) for value in values) else None
    if all(re.fullmatch(r"directly[_-]answer", call.name) for call in calls):
        grounded = GROUNDED.match(text, end)
        return Block(at, len(text), show=grounded[1] if grounded else "", mark=bool(grounded))
    after = CLOSING.match(text, end)
    end = after.end() if after else end
    return Block(at, len(text) if OBSERVED.match(text, end) else end, calls)


def _names_a_tool(value: object, names: frozenset[str]) -> bool:
    """Whether an action names an offered tool; its input may be a text, which does not say which argument it is."""
    return isinstance(value, dict) and value.get("action") in names


USING = re.compile(r"^Using tool:[ \t]*(?P<name>[\w.:-]+)[ \t]*\n(?:```(?:json)?[ \t]*\n)?(?=\{)", re.MULTILINE)


def using_tool(position: Position) -> Block | None:
    """`Using tool: NAME` and then the call as JSON, perhaps in a fence."""
    match = USING.match(position.text, position.at)
    if match is None:
        return None
    read = json_at(position.text, match.end())
    if read is None:
        return Block(position.at, len(position.text)) if match["name"] in position.names else None
    after = CLOSING.match(position.text, read[1])
    return Block(position.at, after.end() if after else read[1], tuple(calls_in(read[0])))
