"""The model side of a `ScriptedFake`: replies in order, faults by number, and what the client sent. Knows no wire."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from fakes.http import Request
from fakes.minimal_value import minimal_value
from fakes.reply import Call, Fault, Reply
from fakes.rule import Violation
from fakes.serving.journal import Journal
from fakes.serving.request_loop import ModelRequest, ModelSide, Refusal
from fakes.view import View

OVER = Reply(text="The script is over.")
DONE = Reply(text="Done.")


class ReplyScript(ModelSide):
    """Without `replies` it calls the first tool offered, once, and says `Done.` to everything else.

    Raises `ValueError` for the fault of a request that never comes. `journal` notes the requests.
    `endpoints` are those that are built beside model requests, to be named.
    """

    def __init__(
        self,
        replies: Sequence[Reply] | None,
        faults: Mapping[int, Fault],
        *,
        wire: str,
        journal: Journal,
        endpoints: Sequence[str] = (),
    ) -> None:
        for number in faults:
            if number < 1:
                raise ValueError(f"a fault is scripted for request {number}; requests are counted from 1")
        self._replies = replies
        self._faults = dict(faults)
        self._wire = wire
        self._endpoints = endpoints
        self._sent = 0
        """Replies that came through whole."""
        self._called = False
        self.journal = journal

    @property
    def unused(self) -> Sequence[Reply]:
        return () if self._replies is None else self._replies[self._sent :]

    def unknown(self, request: Request) -> str:
        beside = ", ".join(("its models", *self._endpoints))
        path = request.path.partition("?")[0]
        return f"{request.method} {path} is no model request of {self._wire}, and not built; built are also {beside}"

    def received(self, request: ModelRequest) -> None:
        self.journal.received(request.sent, request.view)

    def refused(self, request: ModelRequest, violation: Violation, why: Refusal) -> None:
        self.journal.answered(violation)

    def count_refused(self, request: Request, violation: Violation) -> None:
        self.journal.refused_count(violation)

    def next_reply(self, request: ModelRequest) -> Reply:
        fault = self._faults.get(self.journal.count)
        reply = self._improvised(request.view) if self._replies is None else self._scripted(self._replies)
        if fault is None or not fault.spoils_reply:
            self._sent += 1
            self._called = self._called or bool(reply.calls)
        sent = reply if fault is None else replace(reply, fault=fault)
        self.journal.answered(sent)
        return sent

    def _scripted(self, replies: Sequence[Reply]) -> Reply:
        if self._sent < len(replies):
            return replies[self._sent]
        return next((reply for reply in reversed(replies) if _is_text(reply)), OVER)

    def _improvised(self, view: View) -> Reply:
        if self._called or not view.tools:
            return DONE
        tool = view.tools[0]
        arguments = minimal_value(tool.parameters)
        return Reply(calls=(Call(tool.name, arguments if isinstance(arguments, dict) else {}),))


def _is_text(reply: Reply) -> bool:
    harmful = reply.fault is not None and reply.fault.is_harmful
    return bool(reply.text) and not reply.calls and not harmful
