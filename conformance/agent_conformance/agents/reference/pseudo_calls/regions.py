"""Regions of a text without calls to run: code, quotations and examples. Knows no dialect."""

import re

FENCES = ("```", "~~~")
FENCE = re.compile(r"^[ \t]{0,3}(?P<fence>`{3,}|~{3,})[ \t]*(?P<info>[^\n`]*)(?P<end>\n|$)", re.MULTILINE)
QUOTED_LINES = re.compile(r">[^\n]*(?:\n[ \t]{0,3}>[^\n]*)*")
CALL_FENCES = re.compile(r"(?:tool[-_]?calls?|invoke|tool_code|tool\s+\S+)\s*", re.IGNORECASE)
EXAMPLE = re.compile(r"\b(?:example|sample|for instance|e\.g\.)|例如|示例|比如|举例|例子|比方说|譬如", re.IGNORECASE)


def fence_at(text: str, at: int) -> tuple[str, int, int, int] | None:
    """A fenced block that begins at `at`: its info, where its body begins and ends, and where all of it ends.

    One that is never closed runs to the end.
    """
    match = FENCE.match(text, text[:at].rfind("\n") + 1)
    if match is None:
        return None
    fence = match["fence"]
    closing = re.compile(rf"^[ \t]{{0,3}}{fence[0]}{{{len(fence)},}}[ \t]*$", re.MULTILINE).search(text, match.end())
    if closing is None:
        return match["info"].strip(), match.end(), len(text), len(text)
    return match["info"].strip(), match.end(), closing.start(), closing.end()


def inline_code_end(text: str, at: int) -> int | None:
    """Where the inline code that begins at `at` ends: at an equal run of backticks in the same line."""
    run = re.compile(r"`+").match(text, at)
    if run is None:
        return None
    line = text[:at] + text[at:].partition("\n")[0]
    closing = re.compile(rf"(?<!`){run[0]}(?!`)").search(line, run.end())
    return closing.end() if closing else None


def block_quote_end(text: str, at: int) -> int | None:
    """Where the block quote whose first line begins at `at` ends: before the first line without a `>`."""
    quote = QUOTED_LINES.match(text, at)
    return quote.end() if quote else None


def code_end(text: str, at: int) -> int | None:
    """Where the code or the block quote that begins at `at` ends; code is fenced or inline."""
    line_lead = not text[:at].rpartition("\n")[2].strip()
    if line_lead and (quote_end := block_quote_end(text, at)) is not None:
        return quote_end
    fence = fence_at(text, at)
    return fence[3] if fence else inline_code_end(text, at)


def is_example(text: str, start: int, end: int) -> bool:
    """Whether the prose right around a block calls it an example: the line before it, or the one after."""
    before = text[:start].rstrip().rpartition("\n")[2]
    after = text[end:].lstrip().partition("\n")[0]
    return bool(EXAMPLE.search(before) or EXAMPLE.search(after))
