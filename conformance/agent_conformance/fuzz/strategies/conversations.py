"""Several turns: restarts, cancelled and killed turns, other sessions, users who allow, deny or speak meanwhile."""

from typing import Any

from hypothesis import strategies as st

from agent_conformance.fuzz.strategies.parts import (
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


@st.composite
def remembered_turns(draw: Draw) -> Document:
    """Two to five turns, some with calls; each knows what was said before, now and then after a restart."""
    kind = one_of(draw, KINDS)
    turns: list[dict[str, Any]] = []
    said: list[str] = []
    for number in range(1, draw(st.integers(2, 5)) + 1):
        user, answer = question(draw, number), reply_to(draw, number)
        calls = [call_of(kind, one_of(draw, kind.values))] if chance(draw, 50) else []
        wanted: dict[str, Any] = {"at": 1, "contains": list(said), "added": {"lacks": list(said[:1])}}
        restarts = bool(said) and chance(draw, 25)
        expect: dict[str, Any] = {"executed": [ran(call) for call in calls], "reply": answer}
        if restarts:
            expect["state"] = list(said)
        elif said:
            expect["requests"] = [wanted]
        model = [*({"calls": [call]} for call in calls), {"text": answer}]
        turns.append(turn(user, model, expect, **({"restart": True} if restarts else {})))
        said += [user, answer]
    system = {"system": "Answer in rhyme, and never name a competitor."} if chance(draw, 50) else {}
    tool = tool_of(kind, results=list(kind.results))
    return document(
        "each turn knows the turns before it",
        turns,
        tools=[tool],
        **system,
        profile="core",
    )


@st.composite
def many_short_turns(draw: Draw) -> Document:
    """Some with a call each, so that a window of messages ends anywhere."""
    kind, count = one_of(draw, KINDS), draw(st.integers(7, 25))
    answer = "Noted as <n>."
    calls = [{"calls": [call_of(kind, kind.values[0])]}] if chance(draw, 50) else []
    one = turn("My fact <n> is <n>7.", [*calls, {"text": answer}], {"reply": answer})
    return document(
        "a session of many short turns is sent whole",
        [{"repeat": [one], "times": count}],
        tools=[tool_of(kind)] if calls else [],
        profile="core",
    )


@st.composite
def cancelled_turns(draw: Draw) -> Document:
    """The user stops a turn at a request, at a tool or in the stream, and goes on."""
    kind = one_of(draw, KINDS)
    how = one_of(draw, ("request", "tool", "chunk"))
    fields: dict[str, Any] = {}
    tools: list[dict[str, Any]] = []
    if how == "tool":
        calls = [call_of(kind, value) for value in kind.values[: draw(st.integers(1, 3))]]
        model: list[dict[str, Any]] = [{"calls": calls}, {"text": "That is all.", "spare": True}]
        tools = [tool_of(kind, results=list(kind.results))]
        cancel: dict[str, Any] = {"at": "tool", "n": draw(st.integers(1, len(calls)))}
    elif how == "request":
        model, cancel = [{"text": "Once upon a time.", "spare": True}], {"at": "request"}
    else:
        model = [{"text": "Once upon a time there was a fox who wanted to see the sea."}]
        cancel, fields = {"at": "chunk", "n": draw(st.integers(1, 3))}, {"modes": ["stream"]}
    user, answer = question(draw), reply_to(draw, 2)
    after = {"restart": True} if chance(draw, 25) else {}
    expect = {"reply": answer} if after else {"reply": answer, "should": {"requests": [{"at": 1, "contains": [user]}]}}
    turns = [
        turn(user, model, {"outcome": "cancelled"}, cancel=cancel),
        turn(question(draw, 2), [{"text": answer}], expect, **after),
    ]
    return document("after a cancelled turn the conversation goes on", turns, tools=tools, **fields)


@st.composite
def killed_turns(draw: Draw) -> Document:
    """The agent is killed at a tool and started again: no call runs twice."""
    kind = one_of(draw, KINDS)
    calls = [call_of(kind, value) for value in kind.values[: draw(st.integers(1, 2))]]
    crash = {"at": "tool", "when": one_of(draw, ("before", "after")), "n": draw(st.integers(1, len(calls)))}
    user, answer = question(draw), "I do not know whether it is done."
    turns = [
        turn(user, [{"calls": calls}, {"text": "It is done.", "spare": True}], crash=crash),
        turn(question(draw, 2), [{"text": answer}], {"reply": answer, "should": {"state": [user]}}, restart=True),
    ]
    return document(
        "after a crash no call runs twice", turns, tools=[tool_of(kind, results=list(kind.results))], wires="first"
    )


@st.composite
def sessions(draw: Draw) -> Document:
    """Two users of one agent, in turn or at the same time: nobody gets what the other said."""
    kind = one_of(draw, KINDS)
    together = chance(draw, 40)
    tool = tool_of(
        kind, results=["the number is 340 for now", "the number is 12 for now"], **({"delay": 0.03} if together else {})
    )
    turns: list[dict[str, Any]] = []
    calls = [call_of(kind, kind.values[0]), call_of(kind, kind.values[1 if together else 0])]
    for name, call in zip(("Ann", "Ben"), calls, strict=True):
        answer = f"That is what {name} has."
        more: dict[str, Any] = {"session": "b"} if name == "Ben" else {}
        if together and more:
            more["together"] = True
        expect = {"executed": [ran(call)], "reply": answer}
        turns.append(turn(f"I am {name}. What is mine?", [{"calls": [call]}, {"text": answer}], expect, **more))
    for name in () if together else ("Ann", "Ben")[: draw(st.integers(0, 2))]:
        more = {"session": "b"} if name == "Ben" else {}
        answer = f"You are {name}, I think."
        expect = {"reply": answer, "requests": [{"at": 1, "contains": [f"I am {name}."]}]}
        turns.append(turn(f"Say my name, {name[0]}.", [{"text": answer}], expect, **more))
    return document("what is said in one session stays in it", turns, tools=[tool], wires="first")


@st.composite
def approvals(draw: Draw) -> Document:
    """Calls that the user allows, denies, or answers after a restart, beside calls that need no answer."""
    asks, other = some_of(draw, KINDS, 2, 2)
    calls = [call_of(asks, value) for value in asks.values[: draw(st.integers(1, 2))]]
    answers: list[Any] = [chance(draw, 50) for _ in calls]
    free = [call_of(other, other.values[0])] if chance(draw, 40) else []
    tools = [tool_of(asks, approval="ask"), *([tool_of(other)] if free else [])]
    allowed = [ran(call) for call, yes in zip(calls, answers, strict=True) if yes]
    if chance(draw, 25):
        return _pending(draw, asks.name, tools[0], calls[0])
    user, answer = question(draw), reply_to(draw)
    batch = [*free, *calls]
    advice: dict[str, Any] = {"approvals": [ran(call) for call in calls]}
    advice["executed"] = {"any_order": [*(ran(call) for call in free), *allowed]}
    expect: dict[str, Any] = {"outcome": "either", "should": advice}
    if all(answers):
        expect = {"executed": advice["executed"], "reply": answer, "should": {"approvals": advice["approvals"]}}
    elif not any(answers) and not free:
        advice["requests"] = [{"at": 2, "results": [{"blank": False}] * len(calls)}]
    given = answers[0] if len(answers) == 1 else answers
    turns = [turn(user, [{"calls": batch}, {"text": answer}], expect, approve={asks.name: given})]
    if chance(draw, 30):
        later = reply_to(draw, 2)
        again = [{"calls": [calls[0]]}, {"text": later}]
        turns.append(
            turn(question(draw, 2), again, {"executed": [ran(calls[0])], "reply": later}, approve={asks.name: True})
        )
    return document("a call runs only if the user has allowed it", turns, tools=tools, wires="first")


def _pending(draw: Draw, name: str, tool: dict[str, Any], call: dict[str, Any]) -> Document:
    allowed = chance(draw, 50)
    user, answer = question(draw), reply_to(draw, 2)
    executed = [[ran(call)], []] if allowed else [[]]
    turns = [
        turn(
            user,
            [{"calls": [call]}, {"text": "It is up to you.", "spare": True}],
            {"executed": []},
            approve={name: "pending"},
        ),
        turn(
            "I have decided.",
            [{"text": answer}],
            {"executed": {"one_of": executed}, "reply": answer, "should": {"state": [user]}},
            restart=True,
            approve={name: allowed},
        ),
    ]
    return document("a call waits for the user over a restart", turns, tools=[tool], wires="first")


@st.composite
def steered_turns(draw: Draw) -> Document:
    """The user says something while a tool runs."""
    kind = one_of(draw, KINDS)
    calls = [call_of(kind, value) for value in kind.values[: draw(st.integers(1, 2))]]
    answer = reply_to(draw, 2)
    steer = {"at": "tool", "user": "Please give it in metres.", "n": draw(st.integers(1, len(calls)))}
    more = {"restart": True} if chance(draw, 50) else {}
    turns = [
        turn(question(draw), [{"calls": calls}, {"text": "About 3.7 metres."}], steer=steer),
        turn(question(draw, 2), [{"text": answer}], {"reply": answer}, **more),
    ]
    return document(
        "what the user says meanwhile reaches the model", turns, tools=[tool_of(kind, results=list(kind.results))]
    )


@st.composite
def changed_models(draw: Draw) -> Document:
    """Another model or another provider from the second turn on."""
    kind = one_of(draw, KINDS)
    call, again = call_of(kind, kind.values[0]), call_of(kind, kind.values[1])
    answer, later = reply_to(draw), reply_to(draw, 2)
    thought = {"thinking": "The user wants the first."} if chance(draw, 70) else {}
    first = turn(
        question(draw),
        [
            {**thought, "calls": [call]},
            {**({"thinking": "That answers it."} if thought and chance(draw, 50) else {}), "text": answer},
        ],
    )
    calls = [again] if chance(draw, 50) else []
    expect = {
        "executed": [ran(one) for one in calls],
        "reply": later,
        "requests": [{"at": 1, "contains": [kind.results[0], answer]}],
        "should": {"requests": [{"at": 1, "calls": [ran(call)], "results": [kind.results[0]]}]},
    }
    model = [*({"calls": [one]} for one in calls), {"text": later}]
    fields: dict[str, Any]
    if chance(draw, 50):
        fields = {
            "model": {
                "openai-chat": "gpt-4.1",
                "anthropic-messages": "claude-sonnet-5",
                "gemini-generate": "gemini-2.5-flash",
            }
        }
        switch: dict[str, Any] = {
            "model": {
                "openai-chat": "gpt-5.4",
                "anthropic-messages": "claude-opus-4-8",
                "gemini-generate": "gemini-3-flash-preview",
            }
        }
    else:
        wires = ("anthropic-messages", "gemini-generate", "openai-responses", "openai-chat")
        fields = {"wires": list(wires[:2]), "model": {"anthropic-messages": "claude-sonnet-5"}}
        switch = {"wire": one_of(draw, wires)}
    return document(
        "after a change of the model the conversation goes on",
        [first, turn(question(draw, 2), model, expect, switch=switch)],
        tools=[tool_of(kind, results=list(kind.results))],
        **fields,
    )


@st.composite
def second_providers(draw: Draw) -> Document:
    """The first provider is overloaded, at first or after a call."""
    kind = one_of(draw, KINDS)
    call = call_of(kind, kind.values[0])
    answer = reply_to(draw)
    fault = {"fault": {"status": one_of(draw, (429, 503)), "retry_after": 0}, "forever": True}
    second = one_of(
        draw,
        (
            {"provider": "mistral", "wire": "openai-chat"},
            {"provider": "gemini", "wire": "gemini-generate"},
            {"provider": "openai", "wire": "openai-responses"},
            {"provider": "anthropic", "wire": "anthropic-messages"},
        ),
    )
    after_call = chance(draw, 50)
    calls = {"calls": [call], "until": "answered"}
    model = [calls, fault, {"text": answer}] if after_call else [fault, {"calls": [call]}, {"text": answer}]
    expect: dict[str, Any] = {"executed": [ran(call)], "reply": answer}
    if after_call:
        expect["requests"] = [{"at": 2, "contains": [kind.results[0]]}]
    return document(
        "where one provider fails, the other one is asked",
        [turn(question(draw), model, expect)],
        tools=[tool_of(kind)],
        wires=["openai-chat", "anthropic-messages"],
        fallback=second,
    )
