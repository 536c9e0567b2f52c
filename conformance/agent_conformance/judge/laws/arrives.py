"""The law `arrives`: under a call that ran stands what its tool returned, or words that say that it was left out.

Of a text and structured data beside it, the data have to be there, as JSON or in any words that tell them. A part of a
result is for `kept-whole`, the result of another call for `own-result`.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from difflib import SequenceMatcher
from itertools import dropwhile, takewhile
from typing import Any

from agent_conformance.judge.calls import pairing, rounds, same_call
from agent_conformance.judge.case_evidence import CaseEvidence, Mismatch, flat, quoted
from agent_conformance.judge.laws.law import Harm, Law
from agent_conformance.judge.laws.own_results import (
    KnownResult,
    OwnResults,
    check_own_results,
    known_results,
    restored_results,
)
from agent_conformance.judge.shortened_texts import (
    IN_BRACKETS,
    SIGN,
    cut_in_result,
    may_be_shorter,
    stands_for,
    without_accents,
)
from agent_conformance.judge.tool_results import readings
from agent_conformance.scenario.derived.half_characters import HALF
from agent_conformance.scenario.model import AssistantMessage, ToolSpec
from agent_conformance.transcripts.finding import Level
from agent_conformance.transcripts.transcript import Attempt, RecordedRequest, TurnRecord
from fake_providers import ViewCall, ViewResult

SHORTEST = 6
"""Characters of a result; an agent may say a shorter one in another way."""
SHORT = 200
"""Characters of a result of which half in one piece is it, whatever its words are: scripts differ in what a word is."""
SHARE = 5
"""One telling word in so many of a result is enough: it was laid out, or told, in another way."""
TELLING = 4
"""Letters of a word that tells something of a result, as numbers beside it do: shorter ones are in any sentence."""
EMPTY_RESULTS = ("", "null", "[]", "{}")
"""Results that an agent may send as an empty text."""
LEFT_OUT = re.compile(
    r"""summar|recap|clear|prun|compact|archiv|offload|redact|mask|hidden|hide|withh|filter|block|policy|unsafe|discard
    | delet|drop|expire|stale|stored|saved?\b|written|file|path|artifact|refer|too\ (?:long|large|big|many)|exceed|limit
    | same|identical|unchanged|repeat|already|duplicate|earlier|previous|before|above|again|old\b""",
    re.IGNORECASE | re.VERBOSE,
)
"""How agents say that something else stands for a result, in the words of many."""
FAILURE = re.compile(
    r"""error|fail|except|problem|trouble|wrong|sorry|invalid|fatal|panic|crash|broke|abort|cancel|stop|interrupt|reject
    | refus|denied|unable|cannot|unknown|unavail|unsuccess|timed?\ ?out|traceback|\bdown\b|\bnot?\b
    | n[\N{APOSTROPHE}\N{RIGHT SINGLE QUOTATION MARK}]t\b""",
    re.IGNORECASE | re.VERBOSE,
)
"""How agents say in their own words that a tool has failed."""
PRINTED = re.compile(r"\[object \w+\]|<[\w.]+ object at 0x|<coroutine ", re.IGNORECASE)
_WORD = re.compile(r"\w+")


def check_arrival(evidence: CaseEvidence) -> Iterator[Mismatch]:
    """Of each case the first request without the result of a call that ran."""
    known = known_results(evidence)
    is_own = OwnResults(evidence, known)
    read: set[tuple[str, str, str]] = set()
    has_run = known or any(turn.attempts for turn in evidence.transcript.turns)  # what failed is no known result
    for record, request in evidence.model_requests() if has_run else ():
        if request.refused:
            continue
        by_call: dict[tuple[str, str], list[tuple[ViewCall, ViewResult]]] = defaultdict(list)
        for one in rounds(request.view):
            for call, result in pairing(one).pairs if one.calls and one.results else ():
                by_call[call.name, call.arguments_text].append((call, result))
        for pairs in by_call.values():
            call, result = pairs[-1]
            key = (call.name, call.arguments_text, result.text)
            if key in read or result.pictures or any(is_own(call, each.text) for call, each in pairs):
                continue
            read.add(key)
            returned, level = _returned(evidence, call, record, request, hides_failure=_hides_failure(result))
            own = _answered_by_the_agent(evidence, call, record, request)
            if returned is None or len(pairs) <= own:
                continue
            data = _structured(evidence, call, record, request)
            if data is None:
                is_told = not _denies(evidence, call, record, request, result)
                untold: Level | None = None if is_told and _is_told(result.text, returned, known) else "must"
                expected = f'what {call.name} returned, "{quoted(returned, 80)}", or words on what is left out'
                detail = f"{'other words' if result.text.strip() else 'nothing'} in the place of a result"
            else:
                untold = _untold(result.text, data, evidence.tool(call.name))
                expected = f'the structured data that {call.name} returned, in some form: "{quoted(returned, 80)}"'
                detail = "a result without its structured data"
            if untold is not None and not (
                _follows(request, result, returned, has_own_words=own > 0)
                or _is_summed_up(evidence, record, request, returned)
            ):
                if data is None and next(check_own_results(evidence), None) is not None:  # they have changed places
                    return
                yield ARRIVES.broken_by(
                    record,
                    request,
                    level=max(level, untold),
                    expected=expected,
                    got=f'"{quoted(result.text, 80)}"' if result.text.strip() else "an empty result",
                    detail=detail,
                )
                return


def _hides_failure(result: ViewResult) -> bool:
    """Whether it reads as that of a tool which has not failed. What words of another script say is not known."""
    return result.text.isascii() and not result.is_error and not FAILURE.search(result.text)


def _returned(
    evidence: CaseEvidence, call: ViewCall, record: TurnRecord, request: RecordedRequest, *, hides_failure: bool
) -> tuple[str | None, Level]:
    """What the call returned before this request, None for one that need not come back; and the level of its loss.

    Of a turn that was cancelled only that has to stay which the model had read. Of one that the agent did not survive,
    it may know too little, but for calls that have an effect: these are not to be made again. A failure may be told in
    other words, as a failure.
    """
    runs = _runs_of(evidence, call, record, request)
    if not runs:
        restored = [
            text for name, ran, text in restored_results(evidence) if (name, ran) == (call.name, call.arguments)
        ]
        return (restored[-1] if restored else None), "must"
    turn, attempt = runs[-1]
    is_gone = attempt.lost is not None or not attempt.accepted
    is_gone = is_gone or (turn.turn.cancel is not None and not _was_sent(turn, attempt))
    is_gone = is_gone or (attempt.failed and not hides_failure)
    is_gone = is_gone or any(one.tool == attempt.tool and one.answer is not True for one in turn.approvals)
    level: Level = "should" if turn.outcome == "killed" and not evidence.acts(attempt.tool) else "must"
    return (None if is_gone else attempt.result), level


def _structured(
    evidence: CaseEvidence, call: ViewCall, record: TurnRecord, request: RecordedRequest
) -> Mapping[str, Any] | None:
    runs = _runs_of(evidence, call, record, request)
    return runs[-1][1].structured if runs else None


def _untold(sent: str, structured: Mapping[str, Any], tool: ToolSpec | None) -> Level | None:
    """None where the data are told or a mark says that they are left out; advice where most of them are told.

    The text beside them is the tool's own: what it says is no mark of the agent's.
    """
    values = dict.fromkeys(_values_in(structured))
    if not sent.strip():
        return "must" if structured else None
    readable = without_accents(flat("\n".join((sent, *readings(sent).texts))))
    missing = [value for value in values if not _stands_in(value, readable)]
    said = tool.returns if tool is not None and isinstance(tool.returns, str) else ""
    own = sent.replace(said, "")
    if not missing or SIGN.search(own) or LEFT_OUT.search(own):
        return None
    return "must" if 2 * len(missing) > len(values) else "should"


def _values_in(value: Any) -> Iterator[str | float]:
    """The texts and numbers in a JSON value; truths and nothings have too many words."""
    if isinstance(value, Mapping | list):
        for inner in value.values() if isinstance(value, Mapping) else value:
            yield from _values_in(inner)
    elif isinstance(value, str | float | int) and not isinstance(value, bool) and value != "":
        yield value


def _stands_in(value: str | float, readable: str) -> bool:
    if isinstance(value, str):
        return without_accents(flat(value)) in readable
    number = re.escape(f"{value:.0f}" if float(value).is_integer() else str(value))
    return re.search(rf"(?<![\w.]){number}(?:\.0+)?(?![\d])", readable.replace(",", "")) is not None


def _denies(
    evidence: CaseEvidence, call: ViewCall, record: TurnRecord, request: RecordedRequest, result: ViewResult
) -> bool:
    """Whether it reads as that of a call which was not made, while it had its effect before the agent was killed."""
    runs = _runs_of(evidence, call, record, request)
    return (
        bool(runs)
        and runs[-1][0].outcome == "killed"
        and evidence.acts(call.name)
        and FAILURE.search(result.text) is not None
    )


def _runs_of(
    evidence: CaseEvidence, call: ViewCall, record: TurnRecord, request: RecordedRequest
) -> list[tuple[TurnRecord, Attempt]]:
    """What ran of such calls before this request, in order."""
    return [(turn, one) for turn, one in _before(evidence, record, request) if _is_of(evidence, one, call)]


def _was_sent(turn: TurnRecord, attempt: Attempt) -> bool:
    messages = (message for request in turn.requests for message in request.view.messages)
    return any(attempt.result in result.text for message in messages for result in message.results)


def _answered_by_the_agent(evidence: CaseEvidence, call: ViewCall, record: TurnRecord, request: RecordedRequest) -> int:
    """How many such calls ran nothing, as one that the user denied: their results are the agent's own words."""
    earlier = takewhile(lambda sent: sent[1] is not request, evidence.transcript.requests())
    own = (sent for turn, sent in earlier if turn.turn.session == record.turn.session)
    served = (one for sent in own for one in sent.calls if one.name == call.name)
    made = sum(
        one.spec.arguments is None or same_call(evidence, one.name, one.spec.arguments, call.name, call.arguments)
        for one in served
    )
    return made - len(_runs_of(evidence, call, record, request)) + _open_in_history(evidence, call)


def _open_in_history(evidence: CaseEvidence, call: ViewCall) -> int:
    """How many such calls of the history it began with have no result there."""
    spoken = (one.assistant for one in evidence.scenario.history if isinstance(one.assistant, AssistantMessage))
    made = sum((one.name, one.arguments or {}) == (call.name, call.arguments) for each in spoken for one in each.calls)
    return made - sum((name, ran) == (call.name, call.arguments) for name, ran, _ in restored_results(evidence))


def _before(
    evidence: CaseEvidence, record: TurnRecord, request: RecordedRequest
) -> Iterator[tuple[TurnRecord, Attempt]]:
    for turn in evidence.transcript.turns:
        if turn.turn.session == record.turn.session and turn.number <= record.number:
            until = request.attempts_before if turn is record else len(turn.attempts)
            yield from ((turn, attempt) for attempt in turn.attempts[:until])


def _is_of(evidence: CaseEvidence, attempt: Attempt, call: ViewCall) -> bool:
    return same_call(evidence, attempt.tool, attempt.arguments, call.name, call.arguments)


def _is_note(sent: str) -> bool:
    """Whether it is words in brackets, in any language, and not what a program writes for an object."""
    return bool(IN_BRACKETS.fullmatch(sent) and _WORD.search(sent) and not PRINTED.search(sent))


def _is_told(sent: str, returned: str, known: list[KnownResult]) -> bool:
    """Whether it is there in another form, or something says that it is not."""
    if not sent.strip():
        return returned.strip() in EMPTY_RESULTS
    words = set(_WORD.findall(without_accents(returned)))
    if len(flat(returned)) < SHORTEST or not words:
        return True
    if cut_in_result(flat(returned), sent) is not None:
        return True
    same = SequenceMatcher(None, returned[:SHORT], sent[:SHORT], autojunk=False).find_longest_match()
    if 2 * same.size >= len(returned):
        return True
    telling = {one for one in words if len(one) >= TELLING or one.isdigit() or not one.isascii()}
    telling = words if all(map(str.isdigit, telling)) else telling
    if len(telling & set(_WORD.findall(without_accents(sent)))) * SHARE >= len(telling):
        return True
    if SIGN.search(sent) or LEFT_OUT.search(sent) or _is_note(sent):
        return True
    return any(len(text) >= SHORTEST and text in sent for _, _, text in known)  # another call's: `own-result` says so


def _follows(request: RecordedRequest, result: ViewResult, returned: str, *, has_own_words: bool) -> bool:
    """Whether it stands in a message of the user behind the result, as that of a job which had only been started. Half
    a character may be another one there. Of a call that ran nothing, the first one may say so in the agent's words."""
    behind = dropwhile(lambda message: result not in message.results, request.view.messages)
    said = [flat(one.text) for one in behind if one.role == "user"]
    if has_own_words and said and LEFT_OUT.search(said[0]):
        return True
    whole = flat(returned)
    pieces = [piece for piece in HALF.split(whole) if piece]
    return bool(pieces) and any(
        all(piece in text for piece in pieces) or cut_in_result(whole, text) is not None for text in said
    )


def _is_summed_up(evidence: CaseEvidence, record: TurnRecord, request: RecordedRequest, returned: str) -> bool:
    return may_be_shorter(evidence) and stands_for(evidence, record, request, returned)


def cleared_results(evidence: CaseEvidence, record: TurnRecord, request: RecordedRequest) -> list[tuple[str, str]]:
    """The results of earlier turns that may be left out here, each with what stands under a call of theirs and says so,
    without telling a failure.
    """
    marked = [
        (call, result.text)
        for one in rounds(request.view)
        for call, result in (pairing(one).pairs if one.calls and one.results else ())
        if _says_cleared(result.text)
    ]
    if not marked:
        return []
    earlier = (turn for turn in evidence.transcript.turns if turn.number < record.number)
    known = [*restored_results(evidence)]
    known += [
        (one.tool, one.arguments, one.result)
        for turn in earlier
        if turn.turn.session == record.turn.session
        for one in turn.attempts
        if one.accepted
    ]
    return [
        (returned, sent)
        for call, sent in marked
        for tool, ran, returned in known
        if same_call(evidence, tool, ran, call.name, call.arguments)
    ]


def _says_cleared(sent: str) -> bool:
    return (SIGN.search(sent) or LEFT_OUT.search(sent)) is not None and FAILURE.search(sent) is None


ARRIVES = Law("arrives", check_arrival, Harm.DATA)
