"""The pairs of two features that act on the same turn, for `tools/pairs.py`, which writes them.

The conversation has what most bugs of such a turn need around it: a system prompt, another script, another session that
goes on after it, and a restart. The turn is one call, then two at once, then an answer.
"""

from collections.abc import Callable
from itertools import combinations

from agent_conformance.minimise import Document

SYSTEM = "You keep the log of the ship Maud."
TURN = 2
"""The place of the turn in the conversation."""
ANSWER = "Ice, storms and calm."


def base() -> Document:
    """What has no feature yet."""
    return {
        "description": "",
        "profile": "hardened",
        "modes": "first",
        "system": SYSTEM,
        "tools": [
            {
                "name": "read_page",
                "description": "Reads a page of the log.",
                "parameters": {"page": "integer"},
                "results": [
                    {"repeat": [{"part": "<n>", "about": ["σχεδία", '<ice> & "fog"']}, "Ships in part <n>"], "times": 4}
                ],
            }
        ],
        "conversation": [
            _turn("Τι λέει η σελίδα 1;", 1, "Ships."),
            {**_turn("What is on page 51?", 51, "Whales."), "session": "night"},
            {
                "user": "Read page 2, and then 3 and 4 at once.",
                "model": [
                    {"calls": [_call(2)], "until": "answered"},
                    {"calls": [_call(3), _call(4)], "until": "answered"},
                    {"text": ANSWER},
                ],
                "expect": {"reply": ANSWER},
            },
            _turn("Και η σελίδα 5;", 5, "Fog."),
            {**_turn("And on page 61?", 61, "Rain."), "session": "night"},
            {**_turn("And page 6?", 6, "Sun."), "restart": True},
        ],
    }


def _call(page: int) -> Document:
    return {"name": "read_page", "arguments": {"page": page}}


def _turn(user: str, page: int, answer: str) -> Document:
    return {
        "user": user,
        "model": [{"calls": [_call(page)], "until": "answered"}, {"text": answer}],
        "expect": {"executed": [{"read_page": {"page": page}}], "reply": answer},
    }


def steering(turn: Document, _document: Document) -> None:
    turn["steer"] = {"at": "tool", "user": "Be short."}
    turn.pop("expect", None)


def cancel(turn: Document, _document: Document) -> None:
    turn["cancel"] = {"at": "tool", "n": 2}
    turn["expect"] = {"outcome": "cancelled"}
    _spare_the_end(turn)


def crash(turn: Document, document: Document) -> None:
    turn["crash"] = {"at": "tool", "when": "after", "n": 2}
    turn.pop("expect", None)
    document["conversation"][TURN + 1]["restart"] = True
    _spare_the_end(turn)


def denial(turn: Document, document: Document) -> None:
    document["tools"][0]["approval"] = "ask"
    for other in document["conversation"]:
        other["approve"] = {"read_page": True}
    turn["approve"] = {"read_page": [True, True, False]}
    turn["expect"] = {"outcome": "either"}
    _spare_the_end(turn)


def open_question(turn: Document, document: Document) -> None:
    """An agent that asks about both calls before it runs one has both left for the turn after the restart."""
    denial(turn, document)
    turn["approve"] = {"read_page": [True, True, "pending"]}
    del turn["expect"]
    decided = document["conversation"][TURN + 1]
    decided["restart"] = True
    ran = decided["expect"]["executed"]
    left = [[], [{"read_page": {"page": 4}}], [{"read_page": {"page": 3}}, {"read_page": {"page": 4}}]]
    decided["expect"]["executed"] = {"one_of": [[*before, *ran] for before in left]}


def compaction(turn: Document, document: Document) -> None:
    """The format does not say of which session, so there is one."""
    turn["compact"] = True
    for other in document["conversation"]:
        other.pop("session", None)


def window(_turn_: Document, document: Document) -> None:
    document["limits"] = {"context_tokens": 1500}
    page = {"repeat": "Page <n> goes on and on. ", "times": 100}
    document["tools"][0]["results"] = [{"repeat": [page], "times": 8}]


def fallback(turn: Document, document: Document) -> None:
    document["wires"] = ["openai-chat"]
    document["fallback"] = {"provider": "mistral", "wire": "openai-chat"}
    turn["model"].insert(1, {"fault": {"status": 503, "retry_after": 0}, "forever": True})


def overload(turn: Document, _document: Document) -> None:
    turn["model"].insert(1, {"fault": {"status": 429, "retry_after": 0}})


def pictures(_turn_: Document, document: Document) -> None:
    said = {"repeat": "Page <n> goes on and on. ", "times": 100} if "limits" in document else "Page <n>:"
    page = {"parts": [{"text": said}, {"image": {"width": 24, "height": 24}}]}
    document["tools"][0]["results"] = [{"repeat": [page], "times": 8}]
    document["needs"] = ["images"]


def user_pictures(turn: Document, document: Document) -> None:
    turn["user"] = [{"text": turn["user"]}, {"image": {"width": 24, "height": 24}}]
    document["wires"] = document.get("wires", "first")
    document["needs"] = ["user-images", *document.get("needs", ())]
    turn["expect"] = {**turn.get("expect", {}), "requests": [{"at": 1, "images": 1}]}


def _spare_the_end(turn: Document) -> None:
    """No request has to come after the turn was cut or a call was denied."""
    for reply in turn["model"]:
        reply.pop("until", None)
    turn["model"][1:] = [{**reply, "spare": True} for reply in turn["model"][1:]]


Feature = Callable[[Document, Document], None]
FEATURES: dict[str, tuple[str, Feature]] = {
    "steering": ("a message meanwhile", steering),
    "cancel": ("a cancelled turn", cancel),
    "crash": ("a crash", crash),
    "denial": ("a denied call", denial),
    "question": ("an open question", open_question),
    "compaction": ("a compaction", compaction),
    "window": ("a full window", window),
    "fallback": ("a second provider", fallback),
    "overload": ("an overload", overload),
    "pictures": ("pictures", pictures),
    "user-pictures": ("a picture of the user", user_pictures),
}
UNSAID = {
    ("cancel", "crash"): "the turn ends once",
    ("cancel", "question"): "the turn ends once",
    ("crash", "question"): "the turn ends once",
    ("denial", "question"): "a call has one answer",
    ("pictures", "user-pictures"): "which pictures of earlier turns are sent again is the agent's choice",
    ("fallback", "overload"): "the overload of the first provider is what the second one is for",
}
ON_ONE_WIRE = ({"steering", "cancel"}, {"steering", "crash"})
"""Pairs about what becomes of the user's words, which no wire changes."""
ORDER = (
    "window",
    "compaction",
    "pictures",
    "steering",
    "denial",
    "question",
    "cancel",
    "crash",
    "fallback",
    "overload",
    "user-pictures",
)
"""What must be there before another feature can act on it stands first."""


def pair(one: str, other: str) -> Document:
    """The document with these two features in one turn."""
    document = base()
    for name in sorted((one, other), key=ORDER.index):
        FEATURES[name][1](document["conversation"][TURN], document)
    if {one, other} in ON_ONE_WIRE:
        document["wires"] = "first"
    document["description"] = f"{FEATURES[one][0]} and {FEATURES[other][0]} go together in one turn"
    return document


def said() -> list[tuple[str, str]]:
    """The pairs that can be said."""
    return [names for names in combinations(FEATURES, 2) if names not in UNSAID]
