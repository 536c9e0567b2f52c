"""Calls in angle brackets: `<tool_call>` and its many kin. Knows no tool but by name."""

import re

from conformance.agents.reference.pseudo_calls import bodies
from conformance.agents.reference.pseudo_calls.found import Block, Place
from conformance.agents.reference.pseudo_calls.values import Found, calls_in, elements, json_at, json_run

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


def tagged(place: Place) -> Block | None:
    """`<tool_call>` and its aliases, with any body; the closing tag may be another alias's, or missing after JSON."""
    text, at = place.text, place.at
    match = TAG.match(text, at)
    if match is None:
        return Block(at, len(text)) if place.line_lead and UNFINISHED_TAG.match(text, at) else None
    tag, body_at = match["tag"].lower(), match.end()
    while inner := TAG.match(text, body_at):
        if inner["tag"].lower() != tag:
            break
        body_at = inner.end()
    given = re.search(r"\bname\s*=\s*[\"']([^\"']+)[\"']", match["attributes"] or "")
    if given is not None:
        return _named_tag(place, given[1], body_at, tag)
    if tag == "invoke" and match["attributes"]:
        return None
    values, end = json_run(text, body_at)
    close = _closer(text, end if values else body_at, tag)
    if values and (close is None or text[end : close.start()].strip() == ""):
        after = CLOSERS.match(text, end)
        calls = tuple(call for value in values for call in calls_in(value))
        end = after.end() if after else end if calls else len(text)
        return _unless_prose(place, Block(at, end, calls), bool(after))
    if close is None:
        calls = _complete_parts(text[body_at:])
        return Block(at, len(text), calls) if place.line_lead or _is_protocol(place, body_at) else None
    after = CLOSERS.match(text, close.start())
    calls = tuple(bodies.read_body(text[body_at : close.start()]))
    return _unless_prose(place, Block(at, after.end() if after else close.end(), calls), closed=True)


def _closer(text: str, at: int, tag: str) -> re.Match[str] | None:
    own = re.compile(rf"</{re.escape(tag)}>", re.IGNORECASE).search(text, at)
    if own is not None:
        return own
    nested = re.compile(r"<[\w:]*invoke\s|<arg_key>", re.IGNORECASE).search(text, at)
    return (CLOSER if nested else FOREIGN_CLOSER).search(text, at)


def _complete_parts(body: str) -> tuple[Found, ...]:
    """Calls in a block that is never closed: only those that are closed themselves."""
    return tuple(bodies.functions(body) or bodies.invokes(body))


def _is_protocol(place: Place, at: int) -> bool:
    """Whether what follows an opener in the middle of a line is a call that was begun, rather than more prose."""
    rest = place.text[at:]
    word = re.match(r"\s*([\w.:-]+)", rest)
    return (
        bool(re.match(r"\s*[{\[<]", rest))
        or bool(word and word[1] in place.names)
        or "longcat" in place.text[place.at : at]
    )


def _unless_prose(place: Place, block: Block, closed: bool) -> Block | None:
    """A block in the middle of a sentence, with words of it on both sides, is talked about and not meant."""
    after = place.text[block.end :].partition("\n")[0]
    in_sentence = not place.line_lead and bool(re.match(r"[ \t]*[a-z]", after)) and not _ends_sentence(place)
    return None if in_sentence and closed else block


def _ends_sentence(place: Place) -> bool:
    return bool(re.search(r"[.!?:。！？：]\s*$", place.text[: place.at]))


def _named_tag(place: Place, name: str, body_at: int, tag: str) -> Block | None:
    """`<tool_call name="NAME">ARGUMENTS</tool_call>`, and `<invoke name="NAME">` without its wrapper."""
    close = re.compile(rf"</{re.escape(tag)}>", re.IGNORECASE).search(place.text, body_at)
    start = place.at
    stray = STRAY.search(place.text, 0, place.at) if tag == "invoke" else None
    if stray is not None:
        start = stray.start()
    if close is None:
        return Block(start, len(place.text)) if place.line_lead else None
    if INVENTED_TURNS.search(place.text, close.end()):
        return Block(start, len(place.text))
    arguments = bodies.arguments_in(place.text[body_at : close.start()])
    calls = (Found(name, arguments),) if arguments is not None else ()
    after = CLOSERS.match(place.text, close.start())
    return _unless_prose(place, Block(start, after.end() if after else close.end(), calls), closed=True)


FUNCTION_TAG = re.compile(r"<function=\s*[\"']?(?P<name>[^>\s\"']+)[\"']?\s*>")
FUNCTION_END = re.compile(r"</function>(?:\s*</(?:tool_call|seed:tool_call)>)?")


def function_equals(place: Place) -> Block | None:
    """`<function=NAME>`, with JSON or parameters; the stop word may have eaten the closing tag."""
    match = FUNCTION_TAG.match(place.text, place.at)
    if match is None:
        return None
    end = FUNCTION_END.search(place.text, match.end())
    following = FUNCTION_TAG.search(place.text, match.end())
    if end is None or (following is not None and following.start() < end.start()):
        rest = place.text[match.end() :]
        arguments = bodies.arguments_in(rest.removesuffix("</")) if rest.strip() else None
        calls = (Found(match["name"], arguments),) if arguments else ()
        prose = match["name"] not in place.names and place.is_talked_about(match.end())
        return None if prose else Block(place.at, len(place.text), calls)
    arguments = bodies.arguments_in(place.text[match.end() : end.start()])
    calls = (Found(match["name"], arguments),) if arguments is not None else ()
    return Block(place.at, end.end(), calls)


ATTRIBUTE_TAG = re.compile(
    r"<(?P<tag>function|call|tool)\s+(?:name|tool)\s*=\s*[\"'](?P<name>[^\"'>]+)[\"']\s*>(?P<body>.*?)</(?P=tag)>",
    re.DOTALL,
)


def function_attribute(place: Place) -> Block | None:
    """`<function name="NAME">` with parameters, `<call tool="NAME">` with JSON."""
    match = ATTRIBUTE_TAG.match(place.text, place.at)
    if match is None:
        return None
    body = re.sub(r"</?(?:tool_)?input>", "", match["body"])
    arguments = bodies.arguments_in(body)
    if arguments is None:
        return None
    return _unless_prose(place, Block(place.at, match.end(), (Found(match["name"], arguments),)), closed=True)


def tools_wrapper(place: Place) -> Block | None:
    """`<tools>` declares tools, except when it holds exactly one canonical call and nothing else."""
    match = re.compile(r"<tools>", re.IGNORECASE).match(place.text, place.at)
    if match is None:
        return None
    read = json_at(place.text, match.end())
    if read is None:
        shape = re.compile(r"<tools>\s*[\w.-]+>[^<\n]*</\w+>").match(place.text, place.at)
        return Block(place.at, shape.end()) if shape else None
    value, end = read
    close = CLOSERS.match(place.text, end)
    alone = close is not None or not place.text[end:].strip()
    if alone and isinstance(value, dict) and set(value) == {"name", "arguments"}:
        return Block(place.at, close.end() if close else end, tuple(calls_in(value)))
    return None


def element(place: Place) -> Block | None:
    """`<NAME><k>v</k></NAME>`, where NAME is a tool that is offered, on a line of its own."""
    match = re.compile(r"<([A-Za-z_][\w.-]*)>").match(place.text, place.at)
    if match is None or match[1] not in place.names or not place.line_lead:
        return None
    close = place.text.rfind(f"</{match[1]}>")
    if close < 0:
        return Block(place.at, len(place.text))
    close = place.text.find(f"</{match[1]}>", match.end())
    arguments = elements(place.text[match.end() : close])
    if arguments is None:
        return None
    return Block(place.at, close + len(match[1]) + 3, (Found(match[1], arguments),))


CODE_ACTION = re.compile(
    r"<(?P<tag>execute_bash|execute_ipython|code_interpreter)\b[^>]*>.*?(?:</(?P=tag)>|\Z)|(?<=\n)<code>\n.*?</code>",
    re.DOTALL,
)


def code_action(place: Place) -> Block | None:
    """Code that is written to be run at once: hidden, because there is no telling which tool is meant."""
    match = CODE_ACTION.match(place.text, place.at)
    if match is None or not place.line_lead:
        return None
    meant = match["tag"] is not None or place.text.startswith("Thought:")
    return Block(place.at, match.end()) if meant else None


SLASHED = re.compile(r"(?P<name>[\w.:-]+)/(?:\w+>|\{)[^\n]*")


def slashed(place: Place) -> Block | None:
    """`NAME/key>value` in a line of its own, where NAME is offered: too much like a path to be run."""
    at = place.at + len(place.text[place.at :]) - len(place.text[place.at :].lstrip(" \t"))
    match = SLASHED.match(place.text, at)
    return Block(place.at, match.end()) if match and match["name"] in place.names else None
