"""The subcommand `pairs`: write the scenarios that combine two features of a conversation, `scenarios/pairs/`.

Each is one short conversation: a call and an answer, two calls at once, a call and an answer. A feature is a change to
it, and a pair is two changes. What cannot be said together is in `UNSAID`, with the reason.
"""

import argparse
from collections.abc import Callable
from itertools import combinations

from agent_conformance.minimise import Document, yaml_text
from agent_conformance.scenario.files import bundled_scenarios
from agent_conformance.scenario.model import Scenario
from tools import pairs_in_a_turn

SUMMARY = "write the scenarios that combine two features of a conversation"
DESCRIPTION = "Write `scenarios/pairs/`: each pair of two features that can be said, in one short conversation."
EXAMPLES = """\
examples:
  ./dev python -m tools pairs"""
COMMENT = "Each works alone, and incidents come from both at once: {words}.\nWritten by `python -m tools pairs`."
COMMENT_OF_A_TURN = """\
Both act on the same turn, with sessions, another script and a restart around it.
Written by `python -m tools pairs`."""
HEAD = ("description", "profile", "wires", "modes")
SAID = "Please answer in one sentence."


def base() -> Document:
    """What has no feature yet."""
    return {
        "description": "",
        "profile": "hardened",
        "modes": "first",
        "tools": [
            {
                "name": "read_page",
                "description": "Reads a page of the log.",
                "parameters": {"page": "integer"},
                "results": ["Ships at sea", "Whales and seals", "Ice on the deck", "Storms from west"],
            }
        ],
        "conversation": [
            _turn("What is page 1 about?", [1], "Ships."),
            _turn("And pages 2 and 3?", [2, 3], "Whales and ice."),
            _turn("And page 4?", [4], "Storms."),
        ],
    }


def _turn(user: str, pages: list[int], answer: str) -> Document:
    calls = [{"name": "read_page", "arguments": {"page": page}} for page in pages]
    ran = [{"read_page": {"page": page}} for page in pages]
    return {
        "user": user,
        "model": [{"calls": calls, "until": "answered"}, {"text": answer}],
        "expect": {"executed": {"any_order": ran} if len(ran) > 1 else ran, "reply": answer},
    }


def window(document: Document) -> None:
    document["limits"] = {"context_tokens": 1200}
    page = {"repeat": "Page <n> goes on and on. ", "times": 100}
    document["tools"][0]["results"] = [{"repeat": [page], "times": 4}]


def steering(document: Document) -> None:
    middle = document["conversation"][1]
    middle["steer"] = {"at": "tool", "user": SAID}
    middle.pop("expect", None)


def cancel(document: Document) -> None:
    middle = document["conversation"][-2]
    middle["cancel"] = {"at": "tool", "n": 2}
    middle["model"] = [middle["model"][0], {"text": "Whales and ice.", "spare": True}]
    middle["model"][0].pop("until", None)
    middle["expect"] = {"outcome": "cancelled"}


def approval(document: Document) -> None:
    document["tools"][0]["approval"] = "ask"
    for turn in document["conversation"]:
        turn["approve"] = {"read_page": True}


def restart(document: Document) -> None:
    turn = document["conversation"][-1 if "switch" not in document["conversation"][-1] else -2]
    turn["restart"] = True


def switch(document: Document) -> None:
    document["wires"] = ["openai-chat"]
    document["conversation"][-1]["switch"] = {"wire": "anthropic-messages"}


def images(document: Document) -> None:
    long = "limits" in document
    said = {"repeat": "Page <n> goes on and on. ", "times": 100} if long else "Page <n>:"
    page = {"parts": [{"text": said}, {"image": {"width": 24, "height": 24}}]}
    document["tools"][0]["results"] = [{"repeat": [page], "times": 4}]
    document["needs"] = ["images"]


def fallback(document: Document) -> None:
    document["fallback"] = {"provider": "mistral", "wire": "openai-chat"}
    last = document["conversation"][-1]
    last["model"].insert(1, {"fault": {"status": 503, "retry_after": 0}, "forever": True})


def structured(document: Document) -> None:
    document["output_schema"] = {"answer": "string"}
    for turn in document["conversation"]:
        answer = turn["model"][-1]["text"]
        text = f'{{"answer": "{answer}"}}'
        spare = turn["model"][-1].get("spare")
        turn["model"][-1:] = [{"text": text, **({"spare": True} if spare else {})}, {"text": text, "spare": True}]
        if "reply" in turn.get("expect", {}):
            turn["expect"]["reply"] = {"json": {"answer": answer}}


def choice(document: Document) -> None:
    document["wires"] = ["openai-chat"]
    document["tool_choice"] = {"tool": "read_page"}


FEATURES: dict[str, tuple[str, Callable[[Document], None]]] = {
    "window": ("a full window", window),
    "steering": ("a message during the turn", steering),
    "cancel": ("a cancelled turn", cancel),
    "approval": ("calls that the user allows", approval),
    "restart": ("a restart", restart),
    "switch": ("another provider", switch),
    "images": ("pictures in results", images),
    "fallback": ("a second provider", fallback),
    "schema": ("an answer of a schema", structured),
    "choice": ("a forced tool", choice),
}
UNSAID = {("switch", "fallback"): "each names another provider, and who is asked is then the agent's choice"}
"""Pairs that the format refuses, and why."""


def pair(one: str, other: str) -> tuple[Document, str]:
    """The document with these two features, and its comment."""
    document = base()
    if (one, other) == ("steering", "cancel"):  # `cancel` ends the turn in which the message would be said
        document["conversation"].insert(1, _turn("Is there a page 0?", [0], "No."))
    words = f"{FEATURES[one][0]} and {FEATURES[other][0]}"
    for name in sorted((one, other), key=["schema", "fallback", "switch", *FEATURES].index):
        FEATURES[name][1](document)
    document["description"] = f"{words} go together"
    return _in_order(document), COMMENT.format(words=words)


def _in_order(document: Document) -> Document:
    names = sorted((name for name in Scenario.__struct_fields__ if name in document), key=lambda name: name not in HEAD)
    return {name: document[name] for name in names}


def files() -> dict[str, str]:
    """The text of each file by its name."""
    said = [names for names in combinations(FEATURES, 2) if names not in UNSAID]
    between = {f"{one}-and-{other}.yaml": yaml_text(*pair(one, other)) for one, other in said}
    within = {
        f"{one}-with-{other}.yaml": yaml_text(_in_order(pairs_in_a_turn.pair(one, other)), COMMENT_OF_A_TURN)
        for one, other in pairs_in_a_turn.said()
    }
    return between | within


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """None."""


def run(options: argparse.Namespace) -> int:
    folder = bundled_scenarios() / "pairs"
    folder.mkdir(exist_ok=True)
    for name, text in files().items():
        (folder / name).write_text(text, encoding="utf-8")
    return 0
