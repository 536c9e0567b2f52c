"""Calls that a model addresses to a tool: the channels of gpt-oss, and Functionary's recipients. Knows no stream."""

import re

from agent_conformance.agents.reference.arguments import read_arguments
from agent_conformance.agents.reference.pseudo_calls.blocks import Block, Position
from agent_conformance.agents.reference.pseudo_calls.values import TextCall, json_at

HARMONY = re.compile(
    r"(?:<\|start\|>assistant(?P<to1>\s+to=functions\.[\w.-]+)?)?<\|channel\|>(?P<channel>\w+)"
    r"(?P<to2>\s+to=functions\.[\w.-]+)?[^<]*(?:<\|constrain\|>\w+)?<\|message\|>(?P<body>.*?)"
    r"(?:(?P<end><\|(?:call|end|return)\|>)|(?=<\|start\|>)|\Z)",
    re.DOTALL,
)
BEGUN_CHANNEL = re.compile(r"<\|start\|>assistant|<\|channel\|>(?:analysis|commentary|final)")
LEAKED = re.compile(r"^(?:> )?commentary to=functions\.(?P<name>[\w.-]+)[^\n]*", re.MULTILINE)


def harmony(position: Position) -> Block | None:
    """The channels of gpt-oss: `final` is for the user, `analysis` for nobody, `commentary` to a function is a call."""
    leaked = LEAKED.match(position.text, position.at)
    if leaked is not None:
        return Block(position.at, leaked.end())
    match = HARMONY.match(position.text, position.at)
    if match is None:
        return Block(position.at, len(position.text)) if BEGUN_CHANNEL.match(position.text, position.at) else None
    to = match["to1"] or match["to2"]
    if to is None:
        return Block(position.at, match.end(), show=match["body"] if match["channel"] == "final" else "", mark=True)
    cut_off = not match["body"].strip() and not match["end"]
    arguments = None if cut_off else read_arguments(match["body"])[0]
    calls = (TextCall(to.partition("functions.")[2], arguments),) if arguments is not None else ()
    return Block(position.at, match.end(), calls)


RECIPIENT = re.compile(
    r"(?:<\|from\|>[ \t]*assistant[ \t]*\n)?<\|recipient\|>[ \t]*(?P<name>[\w.-]+)[ \t]*\n<\|content\|>[ \t]*"
    r"|>>>(?P<short>[A-Za-z_][\w.-]*)\n|(?P<bare>[A-Za-z_][\w.-]*)\n<\|content\|>"
)
BEGUN_RECIPIENT = re.compile(r"(?:<\|from\|>[ \t]*assistant|<\|recipient\|>[ \t]*[\w.-]*)[ \t]*(?:\n|\Z)")


def recipient(position: Position) -> Block | None:
    """Functionary's `>>>NAME` and `<|recipient|>NAME`, with JSON after it; `all` is the user."""
    match = RECIPIENT.match(position.text, position.at)
    if match is None:
        return Block(position.at, len(position.text)) if BEGUN_RECIPIENT.match(position.text, position.at) else None
    name = match["name"] or match["short"] or match["bare"]
    if name == "all":
        return Block(position.at, match.end(), mark=True)
    read = json_at(position.text, match.end())
    if read is None or not isinstance(read[0], dict):
        return Block(position.at, len(position.text)) if match["name"] or name in position.names else None
    return Block(position.at, read[1], (TextCall(name, read[0]),))
