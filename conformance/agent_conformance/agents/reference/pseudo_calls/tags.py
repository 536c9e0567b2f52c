"""Calls in angle brackets: `<tool_call>` and its many kin."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from agent_conformance.agents.reference.pseudo_calls import json_forms
from agent_conformance.agents.reference.pseudo_calls.blocks import Block, Position
from agent_conformance.agents.reference.pseudo_calls.values import (
    BEGUN_JSON,
    TextCall,
    calls_in,
    elements,
    json_run,
    object_at,
)

TAGS = (
    "tool_call",
    "tool_calls",
    "toolcall",
    "tool-call",
    "function_call",
    "function_calls",
    "minimax:tool_call",
    "minimax:toolcall",
    "seed:tool_call",
    "longcat_tool_call",
    "functioncall",
    "tool_code",
    "antml:function_calls",
    "｜dsml｜function_calls",
    "｜dsml｜tool_calls",
)
TAG = re.compile(rf"<(?P<tag>{'|'.join(TAGS)}|invoke)(?P<attributes>\s[^<>]*)?>", re.IGNORECASE)
UNFINISHED_TAG = re.compile(rf"<(?:{'|'.join(TAGS)})\s+\w+=[^<>]*$", re.IGNORECASE)
CLOSERS = re.compile(rf"(?:\s*</(?:{'|'.join(TAGS)}|invoke|arg_value|tools|function|answer)>)+", re.IGNORECASE)
CLOSER = re.compile(rf"</(?:{'|'.join(TAGS)})>", re.IGNORECASE)
FOREIGN_CLOSER = re.compile(rf"</(?:{'|'.join(TAGS)}|arg_value|invoke)>", re.IGNORECASE)
INVENTED_TURNS = re.compile(r"^(?:Human|User|System): ", re.MULTILINE)
STRAY = re.compile(r"(?:^|\n)[ \t]*(?:court|count|course|call)[ \t]*\n\s*$")


def tagged(position: Position) -> Block | None:
    """`<tool_call>` and its aliases, with any body; the closing tag may be another alias's, or missing after JSON."""
    text, at = position.text, position.at
    match = TAG.match(text, at)
    if match is None:
        return Block(at, len(text)) if UNFINISHED_TAG.match(text, at) else None
    tag, body_at = match["tag"].lower(), match.end()
    while inner := TAG.match(text, body_at):
        if inner["tag"].lower() != tag:
            break
        body_at = inner.end()
    given = re.search(r"\bname\s*=\s*[\"']([^\"']+)[\"']", match[0])
    if given is not None:
        return _named_tag(position, given[1], body_at, tag)
    if tag == "invoke" and match["attributes"]:
        return None
    values, end = json_run(text, body_at)
    if values:
        after = CLOSERS.match(text, end)
        calls = tuple(call for value in values for call in calls_in(value))
        return _unless_prose(position, Block(at, after.end() if after else len(text), calls))
    close = _closer(text, body_at)
    if close is None:
        begun = position.line_lead or re.match(r"\s*[{\[<]", text[body_at:])
        return Block(at, len(text)) if begun else None
    calls = tuple(json_forms.read_body(text[body_at : close.start()]))
    return _unless_prose(position, Block(at, _after_closers(text, close.start()), calls))


def _closer(text: str, at: int) -> re.Match[str] | None:
    nested = re.compile(r"<[\w:]*invoke\s|<arg_key>", re.IGNORECASE).search(text, at)
    return (CLOSER if nested else FOREIGN_CLOSER).search(text, at)


def _after_closers(text: str, at: int) -> int:
    """Where the closing tags that stand at `at` end."""
    after = CLOSERS.match(text, at)
    return after.end() if after else at


def _unless_prose(position: Position, block: Block) -> Block | None:
    """A block in the middle of a sentence, with words of it on both sides, is talked about and not meant."""
    after = position.text[block.end :].partition("\n")[0]
    in_sentence = not position.line_lead and re.match(r"[ \t]*[a-z]", after)
    return None if in_sentence else block


def _named_tag(position: Position, name: str, body_at: int, tag: str) -> Block | None:
    """`<tool_call name="NAME">ARGUMENTS</tool_call>`, and `<invoke name="NAME">` without its wrapper."""
    close = re.compile(rf"</{re.escape(tag)}>", re.IGNORECASE).search(position.text, body_at)
    start = position.at
    stray = STRAY.search(position.text, 0, position.at) if tag == "invoke" else None
    if stray is not None:
        start = stray.start()
    if close is None:
        return Block(start, len(position.text)) if position.line_lead else None
    if INVENTED_TURNS.search(position.text, close.end()):
        return Block(start, len(position.text))
    arguments = json_forms.arguments_in(position.text[body_at : close.start()])
    calls = (TextCall(name, arguments),) if arguments is not None else ()
    return _unless_prose(position, Block(start, _after_closers(position.text, close.start()), calls))


FUNCTION_TAG = re.compile(r"<function=\s*[\"']?(?P<name>[^>\s\"']+)[\"']?\s*>")
FUNCTION_END = re.compile(r"</function>(?:\s*</(?:tool_call|seed:tool_call)>)?")


def function_equals(position: Position) -> Block | None:
    """`<function=NAME>`, with JSON or parameters; the stop word may have eaten the closing tag."""
    match = FUNCTION_TAG.match(position.text, position.at)
    if match is None:
        return None
    end = FUNCTION_END.search(position.text, match.end())
    following = FUNCTION_TAG.search(position.text, match.end())
    if end is None or (following is not None and following.start() < end.start()):
        rest = position.text[match.end() :]
        arguments = json_forms.arguments_in(rest.removesuffix("</")) if rest.strip() else None
        calls = (TextCall(match["name"], arguments),) if arguments else ()
        return None if position.is_within_sentence(match.end()) else Block(position.at, len(position.text), calls)
    arguments = json_forms.arguments_in(position.text[match.end() : end.start()])
    calls = (TextCall(match["name"], arguments),) if arguments is not None else ()
    return Block(position.at, end.end(), calls)


ATTRIBUTE_TAG = re.compile(
    r"<(?P<tag>function|call|tool)\s+(?:name|tool)\s*=\s*[\"'](?P<name>[^\"'>]+)[\"']\s*>(?P<body>.*?)</(?P=tag)>",
    re.DOTALL,
)


def function_attribute(position: Position) -> Block | None:
    """`<function name="NAME">` with parameters, `<call tool="NAME">` with JSON."""
    match = ATTRIBUTE_TAG.match(position.text, position.at)
    if match is None:
        return None
    body = re.sub(r"</?(?:tool_)?input>", "", match["body"])
    arguments = json_forms.arguments_in(body)
    if arguments is None:
        return None
    return _unless_prose(position, Block(position.at, match.end(), (TextCall(match["name"], arguments),)))


def tools_wrapper(position: Position) -> Block | None:
    """`<tools>` declares tools, except when it holds exactly one canonical call and nothing else."""
    match = re.compile(r"<tools>", re.IGNORECASE).match(position.text, position.at)
    if match is None:
        return None
    read = object_at(position.text, match.end())
    if read is None:
        return None
    value, end = read
    alone = re.compile(rf"\s*\Z|{CLOSERS.pattern}", re.IGNORECASE).match(position.text, end)
    if alone and set(value) == {"name", "arguments"}:
        return Block(position.at, _after_closers(position.text, end), tuple(calls_in(value)))
    return None


def element(position: Position) -> Block | None:
    """`<NAME><k>v</k></NAME>`, where NAME is a tool that is offered, on a line of its own."""
    match = re.compile(r"<([A-Za-z_][\w.-]*)>").match(position.text, position.at)
    if match is None or match[1] not in position.names or not position.line_lead:
        return None
    body, closer, _ = position.text[match.end() :].partition(f"</{match[1]}>")
    if not closer:
        return Block(position.at, len(position.text))
    arguments = elements(body)
    calls = (TextCall(match[1], arguments),) if arguments is not None else ()
    return Block(position.at, match.end() + len(body) + len(closer), calls)


CODE_ACTION = re.compile(
    r"<(?P<tag>execute_bash|execute_ipython|code_interpreter)\b[^>]*>.*?(?:</(?P=tag)>|\Z)|(?<=\n)<code>\n.*?</code>",
    re.DOTALL,
)


def code_action(position: Position) -> Block | None:
    """Code that is meant to be run: hidden, because it does not name a tool."""
    match = CODE_ACTION.match(position.text, position.at)
    if match is None or not position.line_lead:
        return None
    meant = match["tag"] is not None or position.text.startswith("Thought:")
    return Block(position.at, match.end()) if meant else None


@dataclass(frozen=True, slots=True)
class Pair:
    """Special tokens around a body: nothing else has them, so whatever stands between them is protocol."""

    open: str
    close: str
    read: Callable[[str], list[TextCall]] = json_forms.read_body


PAIRS = (
    Pair(r"<[｜|]tool▁calls▁begin[｜|]>", r"<[｜|]tool▁calls▁end[｜|]>"),
    Pair(r"<[｜|]tool▁outputs▁begin[｜|]>", r"<[｜|]tool▁outputs▁end[｜|]>", lambda body: []),
    Pair(r"<｜tool_calls_begin｜>", r"<｜tool_calls_end｜>"),
    Pair(r"<\|tool_calls_section_begin\|>", r"<\|tool_calls_section_end\|>"),
    Pair(r"<\|tool_call_start\|>", r"<\|tool_call_end\|>"),
    Pair(r"<\|python_start\|>", r"<\|python_end\|>"),
    Pair(r"<\|python_tag\|>", r"<\|eo[mt]_id\|>|\Z"),
    Pair(r"<\|tools_prefix\|>", r"<\|tools_suffix\|>", json_forms.keyed),
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
BROKEN_OFF = re.compile(r"<[｜|]tool[\w▁]*\Z")


def token_pair(position: Position) -> Block | None:
    """A block between two special tokens; one that is not closed runs to the end. Without a call it may be prose."""
    if BROKEN_OFF.match(position.text, position.at):
        return Block(position.at, len(position.text))
    if not position.text.startswith(("<", "["), position.at):
        return None
    for pair in PAIRS:
        start = re.compile(pair.open).match(position.text, position.at)
        if start is None:
            continue
        whole = re.compile(rf"(?:{pair.open})(?P<body>.*?)(?:{pair.close})", re.DOTALL)
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
        read = object_at(position.text, match.end())
        if read is None:
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
