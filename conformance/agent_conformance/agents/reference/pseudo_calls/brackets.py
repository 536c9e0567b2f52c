"""Calls in square brackets: `[TOOL_CALL]`, `[TOOL_CALLS]`, `[NAME({…})]`. Knows tools only by name."""

import re
from collections.abc import Sequence

from agent_conformance.agents.reference.arguments import read_arguments
from agent_conformance.agents.reference.pseudo_calls import bodies
from agent_conformance.agents.reference.pseudo_calls.blocks import Block, Position
from agent_conformance.agents.reference.pseudo_calls.values import TextCall, calls_in, json_at, python_calls

ARROW_OPEN = re.compile(r"\[TOOL_CALL\]|^TOOL_CALL\b(?=\s*\{)", re.IGNORECASE | re.MULTILINE)
ARROW_CLOSE = re.compile(r"\[/TOOL_CALL\]|^/TOOL_CALL\b", re.IGNORECASE | re.MULTILINE)
ARROW_NAME = re.compile(r"\{?\s*(?:tool|name)\s*(?:=>|:)\s*(?:\"([^\"]+)\"|'([^']+)'|([\w.:-]+))\s*,?\s*")
ARROW_ARGS = re.compile(r"(?:args|arguments|parameters)\s*(?:=>|:)\s*(\{.*)", re.DOTALL)
DASHED = re.compile(r"--([\w-]+)[ \t=]+(?:\"((?:[^\"\\]|\\.)*)\"|'([^']*)'|([^\n}]+?))\s*(?=--|[\n}]|$)", re.DOTALL)
RUBY = re.compile(
    r"\"?([A-Za-z_][\w-]*)\"?\s*(?:=>|:)\s*(\"(?:[^\"\\]|\\.)*\"|-?\d+(?:\.\d+)?|true|false|null)\s*,?\s*"
)


def bracket_arrow(position: Position) -> Block | None:
    """`[TOOL_CALL]{tool => "NAME", args => {…}}[/TOOL_CALL]`: arguments empty, JSON, `--key "v"` or `key: "v"`."""
    match = ARROW_OPEN.match(position.text, position.at)
    if match is None:
        return None
    if not position.line_lead and not re.compile(r"\s*\{").match(position.text, match.end()):
        return None
    close = _arrow_close(position.text, match.end())
    if close is None:
        return Block(position.at, len(position.text))
    calls = tuple(arrow_calls(position.text[match.end() : close.start()]))
    return Block(position.at, close.end(), calls)


def _arrow_close(text: str, begin: int) -> re.Match[str] | None:
    """The closing marker, not one that is quoted in an argument."""
    for close in ARROW_CLOSE.finditer(text, begin):
        quotes = len(re.findall(r"(?<!\\)\"", text[begin : close.start()]))
        if quotes % 2 == 0:
            return close
    return None


def arrow_calls(body: str) -> list[TextCall]:
    """The call in the body of an arrow block, or what is written there as JSON."""
    name = ARROW_NAME.match(body.strip())
    if name is None:
        return bodies.json_objects(body)
    rest = body.strip()[name.end() :]
    args = ARROW_ARGS.match(rest)
    inner = (args[1] if args else rest).strip()
    arguments = _arrow_arguments(inner)
    return [TextCall(name[1] or name[2] or name[3], arguments)] if arguments is not None else []


def _arrow_arguments(inner: str) -> dict[str, object] | None:
    read = json_at(inner, 0)
    if read is not None and isinstance(read[0], dict):
        return read[0]
    bare = inner.strip("{} \n\t")
    if not bare:
        return {}
    for pattern in (DASHED, RUBY):
        pairs = list(pattern.finditer(bare))
        if not pattern.sub("", bare).strip():
            return _flags(pairs) if pattern is DASHED else _ruby_values(pairs)
    return None


def _flags(pairs: Sequence[re.Match[str]]) -> dict[str, object]:
    """Texts: in double quotes, in single quotes, or bare."""
    return {key: next(text for text in texts if text is not None) for key, *texts in (pair.groups() for pair in pairs)}


def _ruby_values(pairs: Sequence[re.Match[str]]) -> dict[str, object] | None:
    """Values as in JSON; None if one is not, such as `007` or a text of two lines."""
    arguments, _ = read_arguments("{" + ",".join(f'"{pair[1]}":{pair[2]}' for pair in pairs) + "}")
    return dict(arguments) if arguments is not None else None


MISTRAL_NAMED = re.compile(r"\[TOOL_CALLS\]\s*(?P<name>[\w.:-]+)(?:\[CALL_ID\]\w+)?(?:\[ARGS\])?\s*(?=\{)")


def mistral(position: Position) -> Block | None:
    """`[TOOL_CALLS][{…}]`, and `[TOOL_CALLS]NAME[ARGS]{…}` one after the other."""
    if not position.text.startswith("[TOOL_CALLS]", position.at):
        return None
    named = MISTRAL_NAMED.match(position.text, position.at)
    read = json_at(position.text, named.end() if named else position.at + len("[TOOL_CALLS]"))
    if read is None:
        prose = named is None and position.is_within_sentence(position.at + len("[TOOL_CALLS]"))
        return None if prose else Block(position.at, len(position.text))
    value, end = read
    calls = (TextCall(named["name"], value),) if named else tuple(calls_in(value))
    close = re.compile(r"\s*\[/TOOL_CALLS\]").match(position.text, end)
    return Block(position.at, close.end() if close else end, calls)


CALLING = re.compile(r"\[(?:Calling tool:\s*|tool:)?(?P<name>[\w.:-]+)\((?=\{)", re.IGNORECASE)
REPLAYED = re.compile(r"\[Tool Call: (?P<name>[\w.:-]+)[^\]\n]*\]\s*Arguments:\s*", re.IGNORECASE)
LABELLED = re.compile(r"\[tool:(?P<name>[\w.-]+)\]\s*(?=\{)", re.IGNORECASE)
NAMED_BLOCK = re.compile(r"\[(?P<name>[\w.:-]+)\]\s*\n(?=\{)")


def bracketed(position: Position) -> Block | None:
    """`[Calling tool: NAME({…})]`, `[NAME({…})]`, `[Tool Call: NAME]`, `[tool:NAME]` or `[NAME]` and JSON."""
    text, at = position.text, position.at
    forms = (CALLING, REPLAYED, LABELLED, NAMED_BLOCK)
    match = next((found for form in forms if (found := form.match(text, at)) is not None), None)
    if match is None or match["name"] not in position.names:
        return None
    read = json_at(text, match.end())
    if read is None:
        return Block(at, len(text))
    close = re.compile(rf"\s*(?:\)\]|\[END_TOOL_REQUEST\]|\[/{re.escape(match['name'])}\])").match(text, read[1])
    block = Block(at, close.end() if close else read[1], (TextCall(match["name"], read[0]),))
    return block if close or match.re is not NAMED_BLOCK else None


LISTED = re.compile(r"\[(?=[A-Za-z_][\w.]*\()")


def pythonic(position: Position) -> Block | None:
    """`[NAME(k=v), …]`: a list of calls in Python's words, all of tools that are offered."""
    match = LISTED.match(position.text, position.at)
    if match is None:
        return None
    for close in re.finditer(r"\]", position.text[match.end() :]):
        end = match.end() + close.end()
        found = python_calls(position.text[position.at : end])
        if found:
            return Block(position.at, end, tuple(found)) if all(call.name in position.names for call in found) else None
    return None
