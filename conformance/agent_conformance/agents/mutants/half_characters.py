"""Bugs with half of a surrogate pair, left where a text is cut in an emoji: sent as it is, or made by the agent."""

import json
from dataclasses import replace

from agent_conformance.agents.mutants.mutant import Mutant
from agent_conformance.agents.reference import Defences

CLAUDE_CODE = "https://github.com/anthropics/claude-code/issues/69927"


def _sent_as_escape(defences: Defences) -> Defences:
    return replace(defences, body_bytes=lambda body: json.dumps(body).encode())


def _cut_by_units(defences: Defences) -> Defences:
    def shorten(text: str, keep: int) -> str:
        """As in languages whose texts are lists of UTF-16 units."""
        return text.encode("utf-16-le")[: 2 * keep].decode("utf-16-le", "surrogatepass")

    return replace(_sent_as_escape(defences), shorten=shorten)


def _middle_cut_by_units(defences: Defences) -> Defences:
    def shorten(text: str, keep: int) -> str:
        units = text.encode("utf-16-le")
        front = 2 * (keep // 2 - 1)
        return (units[:front] + "...".encode("utf-16-le") + units[-front:]).decode("utf-16-le", "surrogatepass")

    return replace(_sent_as_escape(defences), shorten=shorten)


MUTANTS = (
    Mutant(
        "M48c_middle_cut_by_units",
        "a text whose middle is cut out goes on with a whole character",
        "https://github.com/elizaOS/eliza/pull/18079",
        (("limits/emojis-are-cut-whole[even]", "accepted:anthropic/lone-surrogate"),),
        _middle_cut_by_units,
    ),
    Mutant(
        "M48a_half_characters_sent",
        "half a character is replaced before it is sent",
        CLAUDE_CODE,
        (
            ("faults/half-a-character", "accepted:anthropic/lone-surrogate"),
            ("faults/half-a-character-restored[*]", "accepted:anthropic/lone-surrogate"),
        ),
        _sent_as_escape,
    ),
    Mutant(
        "M48b_cut_by_units",
        "a text is cut between characters",
        CLAUDE_CODE,
        (("limits/emojis-are-cut-whole[odd]", "accepted:anthropic/lone-surrogate"),),
        _cut_by_units,
    ),
)
