"""Calls as JSON: bare, or in a fence.

Each reader returns the calls that it can read in full, or nothing.
"""

import re
from collections.abc import Callable
from typing import Any

from agent_conformance.agents.reference.arguments import read_arguments
from agent_conformance.agents.reference.pseudo_calls.blocks import CALL_FENCES, Block, Position, fence_at
from agent_conformance.agents.reference.pseudo_calls.values import (
    ENVELOPE,
    TextCall,
    calls_in,
    elements,
    json_at,
    json_run,
    keyed_calls,
    object_at,
    parameters,
    plain_value,
    python_calls,
)

PROTOCOL_KEYS = frozenset({"name", "tool", "action", "type", "content", "tool_calls", "function_call", "tool_call_id"})


def fenced(position: Position) -> Block | None:
    """A fence whose language marks it as a call; any other with the JSON of calls, if nothing comes after it."""
    fence = fence_at(position.text, position.at)
    if fence is None:
        return None
    text, (info, begin, end) = position.text, fence
    if CALL_FENCES.fullmatch(info):
        return _call_fence(position, info, begin, end)
    if info.lower() not in ("", "json"):
        return None
    if not re.compile(r"\s*\Z").match(text, end):
        return None
    read = json_at(text, begin)
    if read is None:
        return Block(position.at, end) if _began_call(text, begin, position.names) else None
    if isinstance(read[0], dict) and read[0].get("action") == "Final Answer":
        return Block(position.at, end, show=str(read[0].get("action_input")), mark=True)
    calls = calls_in(read[0]) if begins_like_call(text, begin) else []
    known = calls and all(call.name in position.names for call in calls)
    return Block(position.at, end, tuple(calls)) if known else None


def _call_fence(position: Position, info: str, begin: int, end: int) -> Block:
    name = re.fullmatch(r"tool\s+(\S+)", info)
    read = object_at(position.text, begin) if name else json_at(position.text, begin)
    if read is not None:
        found = [TextCall(name[1], read[0])] if name else calls_in(read[0])
        return Block(position.at, end, tuple(found))
    for close in re.finditer(r"\n`{3,}[ \t]*(?=\n|\Z)", position.text[begin:]):
        found = python_calls(position.text[begin : begin + close.start()])
        if found:
            return Block(position.at, begin + close.end(), tuple(found))
    return Block(position.at, end)


FIRST_KEY = re.compile(r"\s*(?:\[\s*)?\{\s*\"(?P<key>\w+)\"\s*:\s*(?:\"(?P<value>[^\"]*)\")?")


def _began_call(text: str, at: int, names: frozenset[str]) -> bool:
    """Whether JSON that does not read in full began as a call of an offered tool."""
    first = FIRST_KEY.match(text, at)
    return bool(first and first["value"] in names)


def begins_like_call(text: str, at: int = 0) -> bool:
    """Whether the first key is one of a call. A stream cannot wait for the others, so nothing else is read as one."""
    first = FIRST_KEY.match(text, at)
    return first is not None and first["key"] in PROTOCOL_KEYS


def bare_json(position: Position) -> Block | None:
    """JSON at the start of the answer: calls of offered tools, and OpenAI's envelope; all else is an answer."""
    text = position.text
    values, end = json_run(text, position.at)
    if not values:
        return Block(position.at, len(text)) if _began_call(text, position.at, position.names) else None
    if not begins_like_call(text, position.at):
        return None
    if any(isinstance(value, dict) and set(value) == {"tool_call_id", "content"} for value in values):
        return Block(position.at, end)
    calls = [call for value in values for call in calls_in(value)]
    if calls and all(call.name in position.names for call in calls):
        content = values[0].get("content") if isinstance(values[0], dict) else None
        return Block(position.at, end, tuple(calls), show=content if isinstance(content, str) else "")
    envelope = next((value[ENVELOPE] for value in values if isinstance(value, dict) and ENVELOPE in value), None)
    return Block(position.at, end) if isinstance(envelope, list) and any(map(_is_protocol_entry, envelope)) else None


def _is_protocol_entry(entry: object) -> bool:
    """Whether an entry of an envelope is a call that cannot be run, rather than somebody's own data."""
    return isinstance(entry, dict) and isinstance(entry.get("function"), dict)


BodyReader = Callable[[str], list[TextCall]]
NAME = r"[^\s<>\"'=(){}\[\],|]+"


JSON_LINE = re.compile(r"^\s*(?=[{\[])", re.MULTILINE)


def json_objects(body: str) -> list[TextCall]:
    """JSON at the start of any line: prose, fences and broken neighbours around it are passed over."""
    runs = (json_run(body, line.end())[0] for line in JSON_LINE.finditer(body))
    return next((found for values in runs if (found := [call for value in values for call in calls_in(value)])), [])


FUNCTION = re.compile(rf"<function=\s*[\"']?(?P<name>{NAME})[\"']?\s*>(?P<body>.*?)</function>", re.DOTALL)
INVOKE = re.compile(
    r"<(?P<tag>(?:[\w:]+:|｜DSML｜)?(?:invoke|function|tool))\s+name\s*=\s*[\"'](?P<name>[^\"'>]+)[\"'][^>]*>"
    r"(?P<body>.*?)</(?P=tag)>",
    re.DOTALL,
)


def functions(body: str) -> list[TextCall]:
    """`<function=NAME>` with parameters or JSON in it."""
    return _named(FUNCTION, body)


def invokes(body: str) -> list[TextCall]:
    """`<invoke name="NAME">` with parameters or JSON in it, under any prefix."""
    return _named(INVOKE, body)


def _named(pattern: re.Pattern[str], body: str) -> list[TextCall]:
    found = []
    for match in pattern.finditer(body):
        arguments = arguments_in(match["body"])
        if arguments is not None:
            found.append(TextCall(match["name"].strip(), arguments))
    return found


def arguments_in(body: str) -> Any:
    """The arguments of one call: parameters, or one JSON object; None for anything else."""
    if body.strip().startswith("{"):
        return read_arguments(body)[0]
    return parameters(body)


FUNCTION_NAME = re.compile(
    r"\s*<(function_name|tool_name|name)>\s*(?P<name>[^<]+?)\s*</\1>"
    r"\s*<(arguments|parameters|args|input)>(?P<body>.*)</\3>\s*",
    re.DOTALL,
)


def function_name(body: str) -> list[TextCall]:
    """`<function_name>NAME</function_name>` and its arguments, in any of their wrappings."""
    match = FUNCTION_NAME.fullmatch(body)
    if match is None:
        return []
    arguments = arguments_in(match["body"])
    if arguments is None:
        arguments = elements(match["body"])
    return [TextCall(match["name"], arguments)] if arguments is not None else []


PAIR = re.compile(
    r"\s*<(?P<tag>(?:longcat_)?arg_)key>\s*(?P<key>.*?)\s*</(?P=tag)key>\s*<(?P=tag)value>(?P<value>.*?)</(?P=tag)value>",
    re.DOTALL,
)


def key_value_pairs(body: str) -> list[TextCall]:
    """`NAME` and then `<arg_key>` and `<arg_value>` in turn."""
    start = re.match(rf"\s*({NAME})\s*", body)
    if start is None:
        return []
    arguments: dict[str, Any] = {}
    at = start.end()
    while pair := PAIR.match(body, at):
        arguments[pair["key"]] = plain_value(pair["value"])
        at = pair.end()
    return [TextCall(start[1], arguments)] if not body[at:].strip() else []


def named_element(body: str) -> list[TextCall]:
    """`<NAME><k>v</k></NAME>`, or JSON in it; a thought in front is passed over."""
    body = re.sub(r"^\s*<(think|thinking)>.*?</\1>", "", body, flags=re.DOTALL)
    outer = elements(body)
    found = []
    for name, inner in (outer or {}).items():
        arguments = read_arguments(inner)[0] if inner.strip().startswith("{") else elements(inner)
        if arguments is None:
            return []
        found.append(TextCall(name, arguments))
    return found


ATTRIBUTE = re.compile(r"\s*([A-Za-z_]\w*)\s*=\s*\"([^\"]*)\"")


def attributes(body: str) -> list[TextCall]:
    """`NAME k="v" k2="v2"`, perhaps with `/>`."""
    start = re.match(rf"\s*({NAME})(?=\s)", body)
    if start is None:
        return []
    arguments: dict[str, Any] = {}
    at = start.end()
    while pair := ATTRIBUTE.match(body, at):
        arguments[pair[1]] = pair[2]
        at = pair.end()
    return [TextCall(start[1], arguments)] if body[at:].strip() in ("", "/>") else []


def code_lines(body: str) -> list[TextCall]:
    """`NAME` and then `<code>` with lines `key>value`."""
    match = re.fullmatch(rf"\s*({NAME})\s*<code>(.*)</code>\s*", body, re.DOTALL)
    if match is None:
        return []
    pairs = [line.partition(">") for line in match[2].strip().splitlines()]
    return [TextCall(match[1], {key.strip(): value for key, _, value in pairs})]


def shorthand(body: str) -> list[TextCall]:
    """`NAME>` and then lines `key: value`; a value alone does not name its argument and is not read."""
    match = re.fullmatch(rf"\s*({NAME})>\s*((?:\w+:[^\n]*\n?)+)", body)
    if match is None:
        return []
    pairs = [line.partition(":") for line in match[2].strip().splitlines()]
    return [TextCall(match[1], {key.strip(): value.strip() for key, _, value in pairs})]


DEEPSEEK = re.compile(
    r"<[｜|]tool▁call▁begin[｜|]>(?:function<[｜|]tool▁sep[｜|]>(?P<name>[^\n`{<]+?)\s*```(?:json)?\s*(?P<fenced>.*?)```"
    r"|(?P<bare>[^\n`{<]+?)<[｜|]tool▁sep[｜|]>(?P<json>.*?))\s*<[｜|]tool▁call▁end[｜|]>",
    re.DOTALL,
)
KIMI = re.compile(
    r"<\|tool_call_begin\|>\s*(?:functions\.)?(?P<name>[^\s:<]+)(?::\d+)?\s*<\|tool_call_argument_begin\|>"
    r"(?P<json>.*?)<\|tool_call_end\|>",
    re.DOTALL,
)
XTML = re.compile(
    r"<\|open\|>call tool=\"(?P<name>[^\"]+)\"[^<]*<\|sep\|>(?P<body>.*?)<\|close\|>call<\|sep\|>", re.DOTALL
)
XTML_ARGUMENT = re.compile(
    r"<\|open\|>argument key=\"(?P<key>[^\"]+)\" type=\"\w+\"<\|sep\|>"
    r"(?P<value>.*?)<\|close\|>argument<\|sep\|>",
    re.DOTALL,
)


def special_tokens(body: str) -> list[TextCall]:
    """The special tokens of DeepSeek and Kimi: name, arguments as JSON, one call after the other."""
    found = []
    for match in [*DEEPSEEK.finditer(body), *KIMI.finditer(body)]:
        groups = match.groupdict()
        name = groups["name"] or groups["bare"]
        arguments, _ = read_arguments(groups.get("fenced") or groups["json"])
        if arguments is not None:
            found.append(TextCall(name.strip(), arguments))
    for match in XTML.finditer(body):
        written = {a["key"]: a["value"] for a in XTML_ARGUMENT.finditer(match["body"])}
        found.append(TextCall(match["name"], written))
    return found


GEMMA = re.compile(r"\s*call:(?:default_api:)?(?P<name>[^\s{]+)(?P<body>\{.*\})\s*", re.DOTALL)
QUOTED = re.compile(r"(<escape>|<\|\"\|>|<ctrl46>)(.*?)\1", re.DOTALL)


def gemma(body: str) -> list[TextCall]:
    """`call:NAME{key:<escape>text<escape>,n:1}`: texts are literal between their own quotation marks."""
    match = GEMMA.fullmatch(body)
    if match is None:
        return []
    texts: dict[str, str] = {}

    def put_aside(quoted: re.Match[str]) -> str:
        key = f"\x00{len(texts)}"
        texts[key] = quoted[2]
        return f'"{key}"'

    bare = re.sub(r"([{,])\s*([A-Za-z_]\w*)\s*:", r'\1"\2":', QUOTED.sub(put_aside, match["body"]))
    arguments, _ = read_arguments(bare.replace("\x00", "\\u0000"))
    return [TextCall(match["name"], _put_back(arguments, texts))] if arguments is not None else []


def _put_back(value: Any, texts: dict[str, str]) -> Any:
    if isinstance(value, dict):
        return {key: _put_back(item, texts) for key, item in value.items()}
    if isinstance(value, list):
        return [_put_back(item, texts) for item in value]
    return texts.get(value, value) if isinstance(value, str) else value


def keyed(body: str) -> list[TextCall]:
    """`[{"NAME": {…}}]`."""
    return [call for value in json_run(body, 0)[0] for call in keyed_calls(value)]


READERS: tuple[BodyReader, ...] = (
    json_objects,
    functions,
    invokes,
    function_name,
    special_tokens,
    gemma,
    code_lines,
    named_element,
    key_value_pairs,
    python_calls,
    attributes,
    shorthand,
)


def read_body(body: str) -> list[TextCall]:
    """The calls that the first fitting reader finds."""
    for reader in READERS:
        if found := reader(body):
            return found
    return []
