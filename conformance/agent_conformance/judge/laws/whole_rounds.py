"""The law `whole-rounds`: of what belongs together, no half stands alone in a request. It is advice."""

from collections import Counter
from collections.abc import Iterator

from agent_conformance.judge.calls import same_arguments
from agent_conformance.judge.case_evidence import CaseEvidence, Mismatch, flat, quoted
from agent_conformance.judge.laws.law import Harm, Law
from agent_conformance.judge.laws.restored import SHORTEST, OwnWords, answer_of, breaks
from agent_conformance.judge.shortened_texts import cut_of, is_for_a_summary, is_for_the_shape, stands_for
from agent_conformance.scenario.derived.half_characters import whole_part
from agent_conformance.transcripts.transcript import RecordedRequest, TurnRecord
from fake_providers import View


def check_whole_rounds(evidence: CaseEvidence) -> Iterator[Mismatch]:
    """Of each case the first such request. Answers that a break has taken are for `restored`."""
    own_words = OwnWords(evidence)
    after_breaks = {id(one.request) for one in breaks(evidence)}
    for record, request in evidence.model_requests():
        if request.refused or is_for_the_shape(evidence, record, request):
            continue
        found = _narration_alone(evidence, record, request)
        if found is None and id(request) not in after_breaks:
            found = _question_alone(evidence, record, request)
        if found is not None and not is_for_a_summary(evidence, request) and not own_words.are_in(request.view):
            expected, got = found
            yield WHOLE_ROUNDS.broken_by(record, request, expected=expected, got=got)
            return


def _until(evidence: CaseEvidence, record: TurnRecord) -> list[TurnRecord]:
    """The turns of its session up to this one."""
    return [one for one in evidence.turns if one.turn.session == record.turn.session and one.number <= record.number]


def _narration_alone(evidence: CaseEvidence, record: TurnRecord, request: RecordedRequest) -> tuple[str, str] | None:
    spoken = [flat(message.text) for message in request.view.messages if message.role == "assistant"]
    for turn in _until(evidence, record):
        for one in _narrated(turn, request):
            text = flat(one.reply.text or "") if one.reply else ""
            if any(text in each for each in spoken) and not _has_a_call(evidence, one, request.view):
                names = ", ".join(dict.fromkeys(call.name for call in one.calls))
                return (
                    f'"{quoted(text, 60)}" with the calls beside it, of {names}, or neither of them',
                    "the text without any of the calls",
                )
    return None


def _question_alone(evidence: CaseEvidence, record: TurnRecord, request: RecordedRequest) -> tuple[str, str] | None:
    texts = flat(request.view.texts)
    said = Counter(flat(whole_part(turn.turn.user_text)) for turn in _until(evidence, record))
    for turn in _until(evidence, record)[:-1]:
        answer, question = answer_of(turn) or "", flat(whole_part(turn.turn.user_text))
        if said[question] > 1:
            continue  # the one that is there may be another one
        if min(len(answer), len(question)) < SHORTEST or question not in texts or answer in texts:
            continue
        if cut_of(answer, texts) is None and not stands_for(evidence, record, request, answer):
            return (
                f'the answer "{quoted(answer, 60)}" with its question, or neither of them',
                f'the question "{quoted(question, 60)}" alone',
            )
    return None


def _narrated(turn: TurnRecord, until: RecordedRequest) -> Iterator[RecordedRequest]:
    """The replies of the turn before this request with a text beside calls, where nothing was wrong with either."""
    if turn.turn.cancel is not None or turn.outcome == "killed":
        return
    for one in turn.requests:
        if one is until:
            return
        spec = one.spec
        if not one.counts or spec is None or one.complete is False or len(flat(spec.text or "")) < SHORTEST:
            continue
        if spec.calls and one.calls and not (spec.means or spec.finish or spec.fault or spec.quirks):
            yield one


def _has_a_call(evidence: CaseEvidence, replied: RecordedRequest, view: View) -> bool:
    """Whether one of its calls is there, as it was made or in words that name the tool."""
    sent = [call for message in view.messages for call in message.calls]
    for call in replied.calls:
        names, schema = (call.name, call.wire_name), evidence.schema_of(call.name)
        if any(one.name in names and same_arguments(one.arguments, call.spec.arguments or {}, schema) for one in sent):
            return True
        if any(one.id is not None and one.id == call.id for one in sent) or call.spec.arguments is None:
            return True
    said = flat("\n".join((view.system, *(message.text for message in view.messages))))
    return any(name in said for call in replied.calls for name in (call.name, call.wire_name))


WHOLE_ROUNDS = Law("whole-rounds", check_whole_rounds, Harm.WORDS, level="should")
