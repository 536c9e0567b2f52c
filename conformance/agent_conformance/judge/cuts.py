"""Whether a text was sent with a part of it left out, and whether a mark says so. Knows texts, and no law."""

import html
import json
import re
from collections.abc import Collection
from dataclasses import dataclass

from agent_conformance.judge.evidence import flat
from agent_conformance.judge.result_readings import readings

ANCHOR = 40
"""Characters at the beginning or end of a text by which a piece of it is recognised."""
LEAST = 20
"""Characters that are missing: fewer are a control character, a blank or half a character that an agent replaced."""
NEAR = 120
"""Characters before and after a piece in which a mark stands."""

_SIGN = re.compile(
    r"\.\.|…|trunc|\bcut\b|omit|elided|left out|remov|shorten|skipp|preview|characters|chars\b|tokens|bytes|\bmore\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"\w+")
_MARKUP = re.compile(r"""[\w\s{}\[\]"'`:,<>/=()|*#\\-]*""")
_FRAME = re.compile(
    "answer|call|content|data|false|function|message|name|null|ok|output|response|results?|return(ed|s)?|role|status|"
    "success|text|tool|tool_(call|output|response|result)|true|type|value"
)
"""Words of frames around whole results; any other word may be a mark, in any language."""


@dataclass(frozen=True, slots=True)
class Cut:
    """So many characters of a text were sent, and `beside` stands next to them."""

    kept: int
    beside: str

    @property
    def has_sign(self) -> bool:
        """Whether a mark in the usual words says that something was left out."""
        return _SIGN.search(self.beside) is not None

    def is_silent(self, names: Collection[str]) -> bool:
        """Whether nothing beside it can be a mark: only markup, and words of frames or `names`."""
        words = {word.lower() for word in _WORD.findall(self.beside)} - set(names)
        return _MARKUP.fullmatch(self.beside) is not None and all(map(_FRAME.fullmatch, words))


def cut_of(said: str, sent: str) -> Cut | None:
    """The cut of `said` in `sent`, both flat: its beginning, its end or both, without at least 20 characters."""
    start = sent.find(said[:ANCHOR])
    if start >= 0:
        head = same_at_start(sent[start:], said)
        before, after = sent[:start], sent[start + head :]
        tail = min(_same_at_end(after, said), len(said) - head)
        middle = after[: len(after) - tail]
    else:
        end = sent.find(said[-ANCHOR:])
        if end < 0:
            return None
        end += ANCHOR
        head, tail = 0, _same_at_end(sent[:end], said)
        before, middle = sent[: end - tail], sent[end:]
    if len(said) - head - tail < LEAST:
        return None
    return Cut(head + tail, f"{before[-NEAR:]} {middle[:NEAR]}")


def cut_in_result(said: str, result: str) -> Cut | None:
    """The cut of `said` in a tool result, which may have it in JSON, tags or a sentence."""
    for reading in readings(result).texts:
        cut = cut_of(said, flat(reading))
        if cut is None:
            continue
        around = _without(result, reading)
        return None if around is None else Cut(cut.kept, f"{cut.beside} {around}")
    return None


def _without(whole: str, part: str) -> str | None:
    """What stands around a reading of a result, or None if the reading is not there as one text."""
    for spelling in (part, json.dumps(part, ensure_ascii=False)[1:-1], json.dumps(part)[1:-1], html.escape(part)):
        if spelling in whole:
            return whole.replace(spelling, "", 1)
    return None


def _same_at_end(one: str, other: str) -> int:
    return same_at_start(one[::-1], other[::-1])


def same_at_start(one: str, other: str) -> int:
    """How many characters they begin with alike."""
    same, most = 0, min(len(one), len(other))
    while same < most:  # by halves: long results are compared at each of many requests
        middle = (same + most + 1) // 2
        if one[same:middle] == other[same:middle]:
            same = middle
        else:
            most = middle - 1
    return same
