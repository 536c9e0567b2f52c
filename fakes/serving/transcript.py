"""The requests of a `ScriptedFake` and its responses as text, without what changes from run to run."""

import re
from collections.abc import Iterator, Sequence

from fakes.neutral_text import CallIds, arguments_of, labelled, offered_tools, printable, reply_lines, request_lines
from fakes.reply import Reply
from fakes.rule import Violation
from fakes.view import View

UUID = re.compile(r"(?<![\w-])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![\w-])", re.IGNORECASE)
TIME = re.compile(
    r"(?<![\w-])\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?: ?(?:Z|UTC|[+-]\d\d:?\d\d))?(?![\w-])"
)
DATE = re.compile(r"(?<![\w-])\d{4}-\d\d-\d\d(?![\w-])")
PORT = re.compile(r"(127\.0\.0\.1|localhost|\[::1\]):\d+")


def transcript(views: Sequence[View], answers: Sequence[Reply | Violation]) -> str:
    """Request by request: what it has that the one before had not, then the reply, or the rule that it breaks.

    Call ids become `id-1`, UUIDs `uuid-1`, dates `DATE`, times `TIME`, ports of this machine `PORT`. What is not
    printable is escaped.
    """
    ids = CallIds()
    lines: list[str] = []
    previous: View | None = None
    for number, view in enumerate(views, 1):
        lines.append(f"request {number}{', stream' if view.stream else ''}: offers {offered_tools(view)}")
        lines += request_lines(view, previous, ids, indent="  ")
        lines += _answer(answers[number - 1], ids) if number <= len(answers) else ()
        previous = view
    text = _normalised("\n".join(lines) or "no request")
    return "\n".join(printable(line) for line in text.split("\n"))


def _answer(answer: Reply | Violation, ids: CallIds) -> Iterator[str]:
    if isinstance(answer, Violation):
        place = f" at {answer.at}" if answer.at else ""
        message = _with_names(answer.message, ids.names)
        yield from labelled(f"refused {answer.status} {answer.rule}{place}", message, "")
    else:
        calls = [f"{call.name} {arguments_of(call)}" for call in answer.calls]
        yield from reply_lines(answer, calls, indent="")


def _with_names(text: str, names: dict[str, str]) -> str:
    """A provider's sentence often quotes the id of a call. Short ones may be any number in it."""
    for id, name in names.items():
        if len(id) < 6:
            continue
        text = re.sub(rf"(?<![\w-]){re.escape(id)}(?![\w-])", name, text)
    return text


def _normalised(text: str) -> str:
    uuids: dict[str, str] = {}
    text = UUID.sub(lambda found: uuids.setdefault(found.group().lower(), f"uuid-{len(uuids) + 1}"), text)
    return PORT.sub(r"\1:PORT", DATE.sub("DATE", TIME.sub("TIME", text)))
