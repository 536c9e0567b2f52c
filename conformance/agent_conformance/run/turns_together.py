"""Two turns of two sessions that run at the same time: which of them a request or a call belongs to. Judges nothing."""

import threading
from typing import Any

from agent_conformance.record.transcript import TurnRecord
from agent_conformance.run.cancel_trigger import PATIENCE
from fake_providers import View


class TurnsTogether:
    """`mine` is the turn that this thread works for: the first, until it has chosen."""

    def __init__(self, records: tuple[TurnRecord, TurnRecord]) -> None:
        self._records = records
        self._of_thread = threading.local()
        self._both_sent = threading.Event()

    @property
    def mine(self) -> TurnRecord:
        chosen: TurnRecord = getattr(self._of_thread, "record", self._records[0])
        return chosen

    @property
    def both_sent(self) -> threading.Event | None:
        """What holds the first response, until the other turn has sent a request too; not for long, since an agent may
        run one turn after the other."""
        if all(record.requests for record in self._records):
            self._both_sent.set()
        if self._both_sent.is_set():
            return None
        patience = threading.Timer(PATIENCE, self._both_sent.set)
        patience.daemon = True
        patience.start()
        return self._both_sent

    def choose_by_view(self, view: View) -> None:
        """The turn whose user was the last to speak in this request."""
        said = "\n".join(message.text for message in view.messages if message.role == "user")
        self._of_thread.record = max(self._records, key=lambda record: said.rfind(record.turn.user_text))

    def choose_by_call(self, tool: str, arguments: Any) -> None:
        """The turn whose model made this call, if it is only one's."""
        calls = [[call for request in record.requests for call in request.calls] for record in self._records]
        made = [any(call.name == tool and call.spec.arguments == arguments for call in each) for each in calls]
        self._of_thread.record = self._records[1 if made == [False, True] else 0]
