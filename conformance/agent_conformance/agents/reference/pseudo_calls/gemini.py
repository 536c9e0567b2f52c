"""Gemini's own calls, where the API left them in the text: Python, or between control tokens. Knows no fence."""

import re

from agent_conformance.agents.reference.pseudo_calls import bodies
from agent_conformance.agents.reference.pseudo_calls.blocks import Block, Position
from agent_conformance.agents.reference.pseudo_calls.values import python_calls

CONTROL = re.compile(r"<ctrl\d+>(?:\s*<ctrl\d+>)*")
CALL_WORD = re.compile(r"\s*(?:(?:tool_code|call)\s+)?(?=(?:print\()?default_api[.:]|call:)")
OWN_NAME = re.compile(r"(?:print\(|call:)?default_api[.:](?P<name>[\w.-]*)")
CLOSING = re.compile(r"(?:\s*<ctrl\d+>)+\Z")


def default_api(position: Position) -> Block | None:
    """`print(default_api.NAME(k=v))` or `call:default_api:NAME{k:v}`, to a line's end; perhaps after `<ctrl42>`."""
    text, at = position.text, position.at
    control = CONTROL.match(text, at)
    word = CALL_WORD.match(text, control.end() if control else at)
    if word is None or (control is None and not (position.line_lead and _names_a_tool(position, word.end()))):
        return None
    for line_end in re.compile(r"\n|\Z").finditer(text, word.end()):
        source = CLOSING.sub("", text[word.end() : line_end.start()])
        calls = python_calls(source) or bodies.gemma(source)
        if calls:
            return Block(at, line_end.start(), tuple(calls))
    return Block(at, len(text))


def _names_a_tool(position: Position, at: int) -> bool:
    """Whether the name after `default_api` is that of an offered tool, or is still being written."""
    own = OWN_NAME.match(position.text, at)
    return own is not None and (own["name"] in position.names or own.end() == len(position.text))
