"""The forms in which models write calls as text, in the order in which they are tried.

`Action:` and `Using tool:`, with JSON after them.

`[TOOL_CALL]`, `[TOOL_CALLS]`, `[NAME({…})]`.

Python, or between control tokens.
"""

import re
from collections.abc import Sequence

from agent_conformance.agents.reference.arguments import read_arguments
from agent_conformance.agents.reference.pseudo_calls import json_forms
from agent_conformance.agents.reference.pseudo_calls.blocks import FENCES, Block, Dialect, Position
from agent_conformance.agents.reference.pseudo_calls.json_forms import bare_json, fenced
from agent_conformance.agents.reference.pseudo_calls.tags import (
    TAGS,
    code_action,
    element,
    flower,
    function_attribute,
    function_equals,
    mark,
    tagged,
    token_json,
    token_pair,
    tools_wrapper,
)
from agent_conformance.agents.reference.pseudo_calls.values import (
    BEGUN_JSON,
    TextCall,
    calls_in,
    json_at,
    json_run,
    object_at,
    python_calls,
)

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
    read = object_at(position.text, named.end())
    calls = (TextCall(named["name"].strip(), read[0]),) if read else ()
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
    grounded = GROUNDED.match(text, end)
    if grounded and re.fullmatch(r"directly[_-]answer", calls[0].name):
        return Block(at, len(text), show=grounded[1], mark=True)
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


ARROW_OPEN = re.compile(r"\[TOOL_CALL\]|^TOOL_CALL\b(?=\s*\{)", re.IGNORECASE | re.MULTILINE)
ARROW_CLOSE = re.compile(r"\[/TOOL_CALL\]|^/TOOL_CALL\b", re.IGNORECASE | re.MULTILINE)
QUOTE = re.compile(r"(?<!\\)\"")
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
        if len(QUOTE.findall(text, begin, close.start())) % 2 == 0:
            return close
    return None


def arrow_calls(body: str) -> list[TextCall]:
    """The call in the body of an arrow block, or what is written there as JSON."""
    name = ARROW_NAME.match(body.strip())
    if name is None:
        return json_forms.json_objects(body)
    rest = body.strip()[name.end() :]
    args = ARROW_ARGS.match(rest)
    inner = (args[1] if args else rest).strip()
    arguments = _arrow_arguments(inner)
    return [TextCall(name[1] or name[2] or name[3], arguments)] if arguments is not None else []


def _arrow_arguments(inner: str) -> dict[str, object] | None:
    if read := object_at(inner, 0):
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
    read = object_at(position.text, match.end())
    if read is None:
        return Block(position.at, len(position.text)) if match["name"] or name in position.names else None
    return Block(position.at, read[1], (TextCall(name, read[0]),))


CONTROL = re.compile(r"<ctrl\d+>(?:\s*<ctrl\d+>)*")
CALL_WORD = re.compile(r"\s*(?:(?:tool_code|call)\s+)?(?=(?:print\()?default_api[.:]|call:)")
OWN_NAME = re.compile(r"(?:print\(|call:)?default_api[.:](?P<name>[\w.-]*)")
GEMINI_CLOSING = re.compile(r"(?:\s*<ctrl\d+>)+\Z")


def default_api(position: Position) -> Block | None:
    """`print(default_api.NAME(k=v))` or `call:default_api:NAME{k:v}`, to a line's end; perhaps after `<ctrl42>`."""
    text, at = position.text, position.at
    control = CONTROL.match(text, at)
    word = CALL_WORD.match(text, control.end() if control else at)
    if word is None or (control is None and not (position.line_lead and _names_a_tool_of_gemini(position, word.end()))):
        return None
    for line_end in re.compile(r"\n|\Z").finditer(text, word.end()):
        source = GEMINI_CLOSING.sub("", text[word.end() : line_end.start()])
        calls = python_calls(source) or json_forms.gemma(source)
        if calls:
            return Block(at, line_end.start(), tuple(calls))
    return Block(at, len(text))


def _names_a_tool_of_gemini(position: Position, at: int) -> bool:
    """Whether the name after `default_api` is that of an offered tool, or is still being written."""
    own = OWN_NAME.match(position.text, at)
    return own is not None and (own["name"] in position.names or own.end() == len(position.text))


MARK = Dialect(
    "mark",
    mark,
    (
        *("<|start_", "<|end_", "<|eo", "<|im_end", "<｜end", "<|end", "<final>", "</final>", "<|close|>"),
        *("<|assistant|>", "<|call|>", "<|stop|>", "<response>", "</response>", "<eom", "<|eom"),
    ),
)
DEFAULT_API = tuple(
    before + call
    for before in ("", "call ", "call\n", "tool_code ", "tool_code\n")
    for call in ("print(default_api.", "default_api.", "default_api:", "call:default_api:")
)
DIALECTS: tuple[Dialect, ...] = (
    Dialect("fence", fenced, FENCES),
    Dialect("tag", tagged, (*(f"<{tag}" for tag in TAGS), "<invoke")),
    Dialect("stray-word", lambda position: None, ("court\n<", "count\n<", "course\n<", "call\n<")),
    Dialect("function-equals", function_equals, ("<function=",)),
    Dialect("function-attribute", function_attribute, ("<function name", "<call tool", "<tool name")),
    Dialect("tools", tools_wrapper, ("<tools>",)),
    Dialect("bracket-arrow", bracket_arrow, ("[tool_call]", "tool_call\n{", "tool_call {", "tool_call{")),
    Dialect("mistral", mistral, ("[tool_calls]",)),
    Dialect(
        "token-pair",
        token_pair,
        (
            "<｜tool",
            "<|tool",
            "<|python_",
            "<|start_action",
            "<|action_start",
            "<start_function_call",
            "<|open|>",
            "[tool_request]",
            "<function_result",
            "<function_response",
            "<tool_result",
            "[tool result",
            "<tool_response",
        ),
    ),
    Dialect("token-json", token_json, ("<|tool_call|>", "functools[")),
    Dialect("harmony", harmony, ("<|start|>", "<|channel|>", "commentary to=", "> commentary to=")),
    Dialect("recipient", recipient, ("<|from|>", "<|recipient|>", "all\n<|content|>", ">>>")),
    Dialect("default-api", default_api, DEFAULT_API),
    Dialect("control-token", default_api, ("<ctrl",)),
    Dialect("flower", flower, ("✿",)),
    Dialect("react", react, ("action:", "action ", "thought:", "thought ")),
    Dialect("bracketed", bracketed, ("[calling tool:", "[tool call:", "[tool:")),
    Dialect("tool-line", tool_line, ("tool:",)),
    Dialect("using-tool", using_tool, ("using tool:",)),
    MARK,
    Dialect("bare-json", bare_json, ("{", "["), lead=True),
    Dialect("named-bracket", bracketed),
    Dialect("pythonic", pythonic),
    Dialect("element", element),
    Dialect("code-action", code_action, ("<execute_", "<code_interpreter", "<code>\n")),
)
