"""The requests of a `ScriptedFake` and its responses as text, without what changes from run to run."""

from collections.abc import Iterator, Sequence

from fake_providers.neutral_text import (
    CallIds,
    arguments_of,
    labelled,
    offered_tools,
    printable,
    reply_lines,
    request_lines,
)
from fake_providers.rule import Violation
from fake_providers.serving.journal import Answer, Stopped
from fake_providers.values.changing_text import DATE, PORT, TIME, UUID, with_names
from fake_providers.view import View


def transcript(views: Sequence[View], answers: Sequence[Answer]) -> str:
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


def _answer(answer: Answer, ids: CallIds) -> Iterator[str]:
    if isinstance(answer, Violation):
        place = f" at {answer.at}" if answer.at else ""
        message = with_names(answer.message, ids.names)
        yield from labelled(f"refused {answer.status} {answer.rule}{place}", message, "")
    elif isinstance(answer, Stopped):
        yield from labelled("stopped", answer.message, "")
    else:
        calls = [f"{call.name} {arguments_of(call)}" for call in answer.calls]
        yield from reply_lines(answer, calls, indent="")


def _normalised(text: str) -> str:
    uuids: dict[str, str] = {}
    text = UUID.sub(lambda found: uuids.setdefault(found.group().lower(), f"uuid-{len(uuids) + 1}"), text)
    return PORT.sub(r"\1:PORT", DATE.sub("DATE", TIME.sub("TIME", text)))
