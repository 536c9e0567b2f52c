"""Calls between special tokens, which models have for themselves. Knows no tool."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from agent_conformance.agents.reference.pseudo_calls import bodies
from agent_conformance.agents.reference.pseudo_calls.blocks import Block, Position
from agent_conformance.agents.reference.pseudo_calls.values import BEGUN_JSON, TextCall, calls_in, json_at, json_run


@dataclass(frozen=True, slots=True)
class Pair:
    """Special tokens around a body: nothing else has them, so whatever stands between them is protocol."""

    open: str
    close: str
    read: Callable[[str], list[TextCall]] = bodies.read_body


PAIRS = (
    Pair(r"<[｜|]tool▁calls▁begin[｜|]>", r"<[｜|]tool▁calls▁end[｜|]>"),
    Pair(r"<[｜|]tool▁outputs▁begin[｜|]>", r"<[｜|]tool▁outputs▁end[｜|]>", lambda body: []),
    Pair(r"<｜tool_calls_begin｜>", r"<｜tool_calls_end｜>"),
    Pair(r"<\|tool_calls_section_begin\|>", r"<\|tool_calls_section_end\|>"),
    Pair(r"<\|tool_call_start\|>", r"<\|tool_call_end\|>"),
    Pair(r"<\|python_start\|>", r"<\|python_end\|>"),
    Pair(r"<\|python_tag\|>", r"<\|eo[mt]_id\|>|\Z"),
    Pair(r"<\|tools_prefix\|>", r"<\|tools_suffix\|>", bodies.keyed),
    Pair(r"<\|START_ACTION\|>", r"<\|END_ACTION\|>"),
    Pair(r"<\|action_start\|>(?:<\|plugin\|>)?", r"<\|action_end\|>"),
    Pair(r"<start_function_call>", r"<end_function_call>"),
    Pair(r"<\|tool_call>", r"<tool_call\|>"),
    Pair(r"<\|open\|>tools<\|sep\|>", r"<\|close\|>tools<\|sep\|>"),
    Pair(r"\[TOOL_REQUEST\]", r"\[END_TOOL_REQUEST\]"),
    Pair(
        r"(?:\[Tool results?\]\s*)?<(?P<tag>function_results?|function_response|tool_result|tool_response)\b[^>]*>",
        r"</(?P=tag)>",
        lambda body: [],
    ),
)
COMPILED = tuple(
    (re.compile(rf"(?:{pair.open})(?P<body>.*?)(?:{pair.close})", re.DOTALL), re.compile(pair.open), pair)
    for pair in PAIRS
)


BROKEN_OFF = re.compile(r"<[｜|]tool[\w▁]*\Z")


def token_pair(position: Position) -> Block | None:
    """A block between two special tokens; one that is not closed runs to the end. Without a call it may be prose."""
    if BROKEN_OFF.match(position.text, position.at):
        return Block(position.at, len(position.text))
    for whole, opener, pair in COMPILED:
        start = opener.match(position.text, position.at)
        if start is None:
            continue
        match = whole.match(position.text, position.at)
        calls = tuple(pair.read(match["body"])) if match else ()
        if not calls and position.is_within_sentence(start.end()):
            return None
        return Block(position.at, match.end() if match else len(position.text), calls)
    return None


def token_json(position: Position) -> Block | None:
    """`<|tool_call|>` and `functools`, with a JSON array after them and no closing token."""
    match = re.compile(r"<\|tool_call\|>|functools(?=\[\s*[{\]])").match(position.text, position.at)
    if match is None:
        return None
    values, end = json_run(position.text, match.end())
    if not values:
        return Block(position.at, len(position.text)) if BEGUN_JSON.match(position.text, match.end()) else None
    return Block(position.at, end, tuple(call for value in values for call in calls_in(value)))


FLOWERS = re.compile(r"✿(?:FUNCTION|ARGS|RESULT|RETURN)✿|✿[A-Z]+\Z")
FLOWER = re.compile(r"✿FUNCTION✿:\s*(?P<name>\S+)\s*\n✿ARGS✿:\s*")


def flower(position: Position) -> Block | None:
    """Qwen-Agent's `✿FUNCTION✿` and `✿ARGS✿`; a result or a reply after them is invented."""
    if not FLOWERS.match(position.text, position.at):
        return None
    calls = []
    at = position.at
    while match := FLOWER.search(position.text, at):
        read = json_at(position.text, match.end())
        if read is None or not isinstance(read[0], dict):
            break
        calls.append(TextCall(match["name"], read[0]))
        at = read[1]
    return Block(position.at, len(position.text), tuple(calls))


MARKS = re.compile(
    r"<\|(?:START|END)_(?:RESPONSE|TEXT)\|>|<\|eo[mt]_id\|>|<\|im_end\|>|<[｜|]end▁of▁sentence[｜|]>|</?final>"
    r"|<\|(?:open|close)\|>(?:response|message)<\|sep\|>|<\|(?:assistant|call|end|stop)\|>(?=\s*(?:<\|from\|>|\Z))"
    r"|<\|?eom\|?>(?=(?:\s|<\|?eom\|?>)*\Z)"
)


RESPONSE = re.compile(r"<response>(.*?)</response>", re.DOTALL)
"""Ernie's frame: only after a thought, as any XML may have such an element."""


def mark(position: Position) -> Block | None:
    """Tokens that only frame text: they are removed, the text stays."""
    framed = (
        RESPONSE.match(position.text, position.at) if position.text[: position.at].rstrip().endswith("think>") else None
    )
    if framed is not None:
        return Block(position.at, framed.end(), show=framed[1], mark=True)
    match = MARKS.match(position.text, position.at)
    return Block(position.at, match.end(), mark=True) if match else None
