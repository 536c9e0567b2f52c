"""Calls between special tokens, which models have for themselves. Knows no tool."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from conformance.agents.reference.arguments import read_arguments
from conformance.agents.reference.pseudo_calls import bodies
from conformance.agents.reference.pseudo_calls.found import Block, Place
from conformance.agents.reference.pseudo_calls.values import Found, calls_in, json_at, json_run


@dataclass(frozen=True, slots=True)
class Pair:
    """Special tokens around a body: nothing else has them, so whatever stands between them is protocol."""

    open: str
    close: str
    read: Callable[[str], list[Found]] = bodies.read_body


PAIRS = (
    Pair(r"<[｜|]tool▁calls▁begin[｜|]>", r"<[｜|]tool▁calls▁end[｜|]>"),
    Pair(r"<[｜|]tool▁outputs▁begin[｜|]>", r"<[｜|]tool▁outputs▁end[｜|]>", lambda body: []),
    Pair(r"<｜tool_calls_begin｜>", r"<｜tool_calls_end｜>"),
    Pair(r"<\|tool_calls_section_begin\|>", r"<\|tool_calls_section_end\|>"),
    Pair(r"(?=<\|tool_call_begin\|>)", r"(?<=<\|tool_call_end\|>)"),
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
    Pair(r"<(function_results?|function_response|tool_result|tool_response)\b[^>]*>", r"</\1>", lambda body: []),
)
COMPILED = tuple(
    (re.compile(rf"({pair.open})(.*?)(?:{pair.close})", re.DOTALL), re.compile(pair.open), pair) for pair in PAIRS
)


BROKEN_OFF = re.compile(r"<[｜|]tool[\w▁]*\Z")


def token_pair(place: Place) -> Block | None:
    """A block between two special tokens; one that is not closed runs to the end and is not run."""
    if BROKEN_OFF.match(place.text, place.at):
        return Block(place.at, len(place.text))
    for whole, opener, pair in COMPILED:
        start = opener.match(place.text, place.at)
        if start is None:
            continue
        match = _closed_by_numbered_group(whole, pair).match(place.text, place.at)
        if (match is None or match.end() == len(place.text)) and place.is_talked_about(start.end()):
            return None
        if match is None:
            return Block(place.at, len(place.text))
        body = place.text[start.end() : match.end()] if pair.open.startswith("(?=") else match[match.lastindex or 2]
        return Block(place.at, match.end(), tuple(pair.read(body)))
    return None


def _closed_by_numbered_group(whole: re.Pattern[str], pair: Pair) -> re.Pattern[str]:
    return re.compile(whole.pattern.replace(r"</\1>", r"</\2>"), re.DOTALL) if r"\1" in pair.close else whole


def token_json(place: Place) -> Block | None:
    """`<|tool_call|>` and `functools`, with a JSON array behind them and no closing token."""
    match = re.compile(r"<\|tool_call\|>|functools(?=\[\s*[{\]])").match(place.text, place.at)
    if match is None:
        return None
    values, end = json_run(place.text, match.end())
    if not values:
        return None if place.is_talked_about(match.end()) else Block(place.at, len(place.text))
    return Block(place.at, end, tuple(call for value in values[:1] for call in calls_in(value)))


HARMONY = re.compile(
    r"(?:<\|start\|>assistant(?P<to1>\s+to=functions\.[\w.-]+)?)?<\|channel\|>(?P<channel>\w+)"
    r"(?P<to2>\s+to=functions\.[\w.-]+)?[^<]*(?:<\|constrain\|>\w+)?<\|message\|>(?P<body>.*?)"
    r"(?P<end><\|call\|>|<\|end\|>|<\|return\|>|(?=<\|start\|>)|\Z)",
    re.DOTALL,
)
BEGUN_CHANNEL = re.compile(r"<\|start\|>assistant|<\|channel\|>(?:analysis|commentary|final)")
LEAKED = re.compile(r"^(?:> )?commentary to=functions\.(?P<name>[\w.-]+)[^\n]*", re.MULTILINE)


def harmony(place: Place) -> Block | None:
    """The channels of gpt-oss: `final` is for the user, `analysis` for nobody, `commentary` to a function is a call."""
    leaked = LEAKED.match(place.text, place.at)
    if leaked is not None:
        return Block(place.at, leaked.end())
    match = HARMONY.match(place.text, place.at)
    if match is None:
        return Block(place.at, len(place.text)) if BEGUN_CHANNEL.match(place.text, place.at) else None
    to = match["to1"] or match["to2"]
    if to is None:
        return Block(place.at, match.end(), show=match["body"] if match["channel"] == "final" else "", mark=True)
    arguments, _ = read_arguments(match["body"])
    calls = (Found(to.partition("functions.")[2], arguments),) if arguments is not None and match["end"] else ()
    return Block(place.at, match.end(), calls)


RECIPIENT = re.compile(
    r"<\|from\|>assistant\n<\|recipient\|>(?P<name>[\w.-]+)\n<\|content\|>|>>>(?P<short>[A-Za-z_][\w.-]*)\n"
)


def recipient(place: Place) -> Block | None:
    """Functionary's `>>>NAME` and `<|recipient|>NAME`, with JSON behind it; `all` is the user."""
    match = RECIPIENT.match(place.text, place.at)
    if match is None:
        return None
    name = match["name"] or match["short"]
    if name == "all":
        return Block(place.at, match.end(), mark=True)
    read = json_at(place.text, match.end())
    if read is None or not isinstance(read[0], dict):
        return Block(place.at, len(place.text)) if match["name"] or name in place.names else None
    return Block(place.at, read[1], (Found(name, read[0]),))


FLOWERS = re.compile(r"✿(?:FUNCTION|ARGS|RESULT|RETURN)✿|✿[A-Z]+\Z")
FLOWER = re.compile(r"✿FUNCTION✿:\s*(?P<name>\S+)\s*\n✿ARGS✿:\s*")


def flower(place: Place) -> Block | None:
    """Qwen-Agent's `✿FUNCTION✿` and `✿ARGS✿`; a result or a reply behind them is made up."""
    if not FLOWERS.match(place.text, place.at):
        return None
    calls = []
    at = place.at
    while match := FLOWER.search(place.text, at):
        read = json_at(place.text, match.end())
        if read is None or not isinstance(read[0], dict):
            break
        calls.append(Found(match["name"], read[0]))
        at = read[1]
    return Block(place.at, len(place.text), tuple(calls))


MARKS = re.compile(
    r"<\|(?:START|END)_(?:RESPONSE|TEXT)\|>|<\|eo[mt]_id\|>|<\|im_end\|>|<[｜|]end▁of▁sentence[｜|]>|</?final>"
    r"|<\|(?:open|close)\|>(?:response|message)<\|sep\|>|<\|(?:assistant|call|end)\|>(?=\s*\Z)"
    r"|<\|?eom\|?>(?=(?:\s|<\|?eom\|?>)*\Z)"
)


RESPONSE = re.compile(r"<response>(.*?)</response>", re.DOTALL)
"""Ernie's frame: only behind a thought, because anybody's XML may have such an element."""


def mark(place: Place) -> Block | None:
    """Tokens that only frame what is said: they go, what they frame stays."""
    framed = RESPONSE.match(place.text, place.at) if place.text[: place.at].rstrip().endswith("think>") else None
    if framed is not None:
        return Block(place.at, framed.end(), show=framed[1], mark=True)
    match = MARKS.match(place.text, place.at)
    return Block(place.at, match.end(), mark=True) if match else None
