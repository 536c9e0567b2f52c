"""Calls under unknown, near and ambiguous names, with ids that say nothing, and for ever."""

from typing import Any

from hypothesis import strategies as st

from agent_conformance.fuzz.strategies.parts import (
    CORRECTED,
    KINDS,
    Draw,
    call_of,
    chance,
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

GHOSTS = (
    "nonexistent_tool",
    "list_collections",
    "ghost",
    "Analyze competitor pricing strategies",
    "mcp:server.tool",
    "ghost_" * 40,
    "final_answer",
    "werkzeug_für_alles",
)
NEAR = (
    "default_api.{name}",
    "functions.{name}",
    "mcp__server__{name}",
    "{title}",
    "{dashes}",
    "{name}<|channel|>commentary",
)
"""Names under which models call the tool `name`; to run it is right, and so is to say that there is none."""


def misspelled(draw: Draw, name: str) -> str:
    """With one letter left out, or two of them exchanged."""
    place = draw(st.integers(1, len(name) - 2))
    if name[place] != name[place + 1] and chance(draw, 50):
        return name[:place] + name[place + 1] + name[place] + name[place + 2 :]
    return name[:place] + name[place + 1 :]


@st.composite
def unknown_names(draw: Draw) -> Document:
    """One to three calls of what does not exist, alone or in a batch with a right one, then the right call."""
    kind = one_of(draw, KINDS)
    right = call_of(kind, kind.values[0])
    wrong: list[dict[str, Any]] = [
        {
            "name": misspelled(draw, kind.name) if chance(draw, 40) else one_of(draw, GHOSTS),
            "arguments": {kind.parameter: kind.values[1]},
        }
        for _ in range(draw(st.integers(1, 3)))
    ]
    answer = reply_to(draw)
    if chance(draw, 35):
        place = draw(st.integers(0, len(wrong)))
        batch = [*wrong[:place], right, *wrong[place:]]
        results = [{"blank": False}] * len(batch)
        model: list[dict[str, Any]] = [{"calls": batch}]
        requests: list[dict[str, Any]] = [{"at": 2, "contains": [kind.results[0]], "results": results}]
    else:
        model = [{"calls": [call]} for call in wrong] + [{"calls": [right]}]
        requests = [{"at": place + 2, "added": {"blank": False}} for place in range(len(wrong))]
    advice = {"requests": [{"at": 2, "added": {"contains": [*_listable(wrong[0]["name"]), kind.name]}}]}
    is_batch = len(model) == 1
    expect = {
        "executed": [ran(right)],
        "reply": answer,
        "requests": requests,
        **({} if is_batch else {"should": advice}),
    }
    more = {"observer": True} if chance(draw, 30) else {}
    return document(
        "an unknown name is answered, and the turn goes on",
        [turn(question(draw), [*model, {"text": answer}], expect, **more)],
        tools=[tool_of(kind)],
    )


def _listable(name: str) -> list[str]:
    """A name that an agent can write as it is."""
    return [name] if name.isidentifier() and name.isascii() and len(name) < 64 else []


@st.composite
def only_unknown_names(draw: Draw) -> Document:
    """Nothing but unknown names: once, some times or for ever, the same or another one each time."""
    kind = one_of(draw, KINDS)
    tools = [tool_of(kind), *(tool_of(other) for other in KINDS if other is not kind and chance(draw, 15))]
    call: dict[str, Any] = {"name": one_of(draw, GHOSTS[:3]), "arguments": {kind.parameter: kind.values[0]}}
    if chance(draw, 50):
        how: dict[str, Any] = one_of(draw, ({"forever": True}, {"times": 5}, {"times": 8}))
        if chance(draw, 40):
            call["numbered"] = True
        model: list[dict[str, Any]] = [{"calls": [call], **how}]
        if "forever" not in how:
            model.append({"text": "I cannot find out.", "spare": True})
        expect: dict[str, Any] = {"executed": [], "outcome": "either", "should": {"request_count": {"max": 10}}}
        if how == {"times": 5}:
            expect["should"] = {"outcome": "reply"}
    else:
        batch = [call] * 1 + [{**call, "name": "ghost_two"}] * draw(st.integers(0, 1))
        model = [{"calls": batch}, {"text": "I cannot find out."}]
        expect = {"executed": [], "reply": "I cannot find out.", "requests": [CORRECTED]}
        names = [one["name"] for one in batch] + [tool["name"] for tool in tools]
        expect["should"] = {"requests": [{"at": 2, "added": {"contains": names if len(batch) == 1 else names[:2]}}]}
    return document(
        "where the model invents names, no tool runs and the turn ends",
        [turn(question(draw), model, expect)],
        tools=tools,
    )


@st.composite
def near_names(draw: Draw) -> Document:
    """A name that is nearly that of one tool, or of two."""
    kind = one_of(draw, KINDS)
    written = one_of(draw, NEAR).format(
        name=kind.name,
        title="_".join(part.title() for part in kind.name.split("_")),
        dashes=kind.name.replace("_", "-"),
    )
    right = call_of(kind, kind.values[0])
    answer = reply_to(draw)
    expect = {
        "executed": {"one_of": [[ran(right)], [ran(right), ran(right)]]},
        "reply": answer,
        "requests": [CORRECTED],
    }
    model = [{"calls": [{**right, "name": written, "may_run": [kind.name]}]}, {"calls": [right]}, {"text": answer}]
    return document(
        "a name that is nearly right is run or answered",
        [turn(question(draw), model, expect)],
        tools=[tool_of(kind)],
    )


@st.composite
def names_of_others(draw: Draw) -> Document:
    """The model calls what two tools end in, or what begins, ends or contains the name of another tool."""
    verb = one_of(draw, ("delete", "search", "open"))
    names = draw(
        st.sampled_from(
            ((f"mail_{verb}", f"file_{verb}"), (verb, f"web_{verb}", f"{verb}_web"), (f"{verb}.it", f"{verb}_it"))
        )
    )
    tools = [
        {
            "name": name,
            "description": f"Does what is called {verb}, in place {place}.",
            "parameters": {"id": "string"},
            "returns": f"done in place {place}",
        }
        for place, name in enumerate(names, 1)
    ]
    answer = reply_to(draw)
    if verb in names or "." in names[0]:
        place = draw(st.integers(0, len(names) - 1))
        call = {"name": names[place], "arguments": {"id": "7"}}
        expect: dict[str, Any] = {"executed": [ran(call)], "reply": answer}
        expect["requests"] = [{"at": 2, "results": [f"done in place {place + 1}"]}]
    else:
        call = {"name": verb, "arguments": {"id": "7"}}
        expect = {"executed": [], "reply": answer, "requests": [CORRECTED]}
    return document(
        "a tool runs under its own name, whatever others are called",
        [turn(question(draw), [{"calls": [call]}, {"text": answer}], expect)],
        tools=tools,
    )


@st.composite
def disabled_tools(draw: Draw) -> Document:
    """A disabled tool is called, by its name or an alias, beside one that is enabled."""
    kind, other = some_of(draw, KINDS, 2, 2)
    name = one_of(draw, ("{}", "{}", "default_api.{}", "functions.{}")).format(other.name)
    right = call_of(kind, kind.values[0])
    answer = reply_to(draw)
    model = [
        {"calls": [{"name": name, "arguments": {other.parameter: other.values[0]}}]},
        {"calls": [right]},
        {"text": answer},
    ]
    expect = {
        "executed": [ran(right)],
        "reply": answer,
        "requests": [{"at": "each", "tools": [kind.name], "lacks_tools": [other.name]}, CORRECTED],
    }
    return document(
        "a disabled tool is not offered and does not run",
        [turn(question(draw), model, expect)],
        tools=[tool_of(kind), tool_of(other, enabled=False)],
    )


@st.composite
def nameless_calls(draw: Draw) -> Document:
    kind = one_of(draw, KINDS)
    model = [
        {"calls": [{"name": "", "arguments": {kind.parameter: kind.values[0]}}]},
        {"text": "I cannot find out.", "spare": True},
    ]
    return document(
        "a call without a name runs nothing",
        [turn(question(draw), model, {"executed": [], "outcome": "either"})],
        wires=["openai-chat", "openai-responses"],
        tools=[tool_of(kind)],
    )


@st.composite
def odd_ids(draw: Draw) -> Document:
    """Calls of one reply with blank, missing or equal ids, or an id that a later turn uses again."""
    kind = one_of(draw, KINDS)
    first, second = (call_of(kind, value) for value in kind.values[:2])
    tool = tool_of(kind, results=list(kind.results))
    answer = reply_to(draw)
    how = one_of(draw, ("none", "equal", "blank", "again"))
    advice: dict[str, Any] = {"executed": {"any_order": [ran(first), ran(second)]}}
    if how == "again":
        turns = [
            turn(question(draw), [{"calls": [{"id": "call00000", **first}]}, {"text": answer}], {"reply": answer}),
            turn(
                question(draw, 2),
                [{"calls": [{"id": "call00000", **second}]}, {"text": reply_to(draw, 2)}],
                {"outcome": "either", "should": {"requests": [{"at": 2, "results": [kind.results[1]]}]}},
            ),
        ]
        return document("an id of an earlier turn is a new call", turns, tools=[tool])
    id = {"none": None, "equal": "dup000001", "blank": ""}[how]
    model: list[dict[str, Any]] = [{"calls": [{"id": id, **first}, {"id": id, **second}]}, {"text": answer}]
    if how == "equal":
        model[1]["times"] = 2
        advice["requests"] = [{"at": 2, "results": [kind.results[0]] * 2}]
        tool = tool_of(kind)
    return document(
        "calls whose ids say nothing are two calls",
        [turn(question(draw), model, {"outcome": "either", "should": advice})],
        tools=[tool],
        **({"wires": ["openai-chat"]} if how == "blank" else {}),
    )


@st.composite
def loops(draw: Draw) -> Document:
    """The same call for ever, with a limit or without, or the same call with another result each time."""
    kind = one_of(draw, KINDS)
    call = call_of(kind, kind.values[0])
    if chance(draw, 60):
        results = ["it is queued", "it runs now", "nearly done", "done at noon"][: draw(st.integers(2, 4))]
        answer = reply_to(draw)
        expect = {
            "executed": [ran(call)] * len(results),
            "reply": answer,
            "requests": [{"at": "last", "contains": results[-1:]}],
        }
        model = [{"calls": [call]} for _ in results] + [{"text": answer}]
        return document(
            "an equal call with another result is no loop",
            [turn(question(draw), model, expect)],
            tools=[tool_of(kind, results=results)],
            profile="core",
        )
    limits = {"limits": {"requests": draw(st.integers(3, 7))}} if chance(draw, 50) else {}
    return document(
        "a model that never stops is stopped",
        [turn(question(draw), [{"calls": [call], "forever": True}], {"outcome": "either"})],
        tools=[tool_of(kind)],
        **limits,
    )
