"""The law `restored`: what an agent had sent before a break stands in the next request, or words in its place.

A break is a restart, also after a crash, another model, a second provider, a turn that the user cancelled, or a
compaction that the user asks for.
What a session has of another one is for `apart`; what is lost without a break, for `kept-whole`.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator
from functools import cached_property

from msgspec import Struct

from agent_conformance.judge.calls import same_arguments
from agent_conformance.judge.case_evidence import CaseEvidence, Mismatch, flat, known_texts, quoted
from agent_conformance.judge.laws.law import Harm, Law
from agent_conformance.judge.shortened_texts import (
    ANCHOR,
    LEAST,
    SIGN,
    Cut,
    cut_of,
    is_for_a_summary,
    is_for_the_shape,
    stands_for,
    words_on_failure,
)
from agent_conformance.judge.tool_results import has_result
from agent_conformance.scenario.derived.half_characters import whole_part
from agent_conformance.transcripts.finding import Level
from agent_conformance.transcripts.transcript import CONVERSATION, Attempt, RecordedRequest, TurnRecord
from fake_providers import View, ViewMessage

SHORTEST = 6
"""Characters; shorter texts may be words that anybody would use."""
SHORTEST_NOTE = 8
"""Characters of a line of the agent's own that may say what was left out: a note, or a summary."""
FEWEST = 10
"""Messages, each call's result one of them, that every window in use keeps: the default of Mastra is this low."""
ROOM = 10_000
"""Characters that every window in use has room for: LlamaIndex keeps 2,925 tokens of a model that it does not know."""


class Break(Struct, frozen=True):
    """The first request of a session after a `what`, and the last one before it."""

    what: str
    earlier: TurnRecord
    before: RecordedRequest
    record: TurnRecord
    request: RecordedRequest


NOTHING = "nothing of it, and no words in its place"


class Lost(Struct, frozen=True):
    """What a request should have, and what it has instead. `detail` is what such findings have in common."""

    expected: str
    level: Level
    detail: str
    got: str = NOTHING


AGAIN = ("restart", "crash")
"""Breaks after which the agent has what it had stored, and all that it had stored."""


CUT_SHORT = {"cancelled": (CANCELLATION := "cancelled turn"), "error": (FAILURE := "failed turn")}
"""Breaks by how the turn before has ended."""
OF_ONE_SESSION = (COMPACTION := "compaction", CANCELLATION, FAILURE)


def breaks(evidence: CaseEvidence) -> Iterator[Break]:
    last: dict[str | None, tuple[TurnRecord, RecordedRequest]] = {}
    pending: dict[str | None, str] = {}
    for place, record in enumerate(evidence.turns):
        session = record.turn.session
        if (what := _break_before(evidence.turns[:place], record)) is not None:
            pending |= dict.fromkeys({*last, session} if what not in OF_ONE_SESSION else {session}, what)
            if what == COMPACTION:
                pending |= dict.fromkeys({*last} - {session}, "compaction of another session")
        for request in record.requests:
            if request.kind not in CONVERSATION or request.refused or is_for_the_shape(evidence, record, request):
                continue
            if is_for_a_summary(evidence, request):
                continue
            if session in last:
                earlier, before = last[session]
                what = pending.pop(session, None if before.target == request.target else "change of the provider")
                if what is not None:
                    yield Break(what, earlier, before, record, request)
            last[session] = record, request
        if record.outcome == "cancelled":
            pending = dict.fromkeys({*last} - {session}, f"{CANCELLATION} of another session") | pending


def _break_before(earlier: tuple[TurnRecord, ...], record: TurnRecord) -> str | None:
    """What lies between this turn and those before it."""
    turn = record.turn
    if turn.restart:
        return "crash" if earlier and earlier[-1].outcome == "killed" else "restart"
    if turn.switch is not None:
        return "change of the model"
    if turn.compact:
        return COMPACTION
    before = next((one for one in reversed(earlier) if one.turn.session == turn.session), None)
    return CUT_SHORT.get(before.outcome) if before is not None else None


def check_restored(evidence: CaseEvidence) -> Iterator[Mismatch]:
    own_words = OwnWords(evidence)
    for one in breaks(evidence):
        found = (*_lost(evidence, one), *_cut(evidence, one), *_twice(evidence, one))
        lost = sorted(found, key=lambda what: what.level)  # `must` first
        if lost and is_limited(evidence) and (_has_a_part(one) or _fills_the_window(evidence, one)):
            continue
        for what in lost:
            if what.got != NOTHING or not own_words.are_in(one.request.view, one.before.view):
                yield RESTORED.broken_by(
                    one.record, one.request, level=what.level, expected=what.expected, got=what.got, detail=what.detail
                )
                break


def _lost(evidence: CaseEvidence, one: Break) -> Iterator[Lost]:
    """What the request before had, or what became of its answer, and this one has not."""
    turns = [turn for turn in evidence.turns if turn.turn.session == one.record.turn.session]
    before, now = flat(one.before.view.texts), flat(one.request.view.texts)
    got = _in_the_place(evidence, one)

    def is_gone(text: str, *, had: bool) -> bool:
        # Whether the rest of a part that is there may be missing is for other laws to say.
        is_here = text in now or cut_of(text, now) is not None
        if len(text) < SHORTEST or is_here or not (had or _was_summed_up(evidence, one, text)):
            return False
        return not stands_for(evidence, one.record, one.request, text)

    for turn in turns[: next(place for place, turn in enumerate(turns) if turn is one.record)]:
        answer, text = answer_of(turn), flat(whole_part(turn.turn.user_text))
        said = (text, *(flat(steer.user) for steer, _ in turn.said))
        for text in said if answer is not None or turn.outcome == "killed" else ():
            if is_gone(text, had=text in before):
                expected = f'what the user said before the {one.what}: "{quoted(text, 80)}"'
                yield Lost(expected, _level(one, text), f"the user's message after a {one.what}", got)
        if answer is not None and is_gone(answer, had=answer in before or turn is one.earlier):
            expected = f'what the model answered before the {one.what}: "{quoted(answer, 80)}"'
            yield Lost(expected, _level(one, answer), f"the model's answer after a {one.what}", got)
        for attempt in (attempt for attempt in turn.attempts if attempt.accepted):
            yield from _lost_run(evidence, one, turn, attempt, got)
    seen = [sum(map(_pictures_of, request.view.messages)) for request in (one.before, one.request)]
    if seen[1] < seen[0]:
        expected = f"the {seen[0]} pictures from before the {one.what}"
        is_at_once = one.what in AGAIN or one.earlier is one.record
        is_lost = is_at_once and not seen[1] and len(one.before.view.messages) < FEWEST
        yield Lost(expected, "must" if is_lost else "should", f"pictures after a {one.what}")


def _cut(evidence: CaseEvidence, one: Break) -> Iterator[Lost]:
    """Of what the request before had whole, the part that this one has, where no mark says so."""
    turns = [turn for turn in evidence.turns if turn.turn.session == one.record.turn.session]
    turns = turns[: next(place for place, turn in enumerate(turns) if turn is one.record)]
    had, has = [*_texts(one.before.view)], [*_texts(one.request.view)]
    said = {flat(whole_part(turn.turn.user_text)): "the user said" for turn in turns if answer_of(turn) is not None}
    said |= {answer: "the model answered" for turn in turns if (answer := answer_of(turn)) is not None}
    said |= {flat(attempt.result): "a tool returned" for turn in turns for attempt in turn.attempts if attempt.accepted}
    beginnings = Counter(text[:ANCHOR] for text in said)
    for text, by in said.items():
        is_new = one.earlier is turns[-1] and text == answer_of(turns[-1])
        if len(text) < ANCHOR + LEAST or beginnings[text[:ANCHOR]] > 1 or any(text in sent for sent in has):
            continue
        cuts = [cut for sent in has if (cut := cut_of(text, sent)) is not None]
        was_whole = is_new or any(text in sent for sent in had)
        if was_whole and cuts and not any(cut.has_sign for cut in cuts):
            if stands_for(evidence, one.record, one.request, text):
                continue
            expected = f'what {by} before the {one.what}, whole or with a mark where it was cut: "{quoted(text, 80)}"'
            got = f"{max(cut.kept for cut in cuts)} of its {len(text)} characters, and no mark"
            yield Lost(expected, "should" if is_new else "must", f"a part of what {by} after a {one.what}", got)


def answer_of(turn: TurnRecord) -> str | None:
    """The model's last words in a turn, flat, where they became the reply as they are."""
    counted = turn.counted
    spec = counted[-1].spec if counted and turn.outcome == "reply" else None
    answer = flat(spec.text or "") if spec is not None and not spec.calls and spec.finish is None else ""
    return answer if answer and answer in flat(turn.reply) else None


def _level(one: Break, text: str) -> Level:
    """Advice where so much has followed that an agent that sends the newest messages has lost it on purpose."""
    messages, characters = 2, 0  # the answer to that request, and the message of this turn
    for message in reversed(one.before.view.messages):
        messages += len(message.results) or 1
        characters += len(message.text) + sum(len(result.text) for result in message.results)
        if text in flat(message.text):
            break
    return "should" if messages > FEWEST or characters >= ROOM else "must"


def _was_summed_up(evidence: CaseEvidence, one: Break, text: str) -> bool:
    """Whether a summary stood for it before this compaction: the next one has to be made of that."""
    return one.what == COMPACTION and stands_for(evidence, one.earlier, one.before, text)


def _in_the_place(evidence: CaseEvidence, one: Break) -> str:
    """What stands there since a compaction that tells nothing of what is gone, where no mark is beside it: a summary
    which was made without it, or what the provider said when it made none.
    """
    if one.what != COMPACTION or OwnWords(evidence).are_in(one.request.view, one.before.view, marks_only=True):
        return NOTHING
    now = flat(one.request.view.texts)
    for request in one.record.requests[: one.record.requests.index(one.request)]:
        said = flat(request.said)
        if said and said in now:
            return f'a summary which was made without it: "{quoted(said, 80)}"'
        body = request.response.body.decode(errors="replace") if request.response is not None else ""
        told = map(flat, words_on_failure(body))
        if (
            request.status is not None
            and request.status >= 400
            and (words := next((text for text in told if text in now), ""))
        ):
            return f'what the provider said of a failure: "{quoted(words, 80)}"'
    return NOTHING


def _lost_run(evidence: CaseEvidence, one: Break, turn: TurnRecord, attempt: Attempt, got: str) -> Iterator[Lost]:
    """What ran in a turn that was not answered counts as done, and must not be called again: before a crash, or before
    the user cancelled it or the provider failed, if the model had read the result. Otherwise the answer tells of it.
    Some agents take such a turn back as a whole: that is broken where the scenario says that a call has an effect.
    """
    was_read = _has(one.before.view, attempt.result)
    is_done = turn.outcome == "killed" or (one.what in CUT_SHORT.values() and turn is one.earlier and was_read)
    view, now = one.request.view, flat(one.request.view.texts)
    served = (call for _, request in evidence.transcript.requests() for call in request.calls)
    names = {attempt.tool, *(call.wire_name for call in served if call.name == attempt.tool)}
    schema = evidence.schema_of(attempt.tool)
    called = [call for message in view.messages for call in message.calls if call.name in names]
    for sent in called:
        if same_arguments(attempt.arguments, sent.arguments, schema):
            return  # which result it has is for other laws to say
    result = flat(attempt.result)
    if len(result) >= SHORTEST and (result in now or _has(view, attempt.result)):
        return
    beside = (other.arguments for other in turn.attempts if other.tool == attempt.tool)
    has_others = any(same_arguments(one, sent.arguments, schema) for one in beside for sent in called)
    is_torn = turn.outcome == "killed" and has_others  # what stands under them tells nothing of this one
    if is_done and (is_torn or not any(name in now for name in names)):
        arguments = quoted(json.dumps(attempt.arguments, ensure_ascii=False, default=repr), 80)
        made = f"the call of {attempt.tool} that was made before the {one.what}, with {arguments}"
        expected = f"{made}: it is not to be repeated"
        acts = turn.outcome == "killed" or evidence.acts(attempt.tool)
        instead = "other calls of the same reply, and not this one" if is_torn else got
        yield Lost(expected, "must" if acts else "should", f"a call before a {one.what}", instead)
    elif not is_done and len(result) >= SHORTEST and was_read:
        if one.what == COMPACTION and stands_for(evidence, one.record, one.request, attempt.result):
            return
        expected = f'the result of {attempt.tool} from before the {one.what}: "{quoted(result, 80)}"'
        acts = got != NOTHING and evidence.acts(attempt.tool)
        yield Lost(expected, "must" if acts else "should", f"a result after a {one.what}", got)


def _has(view: View, result: str) -> bool:
    return any(has_result(one.text, result) for message in view.messages for one in message.results)


def _pictures_of(message: ViewMessage) -> int:
    return len(message.pictures) + sum(len(result.pictures) for result in message.results)


def _twice(evidence: CaseEvidence, one: Break) -> Iterator[Lost]:
    """The system prompt more often than before, and what a summary had taken the place of."""
    prompt = flat(evidence.scenario.system)
    had, has = (_instructions(request.view).count(prompt) for request in (one.before, one.request))
    if len(prompt) >= SHORTEST and has > max(1, had):
        expected = f'the system prompt once after a {one.what}: "{quoted(prompt, 80)}"'
        yield Lost(expected, "must", f"the system prompt after a {one.what}", f"it stands there {has} times")
    if one.what not in AGAIN:
        return
    before, now = flat(one.before.view.texts), flat(one.request.view.texts)
    turns = [turn for turn in evidence.turns if turn.turn.session == one.record.turn.session]
    requests = [request for turn in turns for request in turn.requests]
    answers = [
        flat(request.reply.text)
        for request in requests
        if request.reply and request.reply.text and (request.kind == "side" or is_for_a_summary(evidence, request))
    ]
    summary = next((answer for answer in reversed(answers) if answer in before), None)
    said = [flat(turn.turn.user_text) for turn in turns if turn.number < one.record.number]
    back = next((text for text in said if len(text) >= SHORTEST and text not in before and text in now), None)
    if summary is None or (back is None and summary in now):
        return
    expected = f'the summary that was in the place of the turns before it: "{quoted(summary, 80)}"'
    if back is None:
        yield Lost(expected, "must", f"a summary after a {one.what}")
    else:
        was_asked = any(turn.turn.compact for turn in turns)
        beside = "beside it, " if summary in now else "instead, "
        level: Level = "must" if was_asked or summary in now else "should"
        yield Lost(f"{expected} alone", level, f"a summary after a {one.what}", f'{beside}"{quoted(back, 80)}"')


def _instructions(view: View) -> str:
    return flat("\n".join((view.system, *(message.text for message in view.messages))))


def is_limited(evidence: CaseEvidence) -> bool:
    return evidence.scenario.limits.context_tokens is not None or evidence.scenario.window is not None


def _has_a_part(one: Break) -> bool:
    """Whether anything of the request before is there: where the context is limited, the rest may have to go."""
    had = {*_texts(one.before.view), flat(one.before.reply.text or "") if one.before.reply else ""}
    return any(text in had for text in _texts(one.request.view) if len(text) >= SHORTEST)


def _texts(view: View) -> Iterator[str]:
    for message in view.messages:
        yield flat(message.text)
        yield from (flat(result.text) for result in message.results)


def _fills_the_window(evidence: CaseEvidence, one: Break) -> bool:
    """Whether the turn before, which may go as a whole, and what the user says now leave little room. A compaction has
    to read all turns of its session, and leaves out what is too much for it.
    """
    limit, window = evidence.scenario.limits.context_tokens, evidence.scenario.window
    tokens = min(limit or window.tokens, window.tokens) if window is not None else limit or 0
    session, end = one.record.turn.session, one.record.number
    of_session = [turn for turn in evidence.turns if turn.turn.session == session and turn.number < end]
    read = of_session if one.what == COMPACTION else [one.earlier]
    results = sum(len(attempt.result) for turn in read for attempt in turn.attempts)
    said = sum(len(record.turn.user_text) for record in (*read, one.record))
    return results + said > 2 * tokens  # of some four characters each


class OwnWords:
    """Whether a request has words of the agent's own, beyond those that its first request has: a note or a summary.

    What frames a message or a result, and a number that changes, as in a clock, are none. Nor is what stood already
    beside the text that is missed, in the request `before`, unless it says that something is left out.
    """

    def __init__(self, evidence: CaseEvidence) -> None:
        self._evidence = evidence

    def are_in(self, view: View, before: View | None = None, *, marks_only: bool = False) -> bool:
        """`marks_only`: words that say in the usual way that something is left out."""
        stood = {line for line in _lines(before) if not SIGN.search(line)} if before is not None else set()
        new = (line for line in _lines(view) if line not in stood and (SIGN.search(line) or not marks_only))
        return any(self._is_note(line) and _in_general(line, self._said) not in self._usual for line in new)

    def _is_note(self, line: str) -> bool:
        own = _in_general(line, self._said)
        names = {tool.name.lower() for tool in self._evidence.scenario.tools}
        return len(own) >= SHORTEST_NOTE and line not in self._known and not Cut(0, own).is_silent(names)

    @cached_property
    def _known(self) -> str:
        return flat(known_texts(self._evidence))

    @cached_property
    def _said(self) -> list[str]:
        """What may stand in a frame of the agent's, the longest first."""
        texts: list[str] = []
        for record in self._evidence.transcript.turns:
            texts += [record.turn.user_text, *(attempt.result for attempt in record.attempts)]
        spellings = {one for text in texts for one in (flat(text), json.dumps(text)[1:-1], *map(flat, _misread(text)))}
        return sorted((text for text in spellings if len(text) >= SHORTEST), key=len, reverse=True)

    @cached_property
    def _usual(self) -> set[str]:
        first = next((one for _, one in self._evidence.model_requests() if not one.refused), None)
        is_first = first is not None and not self._evidence.scenario.history
        return {_in_general(line, self._said) for line in _lines(first.view)} if first and is_first else set()


def _misread(text: str) -> Iterator[str]:
    """What is left of a text in another encoding: it looks like words of the agent's own."""
    yield text.encode("ascii", "replace").decode()
    yield from (text.encode().decode(encoding, "replace") for encoding in ("ascii", "latin-1", "cp1252"))


def _lines(view: View) -> Iterator[str]:
    texts = (
        view.system,
        *(text for one in view.messages for text in (one.text, *(result.text for result in one.results))),
    )
    return (line for text in texts for line in map(flat, text.splitlines()) if line)


def _in_general(line: str, said: list[str]) -> str:
    """The line without what others said, and with each number as 0."""
    for text in said:
        line = line.replace(text, "")
    return re.sub(r"\d+", "0", line)


RESTORED = Law("restored", check_restored, Harm.DATA)
