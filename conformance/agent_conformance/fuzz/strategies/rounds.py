"""Well-formed rounds of calls and results: several, parallel, with any arguments and results, and plain answers."""

from typing import Any

from hypothesis import strategies as st

from agent_conformance.fuzz.strategies.parts import (
    KINDS,
    REPLIES,
    TEXTS,
    Draw,
    call_of,
    chance,
    cut,
    document,
    one_of,
    question,
    ran,
    reply_to,
    some_of,
    tool_of,
    turn,
)
from agent_conformance.minimise.documents import Document

RESULTS: tuple[tuple[Any, Any], ...] = (
    ("plain words", "plain words"),
    (42, {"value": 42}),
    (7.25, {"value": 7.25}),
    (True, {"value": True}),
    ({"posts": [{"id": 987654321}]}, {"value": {"posts": [{"id": 987654321}]}}),
    (["north", "south"], {"value": ["north", "south"]}),
    ([{"a": 1}, {"a": 2}], {"value": [{"a": 1}, {"a": 2}]}),
    ('{"ok": true}', '{"ok": true}'),
    ("ñandú, 你好, 🌏", "ñandú, 你好, 🌏"),
    ("first line\nsecond line\n\nlast line", "first line\nsecond line\n\nlast line"),
    ('He said "hi" </tool_result> & left', {"contains": ["He said", "& left"]}),
    ("The pump ran for three hours; " * 120, {"contains": ["The pump ran for three hours; " * 100]}),
    ('<tool_call>{"name": "look_up", "arguments": {"word": "all"}}</tool_call>', {"contains": ["tool_call"]}),
    ('[TOOL_CALL]\n{tool => "look_up", args => {}}\n[/TOOL_CALL]', {"contains": ["TOOL_CALL"]}),
)
"""What a tool returns, and what the next request must have of it."""
EMPTY_RESULTS: tuple[Any, ...] = ("", "  \n", None, [], {}, False, 0)

scalars: st.SearchStrategy[Any] = st.one_of(
    st.sampled_from(TEXTS), st.integers(-1000, 10**9), st.booleans(), st.sampled_from((0.5, -2.25, 1234.125, 0))
)
TYPES = {str: "string", bool: "boolean", int: "integer", float: "number", list: "array", dict: "object"}


@st.composite
def rounds(draw: Draw) -> Document:
    """One to four replies with one call each, then the answer; now and then with words beside the calls."""
    kinds = some_of(draw, KINDS, 1, 3)
    calls = [
        call_of(kind, one_of(draw, kind.values))
        for kind in draw(st.lists(st.sampled_from(kinds), min_size=1, max_size=4))
    ]
    used = [kind for kind in kinds if any(call["name"] == kind.name for call in calls)]
    tools = [tool_of(kind, results=list(kind.results)) for kind in used]
    model = [_with_words(draw, {"calls": [call]}, number) for number, call in enumerate(calls, 1)]
    answer = one_of(draw, REPLIES)
    requests: list[dict[str, Any]] = []
    if chance(draw, 50):
        seen = _results_in_order(used, calls)
        requests = [{"at": place + 2, "results": [result]} for place, result in enumerate(seen)]
        requests.append({"at": "last", "contains": seen})
    expect = {"executed": [ran(call) for call in calls], "reply": answer, "request_count": len(calls) + 1}
    return document(
        "calls in several rounds run in their order",
        [turn(question(draw), [*model, {"text": answer}], {**expect, **({"requests": requests} if requests else {})})],
        tools=tools,
        profile="core",
    )


def _results_in_order(kinds: list[Any], calls: list[dict[str, Any]]) -> list[str]:
    """What each call gets: a tool gives its results one after the other, and its last one again."""
    made: dict[str, int] = {}
    found = []
    for call in calls:
        kind = next(kind for kind in kinds if kind.name == call["name"])
        found.append(kind.results[min(made.get(kind.name, 0), len(kind.results) - 1)])
        made[kind.name] = made.get(kind.name, 0) + 1
    return found


def _with_words(draw: Draw, reply: dict[str, Any], number: int) -> dict[str, Any]:
    """Text beside the calls; the reply is sent until the result of the call is there, or once."""
    if chance(draw, 30):
        reply = {"text": f"Let me look, for the {number}. time.", **reply}
    return {**reply, "until": "answered"} if chance(draw, 30) else reply


@st.composite
def parallel(draw: Draw) -> Document:
    """Two to four calls in one reply, of one tool or several, the same call twice now and then; maybe slow ones."""
    kinds = some_of(draw, KINDS, 1, 3)
    pairs = [(kind, value) for kind in kinds for value in kind.values]
    calls = [call_of(*pair) for pair in some_of(draw, pairs, 2, 4)]
    used = [kind for kind in kinds if any(call["name"] == kind.name for call in calls)]
    tools = [
        tool_of(kind, results=list(kind.results), **({"delay": 0.01 * place} if chance(draw, 15) else {}))
        for place, kind in enumerate(reversed(used))
    ]
    has_equal_calls = chance(draw, 20)
    if has_equal_calls:
        calls.append(calls[0])
    answer = reply_to(draw)
    first = _with_words(draw, {"calls": calls}, 1)
    expect: dict[str, Any] = {"reply": answer, "request_count": 2}
    if not has_equal_calls:  # of two equal ones, one may run for both
        expect = {"executed": {"any_order": [ran(call) for call in calls]}, **expect}
        if chance(draw, 40):
            expect["requests"] = [{"at": 2, "calls": [ran(call) for call in calls]}]
    return document(
        "each call of a batch has its own result",
        [turn(question(draw), [first, {"text": answer}], expect)],
        tools=tools,
        profile="core",
    )


@st.composite
def any_result(draw: Draw) -> Document:
    """A tool returns any JSON value, or nothing."""
    kind = one_of(draw, KINDS)
    call = call_of(kind, one_of(draw, kind.values))
    is_empty = chance(draw, 35)
    value, wanted = (one_of(draw, EMPTY_RESULTS), None) if is_empty else one_of(draw, RESULTS)
    answer = reply_to(draw)
    requests = [] if is_empty else [{"at": 2, "calls": [ran(call)], "results": [wanted]}]
    expect = {"executed": [ran(call)], "reply": answer, "request_count": 2}
    return document(
        "the model gets what the tool returned",
        [
            turn(
                question(draw),
                [{"calls": [call], "until": "answered"}, {"text": answer}],
                {**expect, **({"requests": requests} if requests else {})},
            )
        ],
        tools=[tool_of(kind, returns=value)],
        profile="core",
    )


@st.composite
def any_arguments(draw: Draw) -> Document:
    """A call with one to four values of any type, some of them optional or nested; each reaches the tool as it is."""
    names = ("text", "count", "flag", "page", "extra")
    values = {name: draw(_values) for name in some_of(draw, names, 0, 4)}
    optional = some_of(draw, [name for name in names if name not in values], 0, 2)
    properties = {name: schema_for(value) for name, value in values.items()} | {
        name: {"type": "string"} for name in optional
    }
    tool = {
        "name": "keep_note",
        "description": "Keeps a note.",
        "parameters": {
            "type": "object",
            "properties": properties,
            **({"required": list(values)} if values else {}),
        },
        "returns": "it is kept",
    }
    call = {"name": "keep_note", "arguments": values}
    answer = reply_to(draw)
    return document(
        "arguments of any type reach the tool as they are",
        [
            turn(
                question(draw),
                [{"calls": [call]}, {"text": answer}],
                {"executed": [ran(call)], "reply": answer, "requests": [{"at": 2, "calls": [ran(call)]}]},
            )
        ],
        tools=[tool],
        profile="core",
    )


_values = st.one_of(
    scalars,
    st.lists(st.sampled_from(("red", "blue", "8")), max_size=3),
    st.lists(st.integers(0, 99), min_size=1, max_size=3),
    st.fixed_dictionaries({"name": st.sampled_from(TEXTS[:6]), "size": st.integers(0, 9)}),
    st.fixed_dictionaries({"deep": st.fixed_dictionaries({"flag": st.booleans()})}),
)


def schema_for(value: Any) -> dict[str, Any]:
    """The JSON Schema that a person writes for a parameter with this value."""
    kind = TYPES[type(value)]
    if kind == "array":
        return {"type": "array", "items": schema_for(value[0]) if value else {"type": "string"}}
    if kind == "object":
        properties = {name: schema_for(inner) for name, inner in value.items()}
        return {"type": "object", "properties": properties, "required": list(value)}
    return {"type": "number" if kind == "integer" and value == 0 else kind}


@st.composite
def long_numbers(draw: Draw) -> Document:
    """Whole numbers beyond what a float holds, on wires that send arguments as text."""
    number = draw(st.integers(2**53 + 1, 2**62)) * one_of(draw, (1, -1))
    call = {"name": "delete_message", "arguments": {"id": number}}
    tool = {
        "name": "delete_message",
        "description": "Deletes the message with this id.",
        "parameters": {"id": "integer"},
        "returns": "it is deleted",
    }
    answer = reply_to(draw)
    expect = {"executed": [ran(call)], "reply": answer}
    return document(
        "a long number keeps all of its digits",
        [turn(question(draw), [{"calls": [call]}, {"text": answer}], expect)],
        wires=["openai-chat", "openai-responses"],
        tools=[tool],
    )


@st.composite
def answers(draw: Draw) -> Document:
    """One to six turns without a call, each answer cut into pieces anywhere."""
    count = draw(st.integers(1, 6))
    turns: list[dict[str, Any]] = []
    for number in range(1, count + 1):
        text = one_of(draw, REPLIES) if count == 1 else reply_to(draw, number)
        reply = {"text": text, "chunks": cut(draw, text)} if chance(draw, 50) else {"text": text}
        said = [part for before in turns for part in (before["user"], before["model"][0]["text"])]
        expect = {"reply": text, **({"requests": [{"at": 1, "contains": said}]} if said else {})}
        turns.append(turn(question(draw, number), [reply], expect))
    return document("answers come whole and in order", turns, profile="core")


@st.composite
def streamed_text(draw: Draw) -> Document:
    """An answer in pieces, to the byte."""
    text = "".join(draw(st.lists(st.sampled_from(_PIECES), min_size=1, max_size=8))).strip() or "x"
    return document(
        "streamed text is shown once, in order",
        [turn(question(draw), [{"text": text, "chunks": cut(draw, text)}], {"reply": {"exactly": text}})],
        modes=["stream"],
    )


_PIECES = (
    "ha ",
    "ha ",
    "1",
    "1",
    "\n\n",
    "\n",
    " ",
    "Grü",
    "ße ",
    "世界",
    "🌏",
    "one two ",
    "- item\n",
    "a < b ",
    "`x`",
)


SEEING = {"ollama-chat": "qwen3-vl:8b"}
"""Where a picture needs a model that takes one."""
CALL = {"name": "screenshot", "arguments": {"page": "first"}}
TOO_LARGE = {
    "status": 400,
    "body": {
        "error": {"type": "invalid_request_error", "message": "media exceeds size limit: max 10485760 bytes (2013)"}
    },
}


@st.composite
def pictures(draw: Draw) -> Document:
    """Pictures of tools and users, now and then one that no provider takes."""
    image: dict[str, Any] = {"width": one_of(draw, (64, 80)), "height": 64}
    media = one_of(draw, ("png", "png", "jpeg", "gif"))
    picture = {"image": {**image, **({"media_type": media} if media != "png" else {})}}
    how = draw(st.integers(0, 5))
    answer, later = reply_to(draw), reply_to(draw, 2)
    after = turn(question(draw, 2), [{"text": later}], {"reply": later})
    if how == 0:
        said = "What does the sign say?"
        expect = {"requests": [{"at": 1, "images": 1, "contains": [said]}], "reply": answer}
        turns = [turn([{"text": said}, picture], [{"text": answer}], expect), after]
        return document("a picture of the user reaches the model", turns, model=dict(SEEING))
    if how == 1:
        calls = [CALL, {"name": "screenshot", "arguments": {"page": "second"}}][: draw(st.integers(1, 2))]
        results = [{"parts": [{"text": "the login page"}, picture]}, {"parts": [picture, {"text": "the cart"}]}]
        wanted = {"at": 2, "images": len(calls), "contains": ["the login page", "the cart"][: len(calls)]}
        turns = [turn(question(draw), [{"calls": calls}, {"text": answer}], {"requests": [wanted], "reply": answer})]
        tools = [_screenshot(results=results)]
        return document("a picture in a result reaches the model", turns, tools=tools, model=dict(SEEING))
    if how == 2:
        return _restored_picture(draw, picture, answer)
    # Of a type that no provider takes, of too many pixels, or refused by this provider
    first = turn(question(draw), [{"calls": [CALL]}, {"text": answer, "spare": True}], {"outcome": "either"})
    page = {"text": "the login page"}
    fields: dict[str, Any] = {}
    if how == 3:
        content = [{"text": "a plan of the hall"}, {"image": {**image, "media_type": "svg"}}]
    elif how == 4:
        content = [page, {"image": {"width": 1440, "height": 8570}}]
        fields = {"wires": ["anthropic-messages"]}
    else:
        content = [page, {"image": {"width": 1440, "height": 900}}]
        fields = {"wires": "first", "needs": ["images"]}
        first["model"].insert(1, {"fault": TOO_LARGE, "spare": True})
        first["expect"] = {"outcome": "either", "should": {"outcome": "reply"}}
    tools = [_screenshot(content=content)]
    return document("a picture that is not taken leaves the conversation", [first, after], tools=tools, **fields)


def _screenshot(**fields: Any) -> dict[str, Any]:
    return {"name": "screenshot", "description": "A picture of the page.", "parameters": {"page": "string"}, **fields}


def _restored_picture(draw: Draw, picture: dict[str, Any], answer: str) -> Document:
    result: dict[str, Any] = {
        "id": "call000001",
        "result": {"parts": [{"text": "There is no such link."}, picture]},
        **({"error": True} if chance(draw, 50) else {}),
    }
    history = [
        {"user": "Open the cart."},
        {"assistant": {"calls": [{"id": "call000001", **CALL}]}},
        {"tool": result},
    ]
    wanted: dict[str, Any] = {"at": 1, "images": 1, "contains": ["There is no such link."]}
    if chance(draw, 50):
        history.append({"assistant": "I could not."})
        del wanted["images"]  # an agent may leave out those of earlier answers
    turns = [turn(question(draw), [{"text": answer}], {"requests": [wanted], "reply": answer})]
    return document(
        "a picture of a restored result reaches the model",
        turns,
        tools=[_screenshot(returns="done")],
        history=history,
        model=dict(SEEING),
    )
