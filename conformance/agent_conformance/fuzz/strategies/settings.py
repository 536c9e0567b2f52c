"""What a setup may ask for or limit: windows and context limits, a forced tool, a schema of the answer, server tools,
half characters, other providers of a wire.
"""

import json
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
    tool_of,
    turn,
)
from agent_conformance.minimise.documents import Document

LOG = "worker 7: retry of part 12 of the upload "


@st.composite
def pruned_turns(draw: Draw) -> Document:
    """A context limit, and results, answers or a history that are longer."""
    tokens = one_of(draw, (800, 900, 1000, 1200))
    count = draw(st.integers(3, 9))
    words = ("one ", "two ", "three ", "four ", "five ", "six ", "seven ", "eight ", "nine ")
    results = [
        {"repeat": words[place], "times": one_of(draw, (130, 160, 200, 240, 320, 400))} for place in range(count)
    ]
    tool = {
        "name": "read_page",
        "description": "Reads one page of the report.",
        "parameters": {"number": "integer"},
        "results": results,
    }
    calls = [{"name": "read_page", "arguments": {"number": number}} for number in range(1, count + 1)]
    size = one_of(draw, (1, 1, 2, 3))
    batches = [calls[start : start + size] for start in range(0, count, size)]
    fields: dict[str, Any] = {"system": "Answer in rhyme, and never name a competitor."} if chance(draw, 50) else {}
    if chance(draw, 35):
        fields["history"] = _long_history(draw)
    user = f"Read the {count} pages of the report, please."
    if chance(draw, 35):
        # One call a turn, with a long answer; the last turn is checked.
        turns = []
        for number, call in enumerate(calls[:4], 1):
            is_last = number == len(calls[:4])
            answer: Any = reply_to(draw, number) if is_last else {"repeat": f"Page {number} is long. ", "times": 90}
            wanted = {"at": "each", "size": {"max": 2 * tokens}}
            expect = {"executed": [ran(call)], "reply": answer, "requests": [wanted]} if is_last else None
            turns.append(turn(question(draw, number), [{"calls": [call]}, {"text": answer}], expect))
        return document(
            "turns are pruned between them as a whole", turns, tools=[tool], limits={"context_tokens": tokens}, **fields
        )
    answer = reply_to(draw)
    wanted = {"at": "each", "contains": ["Read the"], "size": {"max": 2 * tokens}}
    model = [*({"calls": batch} for batch in batches), {"text": answer}]
    return document(
        "a long turn is pruned to whole groups that keep the user's message",
        [turn(user, model, {"reply": answer, "requests": [wanted]})],
        tools=[tool],
        limits={"context_tokens": tokens},
        **fields,
    )


def _long_history(draw: Draw) -> list[dict[str, Any]]:
    if chance(draw, 50):
        call = {"id": "call_a", "name": "read_page", "arguments": {"number": 70}}
        return [
            {"user": "Read page 70."},
            {"assistant": {"calls": [call]}},
            {"tool": {"id": "call_a", "result": {"repeat": "rowan ", "times": 1000}}},
            {"assistant": "It is about a tree."},
        ]
    return [
        {"user": "The original prompt."},
        {"assistant": {"repeat": "x", "times": 2000}},
        {"user": {"repeat": "y", "times": 2000}},
        {"assistant": {"repeat": "z", "times": 2000}},
    ]


@st.composite
def long_messages(draw: Draw) -> Document:
    """A message that is longer than the limit, or a long one where there is none."""
    if chance(draw, 50):
        user: Any = {"repeat": LOG, "times": 400}
        turns = [
            turn("Say hello.", [{"text": "Hello."}]),
            turn(
                user,
                [{"text": "The upload was retried.", "spare": True}],
                {"outcome": "either", "requests": [{"at": "each", "size": {"max": 2000}}]},
            ),
        ]
        return document("a message that is longer than the limit is cut", turns, limits={"context_tokens": 1000})
    text = {"repeat": "Please read it with the greatest care;", "times": one_of(draw, (30, 60, 200))}
    answer = reply_to(draw)
    expect = {"reply": answer, "requests": [{"at": "each", "contains": [text]}]}
    return document("a long message is sent whole", [turn(text, [{"text": answer}], expect)])


WINDOW_WORDS: tuple[dict[str, Any] | None, ...] = (
    None,
    None,
    None,
    {
        "status": 400,
        "body": {
            "error": {
                "message": "Input length 51313 exceeds the maximum allowed input length of 40000 tokens.",
                "code": 400,
            }
        },
    },
    {"status": 400, "body": {"error": {"message": "tokens in request more than max tokens allowed", "code": "1210"}}},
    {"status": 400, "body": {"error": {"message": "Prompt exceeds max length", "code": "1261"}}},
    {
        "status": 400,
        "body": {"error": {"message": "Your request exceeded model token limit: 40000 (requested: 51313)"}},
    },
    {"status": 413, "body": "<html><head><title>413 Request Entity Too Large</title></head><body>413</body></html>"},
)


@st.composite
def full_windows(draw: Draw) -> Document:
    """A window that nobody has told the agent of, and a result or several turns that are larger."""
    words = one_of(draw, WINDOW_WORDS)
    window: dict[str, Any] = {"tokens": 40000, **({"words": words} if words else {})}
    several = chance(draw, 50)
    tool = {
        "name": "read_log",
        "description": "Reads the log of a job.",
        "parameters": {"job": "string"},
        "returns": {"repeat": LOG, "times": 1500 if several else 5000},
    }
    turns = []
    for number in range(1, 4 if several else 2):
        call = {"name": "read_log", "arguments": {"job": str(number)}}
        expect: dict[str, Any] = {"outcome": "either"}
        if not several:
            expect["executed"] = [ran(call)]
        elif number == 3:
            expect["should"] = {"executed": [ran(call)]}
        model = [{"calls": [call]}, {"text": reply_to(draw, number), "spare": True}]
        turns.append(turn(question(draw, number), model, expect))
    fields: dict[str, Any] = {"wires": ["openai-chat"]} if words else {}
    return document("what is too long for the window becomes shorter", turns, tools=[tool], window=window, **fields)


@st.composite
def truncating_windows(draw: Draw) -> Document:
    tokens, times = one_of(draw, ((4096, 1000), (16000, 600)))
    call = {"name": "read_log", "arguments": {"job": "42"}}
    tool = {
        "name": "read_log",
        "description": "Reads the log of a job.",
        "parameters": {"job": "string"},
        "returns": {"repeat": LOG, "times": times},
    }
    answer = reply_to(draw)
    return document(
        "the server keeps all that is sent",
        [turn(question(draw), [{"calls": [call]}, {"text": answer}], {"executed": [ran(call)], "reply": answer})],
        tools=[tool],
        wires=["ollama-chat"],
        limits={"context_tokens": tokens},
        window={"tokens": 4096, "how": "truncate"},
    )


@st.composite
def chosen_tools(draw: Draw) -> Document:
    """A tool that the setup forces, or calls that it forbids."""
    kind, other = KINDS[draw(st.integers(0, 2))], KINDS[draw(st.integers(3, 5))]
    answer = reply_to(draw)
    if chance(draw, 25):
        return document(
            "where calls are forbidden, none is made",
            [turn(question(draw), [{"text": answer}], {"executed": [], "reply": answer})],
            tools=[tool_of(kind)],
            tool_choice="none",
        )
    call, then = call_of(kind, kind.values[0]), call_of(other, other.values[0])
    calls = [call, then] if chance(draw, 40) else [call]
    expect = {"executed": [ran(one) for one in calls], "reply": answer}
    fields: dict[str, Any] = {"wires": ["openai-chat", "openai-responses", "anthropic-messages", "gemini-generate"]}
    if chance(draw, 20):
        fields = {"wires": ["openai-chat"], "providers": ["deepseek"]}
    return document(
        "a forced tool is forced once",
        [turn(question(draw), [*({"calls": [one]} for one in calls), {"text": answer}], expect)],
        tools=[tool_of(kind), tool_of(other)],
        tool_choice=one_of(draw, ({"tool": kind.name}, "required")),
        **fields,
    )


@st.composite
def shaped_answers(draw: Draw) -> Document:
    """An answer of a schema, with or without a call before it."""
    kind = one_of(draw, KINDS)
    calls = [call_of(kind, kind.values[0])] if chance(draw, 70) else []
    value = {"place_name": "Oslo", "temperature_celsius": draw(st.integers(-9, 30))}
    text = json.dumps(value)
    fields: dict[str, Any] = {}
    if chance(draw, 25):
        fields = {"wires": ["gemini-generate"], "model": {"gemini-generate": "gemini-2.5-flash"}}
    expect = {"executed": [ran(call) for call in calls], "reply": {"json": value}}
    model = [*({"calls": [call]} for call in calls), {"text": text}, {"text": text, "spare": True}]
    return document(
        "an answer has its schema, and calls come before it",
        [turn(question(draw), model, expect)],
        tools=[tool_of(kind)],
        output_schema={"place_name": "string", "temperature_celsius": "integer"},
        **fields,
    )


@st.composite
def paused_turns(draw: Draw) -> Document:
    """A tool that the provider runs itself, in turns that it pauses."""
    answer = "It is 7 degrees and raining in Oslo."
    open_call = {"name": "web_search", "arguments": {"query": "weather in Oslo"}}
    how = draw(st.integers(0, 2))
    fields: dict[str, Any] = {"server_tools": ["web_search"]}
    if how == 0:
        closed = {**open_call, "result": "Norway"}
        resumed = {**open_call, "result": "Oslo: 7 degrees, rain"}
        first, second = one_of(
            draw, ((open_call, {"name": "web_search", "result": "Oslo: 7 degrees, rain"}), (closed, resumed))
        )
        model: list[dict[str, Any]] = [
            {"text": "I will look it up.", "server_calls": [first], "finish": "pause"},
            {"server_calls": [second], "text": answer},
        ]
        expect: dict[str, Any] = {"request_count": {"min": 2}, "reply": {"contains": [answer]}}
        turns = [turn(question(draw), model, expect)]
    elif how == 1:
        call = open_call if chance(draw, 50) else {**open_call, "result": "Norway"}
        fields["limits"] = {"requests": draw(st.integers(1, 3))}
        model = [{"text": "I will look.", "server_calls": [call], "finish": "pause", "forever": True}]
        turns = [turn(question(draw), model, {"outcome": "either"})]
    else:
        fields["limits"] = {"context_tokens": 1200}
        turns = []
        for number, city in enumerate(("Oslo", "Rome", "Lima"), 1):
            found = {"repeat": f"Rain in {city}. ", "times": 120}
            call = {"name": "web_search", "arguments": {"query": city}, "result": found}
            text = f"It rains in {city}."
            model = [{"server_calls": [call], "text": text}]
            turns.append(turn(question(draw, number), model, {"reply": {"contains": [text]}}))
    return document("a turn that the provider pauses goes on", turns, **fields)


@st.composite
def half_characters(draw: Draw) -> Document:
    """A text that was cut in the middle of its last character, or long texts of such characters."""
    tool: dict[str, Any] = {"name": "read_chat", "description": "The messages of a chat.", "parameters": {}}
    call = {"name": "read_chat", "arguments": {}}
    answer, later = reply_to(draw), reply_to(draw, 2)
    after = turn(question(draw, 2), [{"text": later}], {"reply": later})
    first: dict[str, Any] = {"requests": [{"at": 2, "contains": ["See you in Oslo"]}], "reply": answer}
    fields: dict[str, Any] = {"wires": ["anthropic-messages"]}
    if chance(draw, 40):
        text, times = one_of(draw, (("😀", 20000), ("a😀😀😀", 5000), ("ab😀", 8000)))
        tool["results"] = [{"repeat": text, "times": times}, "done"]
        fields["limits"] = {"context_tokens": 4000}
        first = {"executed": [ran(call)], "requests": [{"at": "each", "size": {"max": 4000}}], "reply": answer}
    else:
        tool["returns"] = {"half": f"See you in Oslo {one_of(draw, ('😀', '🔥'))}"}
    turns = [turn(question(draw), [{"calls": [call]}, {"text": answer}], first), after]
    return document("half a character does not reach the provider", turns, tools=[tool], **fields)


OTHERS = (
    ("openai-chat", "mistral"),
    ("openai-chat", "groq"),
    ("openai-chat", "deepseek"),
    ("openai-chat", "openrouter"),
    ("openai-chat", "gemini"),
    ("openai-chat", "ollama"),
    ("openai-chat", "azure"),
)


@st.composite
def other_providers(draw: Draw) -> Document:
    """Calls and results on a wire that several providers speak."""
    wire, provider = one_of(draw, OTHERS)
    kind = one_of(draw, KINDS)
    calls = [call_of(kind, value) for value in kind.values[: draw(st.integers(1, 2))]]
    answer, later = reply_to(draw), reply_to(draw, 2)
    turns = [turn(question(draw), [{"calls": calls}, {"text": answer}], {"reply": answer})]
    if chance(draw, 60):
        turns.append(turn(question(draw, 2), [{"text": later}], {"reply": later}))
    return document(
        "calls and results go to any provider of the wire",
        turns,
        tools=[tool_of(kind, results=list(kind.results))],
        wires=[wire],
        providers=[provider],
    )
