"""Whether words of somebody stand in a text, in whatever form: escaped, in other case or layout, in pieces, or cut."""

import html
import re
from collections.abc import Iterator
from urllib.parse import unquote

from agent_conformance.judge.shortened_texts import same_at_start, unescaped, without_accents

SHORTEST = 8
"""Characters of a line; shorter ones may be words that anybody would use."""
PART, WIDE_PART = 24, 12
"""Characters of a piece of a line by which the line is recognised; the second of scripts with more in each."""
FEWEST, TELLING = 4, 4
"""So many words of so many letters, all that a line has, tell that it stands there in pieces."""
WIDEST = 3
"""Times the words of a line, within which its pieces stand."""
_WORD = re.compile(r"[^\W_]+")


def plain(text: str) -> str:
    """Its words alone, without escapes, markup, accents and case, with one blank between them."""
    unmarked = unquote(html.unescape(unescaped(text))) if any(sign in text for sign in "&%\\") else text
    return " ".join(_WORD.findall(without_accents(unmarked)))


def quotations(line: str, sent: str, own: str) -> tuple[str, ...]:
    """What of a line stands in `sent`, and not in `own`; all three plain. Nothing of a line that is too short."""
    if len(line) < SHORTEST:
        return ()
    if _stands(line, sent):
        return () if _stands(line, own) else (line,)
    return tuple(_parts(line, sent, own)) or _in_pieces(line, sent, own)


def _stands(words: str, text: str) -> bool:
    return f" {words} " in f" {text} "


def _parts(line: str, sent: str, own: str) -> Iterator[str]:
    """The longest pieces of the line that begin with a word of it."""
    size = PART if line.isascii() else WIDE_PART
    start = 0
    while start + size <= len(line):
        part = line[start : start + size]
        if (place := sent.find(part)) >= 0 and part not in own:
            end = start + same_at_start(sent[place:], line[start:])
            yield line[start:end].strip()
            start = end
        else:
            start = line.find(" ", start) + 1 or len(line)


def _in_pieces(line: str, sent: str, own: str) -> tuple[str, ...]:
    """Its telling words, where all of them stand there in their order and near each other."""
    words = line.split()
    telling = [word for word in words if len(word) >= TELLING or not word.isascii()]
    if len(telling) < FEWEST or not _are_near(telling, sent.split(), WIDEST * len(words)):
        return ()
    return () if _are_near(telling, own.split(), WIDEST * len(words)) else tuple(telling)


def _are_near(telling: list[str], words: list[str], most: int) -> bool:
    for start, word in enumerate(words):
        if word == telling[0]:
            rest = iter(words[start : start + most])
            if all(one in rest for one in telling):
                return True
    return False
