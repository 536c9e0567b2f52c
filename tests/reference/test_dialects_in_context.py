"""Each dialect around, within and before other text: what is a call, what is prose, and what is cut off."""

import json
from itertools import product
from typing import Any

from texts_of_models import LIFTED, NAMES, OSLO

from agent_conformance.agents.reference.pseudo_calls import Rules, StreamFilter, read_text
from tests.tables import rows

Read = tuple[list[tuple[str, dict[str, Any]]], str, tuple[str, ...]]
"""The calls, what is shown, and the names that are rejected."""

WEATHER = '{"city": "Oslo"}'
ALL = sorted(LIFTED)

RUN_TO_THE_END = {
    *("hermes, never closed", "python tag", "flower", "react", "react, numbered", "action, and an observation"),
}
"""What follows the call belongs to it, or is invented."""

LEAD_THE_ANSWER = {"bare JSON", "bare array", "bare function", "envelope"}
"""Anywhere else they are data."""

END_THE_ANSWER = {"fence of JSON", "plain fence"}
"""With text after it, a fence of JSON is a file that is shown."""

FOLLOWED_BY_A_TOKEN = {"functionary", "functionary, roomy", "functionary, marker in the prompt"}
"""The token that ends the message is removed where it ends the message."""

OF_OFFERED_TOOLS = {
    *("pythonic", "python list", "fence of JSON", "plain fence", "bare JSON", "bare array", "bare function"),
    *("calling", "bracket call", "label", "replayed", "named block", "named block, request", "element"),
    *("default API", "default API, its word before it"),
}
"""Other texts have the same form: only the name of an offered tool makes it a call."""

TALKED_ABOUT = {
    *("hermes", "hermes, arguments first", "hermes, text within text", "hermes, closed by another", "hermes, lines"),
    *("hermes, wrapped twice", "hermes, words in the tag", "hermes, other keys", "array in the tag", "hyphen"),
    *("capitals", "functioncall", "name attribute", "function name", "function name, elements", "nested name"),
    *("key and value", "attributes", "python in the tag", "minimax", "invoke", "bare invoke", "longcat", "DSML"),
    *("function attribute", "call tool", "tool name", "code lines", "shorthand", "element", "react", "cohere 2"),
    *("fence", "fence with the name", "fence of JSON", "plain fence", "tilde fence", "arrow, no brackets"),
    *("bare JSON", "bare array", "bare function", "envelope", "default API", "action, and an observation"),
}
"""Within a sentence they are words of it: tags, and what has to begin a line or the answer."""

HIDDEN_FROM_THE_START = set(ALL) - {
    *("tools", "function attribute", "call tool", "tool name", "pythonic", "python list", "envelope", "bare function"),
    *("named block", "named block, request"),
}
"""They begin with something that nothing else has, so half a call is not shown."""


def read(text: str, names: frozenset[str] = NAMES) -> Read:
    reading = read_text(text, names, Rules())
    return [(call.name, dict(call.arguments)) for call in reading.calls], reading.shown, reading.rejected


def as_prose(text: str) -> Read:
    return [], text, ()


@rows("name", sorted({*ALL} - RUN_TO_THE_END - LEAD_THE_ANSWER - END_THE_ANSWER - FOLLOWED_BY_A_TOKEN))
def test_text_before_and_after_a_call_is_shown(name: str) -> None:
    calls, shown, rejected = read(f"I look.\n{LIFTED[name]}\nDone.")

    assert (calls, shown.split(), rejected) == (OSLO, ["I", "look.", "Done."], ())


@rows("name", sorted(RUN_TO_THE_END))
def test_text_after_what_has_no_end_is_not_shown(name: str) -> None:
    assert read(f"I look.\n{LIFTED[name]}\nDone.") == (OSLO, "I look.", ())


@rows("name", sorted(LEAD_THE_ANSWER))
def test_json_after_words_is_data(name: str) -> None:
    text = f"I look.\n{LIFTED[name]}\nDone."

    assert read(text) == as_prose(text)
    assert read(f"\n {LIFTED[name]} \nDone.") == (OSLO, "Done.", ())


@rows("name", sorted(END_THE_ANSWER))
def test_fence_of_json_is_a_call_at_the_end(name: str) -> None:
    before, after = f"I look.\n{LIFTED[name]}\n", f"I look.\n{LIFTED[name]}\nDone."

    assert read(before) == (OSLO, "I look.", ())
    assert read(after) == as_prose(after)


@rows("name", sorted(TALKED_ABOUT))
def test_call_within_a_sentence_is_talked_about(name: str) -> None:
    text = f"Write {LIFTED[name]} to call it."

    assert read(text) == as_prose(text)


@rows("name", ALL)
def test_call_in_a_fence_is_code(name: str) -> None:
    text = f"Like this:\n\n````text\n{LIFTED[name]}\n````\nDone."

    assert read(text) == as_prose(text)


@rows("name", ALL)
def test_call_in_a_block_quote_is_quoted(name: str) -> None:
    quoted = LIFTED[name].replace("\n", "\n> ")
    text = f"> {quoted}\nDone."

    assert read(text) == as_prose(text)


@rows("name", [name for name in ALL if not {"\n", "`"} & set(LIFTED[name])])
def test_call_between_backticks_is_code(name: str) -> None:
    text = f"Write `{LIFTED[name]}` here."

    assert read(text) == as_prose(text)


@rows("word, name", [("For example", "hermes"), ("A sample", "hermes"), ("比如", "hermes"), *product(["E.g."], ALL)])
def test_call_after_the_word_example_is_shown(word: str, name: str) -> None:
    if name in FOLLOWED_BY_A_TOKEN or name == "react, numbered":
        return
    text = f"{word}:\n{LIFTED[name]}"

    assert read(text) == as_prose(text)


@rows("name", sorted({*ALL} - RUN_TO_THE_END - FOLLOWED_BY_A_TOKEN))
def test_call_before_the_word_example_is_shown(name: str) -> None:
    text = f"{LIFTED[name]}\nThis is an example."

    assert read(text) == as_prose(text)


@rows("name", sorted({*ALL} - RUN_TO_THE_END - END_THE_ANSWER - FOLLOWED_BY_A_TOKEN | {"flower"}))
def test_two_calls_are_read_in_order(name: str) -> None:
    calls, shown, rejected = read(LIFTED[name] + "\n" + LIFTED[name].replace("Oslo", "Rome"))

    assert (calls, shown, rejected) == ([*OSLO, ("get_weather", {"city": "Rome"})], "", ())


@rows("name", sorted({*ALL} - OF_OFFERED_TOOLS - {"envelope"}))
def test_call_of_an_unknown_tool_is_rejected_by_its_name(name: str) -> None:
    assert read(LIFTED[name].replace("get_weather", "ghost")) == ([], "", ("ghost",))


@rows("name", sorted(OF_OFFERED_TOOLS))
def test_same_form_without_an_offered_tool_is_text(name: str) -> None:
    text = LIFTED[name].replace("get_weather", "ghost")

    assert read(text) == as_prose(text)


PREFIXED = {*ALL} - OF_OFFERED_TOOLS - {"envelope"}


@rows("name", sorted(name for name in PREFIXED if not {"functions.", "default_api"} & set(LIFTED[name].split("get_w"))))
def test_prefix_of_the_name_stays_for_the_agent_to_resolve(name: str) -> None:
    if "functions." in LIFTED[name] or "default_api" in LIFTED[name]:
        return
    calls, shown, rejected = read(LIFTED[name].replace("get_weather", "functions.get_weather"))

    assert (calls, shown, rejected) == ([("functions.get_weather", {"city": "Oslo"})], "", ())


ARGUMENTS = {
    "none": {},
    "two": {"city": "Oslo", "days": 3},
    "of all types": {"where": {"city": "Oslo"}, "tags": ["a", "b"], "none": None, "ok": True, "no": False, "part": 1.5},
    "with marks": {"city": '<b> ``` }] {"x": 1} [/b] \n\t "y" \\ é漢'},
}
WITH_JSON = [name for name in ALL if WEATHER in LIFTED[name].replace('":"', '": "')]


@rows("arguments, name", list(product(ARGUMENTS, WITH_JSON)))
def test_arguments_in_json_are_read_as_they_are(arguments: str, name: str) -> None:
    given = ARGUMENTS[arguments]
    text = LIFTED[name].replace('":"', '": "').replace(WEATHER, json.dumps(given, ensure_ascii=False))

    assert read(text) == ([("get_weather", given)], "", ())


VALUES = ("two words", "a<b & c>d", "7", "true", "null", "é漢")
AS_TEXTS = [name for name in ALL if '"Oslo"}' not in LIFTED[name] and '\\"Oslo\\"' not in LIFTED[name]]


@rows("value, name", list(product(VALUES, AS_TEXTS)))
def test_argument_that_is_a_text_stays_a_text(value: str, name: str) -> None:
    assert read(LIFTED[name].replace("Oslo", value)) == ([("get_weather", {"city": value})], "", ())


@rows("name", ALL)
def test_call_that_is_cut_off_never_runs_with_less(name: str) -> None:
    for end in range(len(LIFTED[name])):
        calls, _, _ = read(LIFTED[name][:end])
        assert calls in ([], OSLO), LIFTED[name][:end]


@rows("name", sorted(HIDDEN_FROM_THE_START))
def test_call_that_is_cut_off_is_not_shown_and_is_reported(name: str) -> None:
    text = LIFTED[name]
    for end in range(text.index("Oslo") + 1, len(text)):
        calls, shown, rejected = read(text[:end])
        assert shown in text[text.index("Oslo") + len("Oslo") :], text[:end]
        assert calls or rejected, text[:end]


@rows("before, name", list(product(["", "I look.\n"], ALL)))
def test_nothing_of_a_call_is_in_a_delta_wherever_the_stream_is_cut(before: str, name: str) -> None:
    text = before + LIFTED[name]
    _, shown, _ = read(text)

    for size in (1, 2, 5, 11):
        screen = StreamFilter(NAMES, Rules())
        deltas = [screen.feed(text[at : at + size]) for at in range(0, len(text), size)]
        assert shown.startswith("".join(deltas).strip()), deltas
        assert "".join([*deltas, screen.finish(shown)]).split() == shown.split()
