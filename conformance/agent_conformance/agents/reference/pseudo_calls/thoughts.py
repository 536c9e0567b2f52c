"""Reasoning between tags: where it ends, and a call that is torn by its end. Knows no dialect's calls."""

import re

THINK = r"(?:\w+:)?(?:think|thinking|thought|antthinking|longcat_think)"
OPEN = re.compile(
    rf"<\s{{0,2}}{THINK}(?:\s+[^<>]*)?\s{{0,2}}(?P<closed>/)?>|\[THINK\]|<\|channel>thought\n", re.IGNORECASE
)
CLOSE = re.compile(rf"<\s{{0,2}}/\s{{0,2}}{THINK}\s{{0,2}}>|\[/THINK\]|<channel\|>", re.IGNORECASE)


def thought_end(text: str, at: int) -> tuple[int, bool] | None:
    """Where the reasoning that begins at `at` ends, and whether it was closed."""
    start = OPEN.match(text, at)
    if start is None:
        return None
    if start["closed"]:
        return start.end(), True
    close = CLOSE.search(text, start.end())
    return (close.end(), True) if close else (len(text), False)


BEGUN_CALL = re.compile(r"<(?P<tag>[\w:-]*(?:tool|function)[-_]?calls?)\b[^<>]*>", re.IGNORECASE)


def torn_call(text: str, start: int, end: int) -> str | None:
    """The tag of a call that the thought from `start` to `end` begins and does not close."""
    begun = list(BEGUN_CALL.finditer(text, start, end))
    if not begun:
        return None
    tag = begun[-1]["tag"]
    return None if f"</{tag}>" in text[begun[-1].end() : end] else tag


def torn_call_end(text: str, start: int, end: int) -> int:
    """Where the thought ends with the rest of the call that it tore, which is closed after it and before the next."""
    tag = torn_call(text, start, end)
    closing = re.compile(rf"<(?P<slash>/?){re.escape(tag)}\b[^<>]*>").search(text, end) if tag else None
    return closing.end() if closing and closing["slash"] else end
