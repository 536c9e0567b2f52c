"""What changes from run to run in texts, by its form: times, ids, ports of this machine. Knows texts alone."""

import re

UUID = re.compile(r"(?<![\w-])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![\w-])", re.IGNORECASE)
TIME = re.compile(
    r"(?<![\w-])\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?: ?(?:Z|UTC|[+-]\d\d:?\d\d))?(?![\w-])"
)
DATE = re.compile(r"(?<![\w-])\d{4}-\d\d-\d\d(?![\w-])")
PORT = re.compile(r"(127\.0\.0\.1|localhost|\[::1\]):\d+")

_WORD = re.compile(r"[\w-]{6,}")
_MANY = 20
"""Ids, of which each is looked for in the whole text: for more, it is read once for all."""


def with_names(text: str, names: dict[str, str]) -> str:
    """The text with a name for each id. Short ids are left: they may be any number in it."""
    words = set(_WORD.findall(text)) if len(names) > _MANY else None
    for id, name in names.items():
        if words is not None and id not in words and _WORD.fullmatch(id):
            continue
        if len(id) >= 6 and id in text:
            # No pattern: each id would need its own, and to compile one takes longer than to look
            parts: list[str] = []
            copied, at = 0, text.find(id)
            while at >= 0:
                end = at + len(id)
                if _goes_on(text[at - 1 : at]) or _goes_on(text[end : end + 1]):
                    at = text.find(id, at + 1)
                    continue
                parts += [text[copied:at], name]
                copied, at = end, text.find(id, end)
            text = "".join([*parts, text[copied:]])
    return text


def _goes_on(neighbour: str) -> bool:
    """Whether an id goes on with this character, which is empty at the ends of the text."""
    return neighbour.isalnum() or neighbour in ("_", "-")
