"""The law `kept-whole`: nothing is cut without a mark, and no message forgotten where nothing limits the context.

Many agents send a window of the newest messages on purpose. That an old exchange is gone is then advice.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import pairwise, takewhile
from typing import Any

from msgspec import Struct

from agent_conformance.judge.calls import UNREADABLE, ModelCall, change_of_beginning, model_calls, same_arguments
from agent_conformance.judge.case_evidence import CaseEvidence, Mismatch, dense, flat, quoted
from agent_conformance.judge.laws.law import Harm, Law
from agent_conformance.judge.laws.restored import FEWEST, ROOM, OwnWords, answer_of, check_restored
from agent_conformance.judge.shortened_texts import (
    ANCHOR,
    LEAST,
    Cut,
    cut_in_result,
    cut_of,
    is_for_a_summary,
    is_for_the_shape,
    stands_for,
    without_accents,
)
from agent_conformance.judge.tool_results import has_result, result_contains
from agent_conformance.scenario.base_model import text_of, without_pictures
from agent_conformance.scenario.derived.half_characters import whole_part
from agent_conformance.scenario.model import AssistantMessage, HistoryMessage, Turn
from agent_conformance.transcripts.finding import Level
from agent_conformance.transcripts.transcript import COUNTED, Attempt, RecordedRequest, TurnRecord
from fake_providers import View, ViewCall, ViewResult
from fake_providers.replies.call_validation import mismatches

FEWEST_NEW = 2
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
            (flat(request.said), _is_prose(record, request))
            for record, request in evidence.transcript.requests()
            if request.reply is not None
        ]
        self._of_provider = [
            (call.name, call.arguments)
            for _, request in evidence.transcript.requests()
            for call in (request.reply.server_calls if request.reply is not None else ())
            if call.arguments is not None
        ]
        self._thought = {
            (request.target, dense(text)): request.reply.thinking
            for _, request in evidence.transcript.requests()
            if request.reply is not None and request.reply.thinking
            for said in [request.said]
            for text in (request.reply.thinking, request.reply.thinking + said, said + request.reply.thinking)
        }
        self._whole = {text for text, _ in replies}
        self._long = list(dict.fromkeys(text for text, is_prose in replies if is_prose and len(text) >= ANCHOR + LEAST))
        self._read: set[tuple[str | None, str]] = set()

    def changed_in(self, request: RecordedRequest) -> tuple[str, str, Level] | None:
        """What this request should have, and what it has."""
        for message in request.view.messages:
            for call in message.calls:
                said = self._calls.get(call.id)
                if said is not None and self._is_new(call.id, call.arguments_text) and self._is_changed(call, said):
                    arguments = json.dumps(said.arguments, ensure_ascii=False)
                    return (
                        f"the call of {said.name} as the model made it, with {quoted(arguments, 100)}, or a mark in it",
                        quoted(call.arguments_text, 100),
                        "must",
                    )
            for call in message.server_calls:
                said_of_it = [arguments for name, arguments in self._of_provider if name == call.name]
                if said_of_it and call.arguments not in said_of_it and self._is_new(call.id, call.arguments_text):
                    arguments = json.dumps(said_of_it[-1], ensure_ascii=False)
                    return (
                        f"the {call.name} that the provider ran as it came, with {quoted(arguments, 100)}",
                        quoted(call.arguments_text, 100),
                        "must",
                    )
            if message.role == "assistant" and message.text and self._is_new(None, message.text):
                sent = flat(message.text)
                # In words or tags of the agent's own it is no text of the model, nor what another provider is told.
                thought = self._thought.get((request.target, dense(sent))) if sent not in self._whole else None
                if thought is not None:
                    return (
                        f'the model\'s reasoning "{quoted(thought, 80)}" apart from what it said',
                        f'in the model\'s own text: "{quoted(message.text, 100)}"',
                        "should",
                    )
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
        before = without_accents(json.dumps(said.arguments, ensure_ascii=False))
        readable = call.arguments_text if call.arguments is None else json.dumps(call.arguments, ensure_ascii=False)
        is_marked = Cut(0, readable).has_sign and not Cut(0, before).has_sign
        words = set(_WORD.findall(without_accents(readable)))
        return not is_marked and sum(word not in before for word in words) < FEWEST_NEW


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


MUST_CHANGE = (400, 413, 415, 422)
"""Statuses that no second try of the same request helps against."""


def check_prefix(evidence: CaseEvidence) -> Iterator[Mismatch]:
    """From request to request, unless the scenario changes the tools, restarts the agent or limits the context.

    Of a cancelled turn an agent may forget what was not done.

    What the provider answered with a 400 has to be changed before it is sent again.
    """
    if evidence.scenario.may_be_shortened:
        return
    requests = (one for one in evidence.model_requests() if not is_for_the_shape(evidence, *one))
    by_session = sorted(requests, key=lambda one: one[0].turn.session or "")
    for (earlier, before), (record, request) in pairwise(by_session):
        if before.target != request.target:  # another provider has other ids, and reads no foreign reasoning
            continue
        if request.refused or before.status in MUST_CHANGE or record.turn.session != earlier.turn.session:
            continue
        since = [one.turn for one in evidence.turns if earlier.number < one.number <= record.number]
        if record is not earlier and (earlier.turn.cancel or any(map(_begins_anew, since))):
            continue
        if earlier.enabled_at(before) != record.enabled_at(request):
            continue  # a tool has enabled others
        if before.search_tool and before.offered < request.offered:
            continue  # a search has found others
        if (change := change_of_beginning(before.view, request.view)) is not None:
            place, now = change
            yield STEADY_PREFIX.broken_by(
                record,
                request,
                kind="prefix",
                place=place,
                expected="a request that begins with the one before: declarations, system prompt and messages",
                got=f'now "{quoted(now, 100)}"',
            )


def _begins_anew(turn: Turn) -> bool:
    return turn.tools is not None or turn.restart or turn.switch is not None


STEADY_PREFIX = Law("steady-prefix", check_prefix, Harm.WORDS, level="should")


END_OF_HISTORY = HistoryMessage(user="")
"""The next message of the user ends an exchange. Not checked, which would take a validator of its own."""


def check_kept_whole(evidence: CaseEvidence) -> Iterator[Mismatch]:
    """Until a provider answers that a request has to change. Where the context is limited, of results alone."""
    if evidence.scenario.may_be_shortened:
        yield from _cut_silently(evidence)
        return
    own_words = OwnWords(evidence)
    lost_at_a_break = {one.place.turn for one in check_restored(evidence) if one.level == "must"}
    turns = {turn.number: _FinishedTurn.of(turn) for turn in evidence.turns}
    answered = cache(lambda number: _answered_before(evidence, number, turns))
    words = ModelWords(evidence)
    whole: set[tuple[str | None, str]] = set()
    for record, request in evidence.model_requests():
        if request.refused:
            return
        cut = _cut_result(evidence, record, request, whole)
        if cut is not None:
            yield KEPT_WHOLE.broken_by(record, request, expected=cut[0], got=cut[1])
        elif (lost := _lost_message(evidence, answered(record.number), record, request, own_words)) is not None:
            expected, got, level = lost
            if not any(turn <= record.number for turn in lost_at_a_break):
                yield KEPT_WHOLE.broken_by(record, request, level=level, expected=expected, got=got)
        elif (changed := words.changed_in(request)) is not None:
            expected, got, level = changed
            if not any(turn <= record.number for turn in lost_at_a_break):
                yield KEPT_WHOLE.broken_by(record, request, level=level, expected=expected, got=got)
        if request.status in MUST_CHANGE:
            return


def _cut_silently(evidence: CaseEvidence) -> Iterator[Mismatch]:
    """What has to become shorter has a mark where it was cut."""
    whole: set[tuple[str | None, str]] = set()
    for record, request in evidence.model_requests():
        if request.refused or is_for_a_summary(evidence, request):
            continue
        if (cut := _cut_result(evidence, record, request, whole)) is not None:
            yield KEPT_WHOLE.broken_by(record, request, expected=cut[0], got=cut[1])


def _cut_result(
    evidence: CaseEvidence, record: TurnRecord, request: RecordedRequest, whole: set[tuple[str | None, str]]
) -> tuple[str, str] | None:
    """What a tool returned, and how little of it the request has. `whole` has the results that were read before."""
    results = [result for message in request.view.messages for result in message.results]
    results = [result for result in results if (result.id, result.text) not in whole]
    if not results:
        return None
    whole |= {(result.id, result.text) for result in results}
    results = [result for result in results if not _is_of_this_turn(record, request, result)]
    if not results:
        return None
    said = [whole_part(text) for text in dict.fromkeys(_returned_before(evidence, record, request))]
    long = [text for text in said if len(text) >= ANCHOR + LEAST and len(flat(text)) >= ANCHOR + LEAST]
    for result in results:
        for text in long:
            kept = _kept(evidence, text, result)
            if kept is not None and all(kept != len(flat(other)) for other in said):
                return (
                    f'the whole result "{quoted(text, 80)}", or a mark where it was cut',
                    f"{kept} of its {len(flat(text))} characters, and no mark",
                )
    return None


def _is_of_this_turn(record: TurnRecord, request: RecordedRequest, result: ViewResult) -> bool:
    """Whether a tool of this turn returned it, and it is whole. Nearly always it is the newest."""
    for attempt in reversed(record.attempts[: request.attempts_before]):
        said = attempt.result
        if result.text == said:
            return True
        if len(said) >= ANCHOR + LEAST and (has_result(result.text, said) or result_contains(result.text, said)):
            return True
    return False


def _kept(evidence: CaseEvidence, said: str, result: ViewResult) -> int | None:
    """How many characters are left of what the tool said, if it was cut in this result without a mark."""
    cut = cut_in_result(flat(said), result.text)
    names = {tool.name.lower() for tool in evidence.scenario.tools} | {(result.id or "").lower()}
    if cut is None or not cut.is_silent(names):
        return None
    return None if has_result(result.text, said) or result_contains(result.text, said) else cut.kept


def _returned_before(evidence: CaseEvidence, record: TurnRecord, request: RecordedRequest) -> Iterator[str]:
    for message in _history(evidence, record):
        result = without_pictures(message.tool.result) if message.tool else ""
        yield result if isinstance(result, str) else ""
    yield from (attempt.result for _, attempt in _ran_before(evidence, record, request))


def _ran_before(
    evidence: CaseEvidence, record: TurnRecord, request: RecordedRequest
) -> Iterator[tuple[TurnRecord, Attempt]]:
    """What tools returned before this request, each with its turn."""
    for turn in _turns_until(evidence, record):
        before = turn.requests.index(request) if turn is record else len(turn.requests)
        yield from ((turn, one) for one in turn.attempts if one.accepted and one.requests_before <= before)


def _lost_message(
    evidence: CaseEvidence,
    answered: list[tuple[str, int, int]],
    record: TurnRecord,
    request: RecordedRequest,
    own_words: OwnWords,
) -> tuple[str, str, Level] | None:
    """A message of the user that was answered, and of which this request knows nothing. Advice if it is an old one."""
    view, before = request.view, record.requests.index(request)
    advice: tuple[str, str, Level] | None = None
    replies = sum(one.counts for one in record.requests[:before])  # an attempt that failed added no message
    results = [one.result for one in record.attempts if one.accepted and one.requests_before <= before]
    added, characters = replies + len(results), sum(map(len, results))
    texts, said = flat(view.texts), Counter([text for text, *_ in answered] + [flat(whole_part(record.turn.user_text))])
    for text, following, following_characters in answered:
        # Of what was said several times, the oldest is missing.
        said[text] -= 1
        if not text or (text in texts and (not said[text] or texts.count(text) > said[text])):
            continue
        cut = cut_of(text, texts) if len(text) >= ANCHOR + LEAST and text not in texts else None
        if own_words.are_in(
            view, _last_with(evidence, text, record, request)
        ):  # which may summarise what it leaves out
            return None
        if (cut is not None and cut.has_sign) or stands_for(evidence, record, request, text):
            continue
        got = f"{cut.kept} of its {len(text)} characters" if cut else "nothing of it"
        if text in texts:
            got = f"it stands there {texts.count(text)} times, and was said {said[text] + 1} times"
        expected = f'the earlier message of the user "{quoted(text, 80)}", or a mark in its place'
        is_old = following + added >= FEWEST or following_characters + characters >= ROOM
        if cut is not None or not is_old:
            return expected, f"{got}, and no mark", "must"
        advice = advice or (expected, f"{got}, and no mark", "should")
    return advice


def _last_with(evidence: CaseEvidence, text: str, record: TurnRecord, request: RecordedRequest) -> View | None:
    """The last request of the session before this one that has the text."""
    earlier = takewhile(lambda sent: sent[1] is not request, evidence.model_requests())
    views = [one.view for turn, one in earlier if turn.turn.session == record.turn.session]
    return next((view for view in reversed(views) if text in flat(view.texts)), None)


def _answered_in_history(evidence: CaseEvidence, record: TurnRecord) -> Iterator[tuple[str, int]]:
    """Of each exchange that is whole: its calls have results, and it ends in words. With the messages after it."""
    exchange: list[HistoryMessage] = []
    history = _history(evidence, record)
    for place, message in enumerate((*history, END_OF_HISTORY) if history else ()):
        if message.user is None:
            exchange.append(message)
            continue
        if exchange and exchange[0].user is not None and _is_whole(exchange):
            yield text_of(exchange[0].user), len(history) - place + len(exchange)
        exchange = [message]


def _is_whole(exchange: list[HistoryMessage]) -> bool:
    spoken = [one.assistant for one in exchange if isinstance(one.assistant, AssistantMessage)]
    calls = sum(len(message.calls) for message in spoken)
    last = exchange[-1].assistant
    words = last if isinstance(last, str) else last.text if last and not last.calls else ""
    return bool(words.strip()) and calls == sum(1 for one in exchange if one.tool)


class _FinishedTurn(Struct, frozen=True):
    """How many messages and characters a turn has, and what the user said, flat, if it was answered."""

    messages: int
    characters: int
    answered: str | None

    @classmethod
    def of(cls, turn: TurnRecord) -> "_FinishedTurn":
        results = [one.result for one in turn.attempts if one.accepted]
        texts = [turn.turn.user_text, *results, *(request.said for request in turn.counted)]
        said = flat(whole_part(turn.turn.user_text)) if answer_of(turn) is not None else None
        return cls(1 + len(turn.counted) + len(results), sum(map(len, texts)), said)


def _answered_before(
    evidence: CaseEvidence, number: int, turns: Mapping[int, _FinishedTurn]
) -> list[tuple[str, int, int]]:
    """What the user said before this turn and was answered, each with the messages and characters after it."""
    record = next(one for one in evidence.turns if one.number == number)
    messages, characters, answered = 0, 0, []
    for turn in reversed(_turns_until(evidence, record)[:-1]):
        finished = turns[turn.number]
        messages, characters = messages + finished.messages, characters + finished.characters
        if finished.answered is not None:
            answered.append((finished.answered, messages, characters))
    history = _answered_in_history(evidence, record)
    restored = [(flat(whole_part(text)), after + messages, characters) for text, after in history]
    return [*restored, *reversed(answered)]


def _history(evidence: CaseEvidence, record: TurnRecord) -> list[HistoryMessage]:
    """What the session began with, until a restart."""
    if not evidence.scenario.history:
        return []
    restarted = any(one.turn.restart for one in _turns_until(evidence, record))
    return [] if restarted or record.turn.session is not None else evidence.scenario.history


def _turns_until(evidence: CaseEvidence, record: TurnRecord) -> list[TurnRecord]:
    """The turns of its session since the last restart: what outlives a restart is for the scenario to say."""
    turns = [one for one in evidence.turns if one.number <= record.number]
    start = max((i for i, one in enumerate(turns) if one.turn.restart), default=0)
    return [one for one in turns[start:] if one.turn.session == record.turn.session]


KEPT_WHOLE = Law("kept-whole", check_kept_whole, Harm.DATA)
