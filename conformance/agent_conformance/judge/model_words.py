"""What the model said, where a later request has it again: a text that was cut, a call with other arguments.

Knows no law.
"""

import json
import re
import unicodedata
from collections import Counter
from typing import Any

from agent_conformance.judge.calls import UNREADABLE, ModelCall, model_calls, same_arguments
from agent_conformance.judge.case_evidence import CaseEvidence, flat, quoted
from agent_conformance.judge.cuts import ANCHOR, LEAST, Cut, cut_of
from agent_conformance.judge.results import has_result
from agent_conformance.transcripts.finding import Level
from agent_conformance.transcripts.transcript import COUNTED, RecordedRequest, TurnRecord
from fake_providers import View, ViewCall
from fake_providers.replies.call_validation import mismatches

FEWEST = 2
"""Words that are no pieces of what the model said: so many in a call's arguments may be a mark, in any language."""
_WORD = re.compile(r"\w+")


class ModelWords:
    """The texts and calls of the model in a case; each text and call of a request is read once."""

    def __init__(self, evidence: CaseEvidence) -> None:
        self._evidence = evidence
        calls = [call for call in model_calls(evidence) if call.native and call.id is not None]
        times = Counter(call.id for call in calls)
        self._calls = {call.id: call for call in calls if times[call.id] == 1 and self._is_plain(call)}
        self._ran: dict[str, list[Any]] = {}
        for record in evidence.transcript.turns:
            for attempt in record.attempts:
                self._ran.setdefault(attempt.tool, []).append(attempt.arguments)
        replies = [
            (flat(request.reply.text or ""), _is_prose(record, request))
            for record, request in evidence.transcript.requests()
            if request.reply is not None
        ]
        self._whole = {text for text, _ in replies}
        self._long = list(dict.fromkeys(text for text, is_prose in replies if is_prose and len(text) >= ANCHOR + LEAST))
        self._read: set[tuple[str | None, str]] = set()

    def changed_in(self, view: View) -> tuple[str, str, Level] | None:
        """What this request should have, and what it has."""
        for message in view.messages:
            for call in message.calls:
                said = self._calls.get(call.id)
                if said is not None and self._is_new(call.id, call.arguments_text) and self._is_changed(call, said):
                    arguments = json.dumps(said.arguments, ensure_ascii=False)
                    return (
                        f"the call of {said.name} as the model made it, with {quoted(arguments, 100)}, or a mark in it",
                        quoted(call.arguments_text, 100),
                        "must",
                    )
            if message.role == "assistant" and message.text and self._is_new(None, message.text):
                sent = flat(message.text)
                for text in self._long if sent not in self._whole else ():
                    cut = cut_of(text, sent) if len(sent) <= len(text) - LEAST else None
                    if cut is not None and cut.is_silent(()):
                        return (
                            f'the model\'s text "{quoted(text, 80)}", or a mark where it was cut',
                            f"{cut.kept} of its {len(text)} characters, and no mark",
                            "should",
                        )
        return None

    def _is_new(self, id: str | None, text: str) -> bool:
        is_new = (id, text) not in self._read
        self._read.add((id, text))
        return is_new

    def _is_plain(self, call: ModelCall) -> bool:
        """Whether no agent has a reason to mend it: JSON that arrived as usual, and that its tool takes."""
        tool, spec = self._evidence.tool(call.name), call.request.spec
        if tool is None or call.text is not None or call.arguments is UNREADABLE or not call.arrived:
            return False
        if spec is None or spec.quirks or spec.fault is not None:
            return False
        return not mismatches(tool.parameters, call.arguments)

    def _is_changed(self, call: ViewCall, said: ModelCall) -> bool:
        schema = self._evidence.schema_of(said.name)
        if same_arguments(_as_floats(call.arguments), _as_floats(said.arguments), schema):
            return False
        if has_result(call.arguments_text, said.arguments):  # in an object of the agent's own
            return False
        if any(same_arguments(ran, call.arguments, schema) for ran in self._ran.get(said.name, ())):
            return False  # it was read so, and the tool got that
        before = _plain(json.dumps(said.arguments, ensure_ascii=False))
        readable = call.arguments_text if call.arguments is None else json.dumps(call.arguments, ensure_ascii=False)
        is_marked = Cut(0, readable).has_sign and not Cut(0, before).has_sign
        return not is_marked and sum(word not in before for word in set(_WORD.findall(_plain(readable)))) < FEWEST


def _is_prose(record: TurnRecord, request: RecordedRequest) -> bool:
    """Whether an agent has nothing to take out of the reply, and got all of it."""
    spec = request.spec
    if spec is None or request.kind not in COUNTED or request.complete is False:
        return False
    is_whole = spec.means is None and spec.finish is None and spec.fault is None and not spec.quirks
    return is_whole and record.turn.cancel is None and not record.is_unfinished


def _as_floats(value: Any) -> Any:
    """Many languages have one kind of number. What is lost of a long one is for `sent-arguments` to say."""
    if isinstance(value, dict):
        return {key: _as_floats(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_as_floats(inner) for inner in value]
    return float(value) if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 1e300 else value


def _plain(text: str) -> str:
    """Without accents and case, so that another spelling of a word is no other word."""
    return "".join(one for one in unicodedata.normalize("NFKD", text) if not unicodedata.combining(one)).casefold()
