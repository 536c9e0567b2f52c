"""Which requests ask the model to sum up what was said, by their form: nobody has to declare them. Knows no wire.

Such a request offers no tools, or forbids them, though requests before it did. It has other instructions, and what was
said stands in it. Its answer goes into the agent's own history, so that it takes no reply of the script.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from agent_conformance.record.transcript import COUNTED, TurnRecord
from agent_conformance.scenario.model import Scenario
from fake_providers import View

SUMMARY = "This is summary {number} of what was said, and the work goes on."
WORD = re.compile(
    r"summar|compact|condens|compress|hand.?(?:over|off)|zusammenfass|résum|resum|总结|摘要|概括|要約", re.I
)
SHORTEST_LINE = 12
"""Characters by which a line of instructions is recognised."""
SHORTEST_TEXT = 6


@dataclass(slots=True)
class SummaryRequests:
    """Of one case, whose turns so far are in `records`."""

    scenario: Scenario
    records: list[TurnRecord] = field(default_factory=list)
    answered: int = 0

    def answer_to(self, view: View, *, is_declared: bool = False) -> str | None:
        """The summary, another each time; None to a request of the conversation. One that `is_declared` to be none gets
        it where more stands in it than the user's message of this turn, as in a request for a title.
        """
        shaped = self.scenario.output_schema is not None or self.scenario.tool_choice == "none"
        new = self.records[-1].turn.user_text if self.records else ""
        if not (self._quotes(view, new=new) if is_declared else not shaped and self._is_one(view)):
            return None
        self.answered += 1
        return SUMMARY.format(number=self.answered)

    def _is_one(self, view: View) -> bool:
        """A request without tools in the middle of a turn may also be the last one that an agent allows itself, and its
        answer the reply. So the words tell only at the beginning of a turn, where the context is limited, or of a
        conversation retold in one message.
        """
        if (view.tools and not view.forbids_calls) or not view.messages:
            return False
        before = [request.view for record in self.records for request in record.requests if request.kind in COUNTED]
        if not before or not before[-1].tools:
            return False
        own, last = _flat(f"{view.system}\n{view.messages[-1].text}"), before[-1]
        if not self._quotes(view):
            return False
        for one in self._said():  # the user may ask for a summary, too
            own = own.replace(one, "")
        asks = WORD.search(own) is not None
        if _is_other(view.system, last.system) and (asks or last.system.strip()):
            return True
        is_first = not any(request.kind in COUNTED for request in self.records[-1].requests)
        is_retold = len(view.messages) == 1 and len(last.messages) > 2
        limited = self.scenario.window is not None or self.scenario.limits.context_tokens is not None
        return asks and (limited or is_first or is_retold)

    def _quotes(self, view: View, *, new: str = "") -> bool:
        """Whether something that was said stands in it, beside what is `new`."""
        text = _flat(view.texts)
        return any(one in text and one != _flat(new[:200]) for one in self._said())

    def _said(self) -> Iterator[str]:
        """The beginning of each text of the users, the tools and the model that is long enough to be recognised."""
        for record in self.records:
            replies = (request.reply.text or "" for request in record.requests if request.reply is not None)
            for text in (record.turn.user_text, *(attempt.result for attempt in record.attempts), *replies):
                if len(flat := _flat(text[:200])) >= SHORTEST_TEXT:
                    yield flat


def _is_other(system: str, before: str) -> bool:
    """Whether these are other instructions, and not the same with another date or note."""
    now = _flat(system)
    kept = any(len(line) >= SHORTEST_LINE and line in now for line in map(_flat, before.splitlines()))
    return bool(now) and now != _flat(before) and not kept


def _flat(text: str) -> str:
    return " ".join(text.split())
