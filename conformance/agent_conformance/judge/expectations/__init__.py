"""What a scenario expects beyond the laws, turn by turn.

Here are expectations of what comes of a turn: `executed`, `outcome`, `reply` and `narration`.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from agent_conformance.judge.calls import ModelCall, model_calls, same_arguments, same_call, same_value
from agent_conformance.judge.case_evidence import END, CaseEvidence, Mismatch, quoted, unmet
from agent_conformance.judge.expectations.requests import (
    pictures_in_results,
    range_text,
    request_count,
    requests,
    state,
)
from agent_conformance.judge.laws.user_text import narrations
from agent_conformance.scenario.model import Demands, Range, ReplyExpectation, ReplySpec, TextMeaning
from agent_conformance.transcripts.finding import Level, Subject
from agent_conformance.transcripts.transcript import Approval, Attempt, TurnRecord
from fake_providers.values.json_texts import read_json
from fake_providers.values.patterns import found


def expectations(evidence: CaseEvidence) -> Iterator[Mismatch]:
    """Mismatches of every turn that ran, and of the whole case.

    Ids are `<turn>.<field>`, those of advice `<turn>.should.<field>`, and `effects[n]`.
    """
    level: Level = evidence.scenario.level
    for record in evidence.turns:
        demands = record.turn.expect
        # Advice where the turn depends on text that only open models write, and the wire serves none of them
        depends_on_text = any(reply.means is not None and reply.means.handling != "show" for reply in record.turn.model)
        turn_level = evidence.text_level if level == "must" and depends_on_text else level
        for mismatch in _of_turn(evidence, record, demands, is_default=True):
            yield replace(mismatch, level=turn_level)
        if demands.should is not None:
            yield from _as_advice(_of_turn(evidence, record, demands.should, is_default=False))
        yield from _as_advice(calls_from_text(evidence, record))
        yield from _as_advice(pictures_in_results(evidence, record))
    yield from effects(evidence)


def _of_turn(evidence: CaseEvidence, record: TurnRecord, demands: Demands, *, is_default: bool) -> Iterator[Mismatch]:
    yield from outcome(record, demands, is_default=is_default)
    if record.outcome != "cancelled" or evidence.has("deltas"):  # else nothing is shown before the end
        yield from reply(record, demands)
    yield from narration(record, demands)
    yield from executed(evidence, record, demands)
    yield from approvals(evidence, record, demands)
    yield from request_count(record, demands)
    yield from requests(evidence, record, demands)
    yield from state(evidence, record, demands)


def _as_advice(mismatches: Iterator[Mismatch]) -> Iterator[Mismatch]:
    for mismatch in mismatches:
        yield replace(mismatch, subject=replace(mismatch.subject, is_advice=True), level="should")


FENCED = re.compile(r"```(?:json)?\s*\n(.*?)\n\s*```", re.DOTALL)


def outcome(record: TurnRecord, demands: Demands, *, is_default: bool) -> Iterator[Mismatch]:
    """`reply` unless the scenario has another; a crash, a hang and a flood break the law `answers`."""
    default = "killed" if record.turn.crash else "parked" if record.awaits_user else "reply"
    wanted = demands.outcome or (default if is_default else None)
    if wanted is None or record.outcome in ("crash", "hang", "flood"):
        return
    allowed = {"either": ("reply", "error"), "parked": ("parked", "error")}.get(wanted, (wanted,))
    if record.outcome not in allowed:
        got = f"{record.outcome}: {record.failure}" if record.failure else f'the reply "{quoted(record.reply)}"'
        expected = f"the turn to end in {' or '.join(allowed)}"
        mismatch = unmet(record, "outcome", expected, got, detail=record.kind_of_failure)
        is_error = record.outcome == "error"
        yield replace(mismatch, kind="failure", refused=record.last_refusal) if is_error else mismatch


def reply(record: TurnRecord, demands: Demands) -> Iterator[Mismatch]:
    """In a cancelled turn it is what the user has seen, also what was taken back."""
    if demands.reply is None or record.outcome not in ("reply", "cancelled"):
        return
    if record.outcome == "cancelled":
        record = replace(record, own_reply="".join([*record.withdrawn, *record.deltas]) or record.own_reply)
    got = f'"{quoted(record.reply, 300)}"'
    for expected, level in _unmet(record, demands.reply):
        yield replace(unmet(record, "reply", expected, got), level=level)
        return


def _unmet(record: TurnRecord, wanted: ReplyExpectation) -> Iterator[tuple[str, Level]]:
    """What was expected and is not so; text that the model wrote with a call may be shown or left out.

    White space around an exact reply is advice, as it is around a result: nobody sees it.
    """
    yield from ((expected, "must") for expected in _missing(record, wanted))
    if wanted.exactly is not None and not any(wanted.exactly == text for text in shown_forms(record)):
        yield f'exactly the reply "{quoted(wanted.exactly)}", without white space around it', "should"


def _missing(record: TurnRecord, wanted: ReplyExpectation) -> Iterator[str]:
    texts = shown_forms(record)
    if wanted.equals is not None and not any(_tidy(text) == _tidy(wanted.equals) for text in texts):
        yield f'the reply "{quoted(wanted.equals)}"'
    if wanted.exactly is not None and not any(text.strip() == wanted.exactly.strip() for text in texts):
        yield f'exactly the reply "{quoted(wanted.exactly)}"'
    if wanted.one_of and not any(_tidy(text) == _tidy(choice) for text in texts for choice in wanted.one_of):
        yield "one of the replies " + ", ".join(f'"{quoted(choice, 60)}"' for choice in wanted.one_of)
    for part in wanted.contains:
        if part not in record.reply:
            yield f'a reply that contains "{quoted(part)}"'
    for part in wanted.lacks:
        if part in record.reply:
            yield f'a reply without "{quoted(part)}"'
    if "json" in wanted.given and not any(_is_json(text, wanted.json) for text in texts):
        yield f"the reply {json.dumps(wanted.json, ensure_ascii=False)}, as JSON"
    if wanted.matches is not None and not found(wanted.matches, record.reply):
        yield f"a reply that matches {wanted.matches}"


def shown_forms(record: TurnRecord) -> list[str]:
    """The reply as it is, and without texts at its beginning that the model wrote with calls."""
    forms = [record.reply]
    text = record.reply
    optional = narrations(record)
    while (rest := _after_narration(text.lstrip(), optional)) is not None:
        text = rest
        forms += [text, text.lstrip("\r\n"), text.lstrip()]
    return forms


def _after_narration(text: str, optional: list[str]) -> str | None:
    """What follows the one with which the text begins. White space in it may differ, as where its blocks are joined."""
    for narration_ in optional:
        if begun := re.match(r"\s*".join(map(re.escape, narration_.split())), text):
            return text[begun.end() :]
    return None


def narration(record: TurnRecord, demands: Demands) -> Iterator[Mismatch]:
    """`hidden`: no text that the model wrote with a call reaches the user; `shown`: each does."""
    if demands.narration is None or record.outcome != "reply":
        return
    visible = "".join(record.deltas) + "\n" + record.reply
    for text in narrations(record):
        if (text in visible) != (demands.narration == "shown"):
            word = "to be shown" if demands.narration == "shown" else "not to be shown"
            yield unmet(record, "narration", f'"{quoted(text)}" {word}', f'"{quoted(visible)}"')
            return


def _is_json(text: str, value: Any) -> bool:
    """Whether the text is JSON of this value, alone or as a block of code."""
    fenced = FENCED.fullmatch(text.strip())
    try:
        found = read_json(fenced[1] if fenced else text)
    except ValueError:
        return False
    return bool(same_value(found, value))


def _tidy(text: str) -> str:
    """Trimmed, blank lines collapsed, no white space at the ends of lines."""
    lines = [line.rstrip() for line in text.strip().splitlines()]
    return re.sub(r"\n{2,}", "\n", "\n".join(lines))


Wanted = Mapping[str, Any]


def executed(evidence: CaseEvidence, record: TurnRecord, demands: Demands) -> Iterator[Mismatch]:
    """What ran in the turn. After a turn in which the agent was killed, calls of it that were left may run as well."""
    wanted = demands.executed
    if wanted is None:
        return
    ran = record.executions
    if wanted.any_order is not None:
        choices, same, ending = [wanted.any_order], _same_in_any_order, ", in any order"
    else:
        choices, same, ending = wanted.one_of or [wanted.in_order or []], _same_in_order, ""
    if any(same(evidence, runs, choice) for runs in (ran, _without_left(evidence, record)) for choice in choices):
        return
    expected = "one of: " * (wanted.one_of is not None) + " | ".join(map(_listed, choices)) + ending
    yield unmet(record, "executed", expected, f"{_ran(ran)}{_refused(record)}")


def _without_left(evidence: CaseEvidence, record: TurnRecord) -> list[Attempt]:
    """The executions without those of calls that the turn before has left, because the agent was killed in it."""
    earlier = [turn for turn in evidence.turns if turn.number < record.number]
    before = next((turn for turn in reversed(earlier) if turn.turn.session == record.turn.session), None)
    if before is None or before.outcome != "killed":
        return record.executions
    calls = [call for call in model_calls(evidence) if call.turn == before.number]
    _, left = _divided(evidence, before.attempts, calls)
    return _divided(evidence, record.executions, left)[0]


def _divided(
    evidence: CaseEvidence, attempts: Sequence[Attempt], calls: Sequence[ModelCall]
) -> tuple[list[Attempt], list[ModelCall]]:
    """The attempts that run none of these calls, and the calls that none of the attempts runs. One runs one."""
    others, left = [], list(calls)
    for attempt in attempts:
        call = next((call for call in left if _is_run_of(evidence, attempt, call)), None)
        if call is None:
            others.append(attempt)
        else:
            left.remove(call)
    return others, left


def _is_run_of(evidence: CaseEvidence, attempt: Attempt, call: ModelCall) -> bool:
    return call.allows(attempt.tool) and _matches(evidence, attempt, attempt.tool, call.arguments)


def approvals(evidence: CaseEvidence, record: TurnRecord, demands: Demands) -> Iterator[Mismatch]:
    """What the user is asked to allow: each of these calls once, in any order."""
    if demands.approvals is None:
        return
    if not _asked_about(evidence, record.approvals, demands.approvals):
        yield unmet(
            record,
            "approvals",
            "the user to be asked about " + (_listed(demands.approvals) if demands.approvals else "nothing"),
            ", ".join(_call(one.tool, one.arguments) for one in record.approvals) or "no question",
        )


def _asked_about(evidence: CaseEvidence, asked: Sequence[Approval], wanted: Sequence[Wanted]) -> bool:
    """Questions without arguments come last: they fit any call of their tool."""
    rest = list(wanted)
    for one in sorted(asked, key=lambda question: question.arguments is None):
        schema = evidence.schema_of(one.tool)
        found = next((want for want in rest if _is_question(one, *_only(want), schema)), None)
        if found is None:
            return False
        rest.remove(found)
    return not rest


def _is_question(question: Approval, tool: str, arguments: Any, schema: Mapping[str, Any]) -> bool:
    same = question.arguments is None or same_arguments(question.arguments, arguments, schema)
    return question.tool == tool and same


def calls_from_text(evidence: CaseEvidence, record: TurnRecord) -> Iterator[Mismatch]:
    """Calls that the model wrote as text, and that a correct agent runs, are run. Such a text has what the tool takes,
    and nothing that the agent requires besides.
    """
    for number, reply in enumerate(record.turn.model):
        means = reply.means
        if means is None or means.handling != "run":
            continue
        served = next((request for request in record.requests if _has_calls(request.spec, means)), None)
        if served is None:
            continue
        for call in means.calls:
            runs = (call.name, *call.may_run)
            if served.requires_more.intersection(runs):
                continue
            sent = call.arguments or {}
            if not any(
                attempt.tool in runs and _matches(evidence, attempt, attempt.tool, sent)
                for attempt in record.executions
            ):
                expected = _listed([{call.name: sent}]) + ", which the model wrote as text"
                yield unmet(record, "means", expected, _ran(record.executions), number=number)
                return


def _has_calls(spec: ReplySpec | None, means: TextMeaning) -> bool:
    """Its text may have the agent's own names for them."""
    return spec is not None and spec.means is not None and spec.means.calls == means.calls


def _same_in_order(evidence: CaseEvidence, ran: Sequence[Attempt], wanted: Sequence[Wanted]) -> bool:
    return len(ran) == len(wanted) and all(
        _matches(evidence, attempt, *_only(want)) for attempt, want in zip(ran, wanted, strict=True)
    )


def _same_in_any_order(evidence: CaseEvidence, ran: Sequence[Attempt], wanted: Sequence[Wanted]) -> bool:
    rest = list(wanted)
    for attempt in ran:
        found = next((want for want in rest if _matches(evidence, attempt, *_only(want))), None)
        if found is None:
            return False
        rest.remove(found)
    return not rest


def _matches(evidence: CaseEvidence, attempt: Attempt, name: str, arguments: Any) -> bool:
    return same_call(evidence, attempt.tool, attempt.arguments, name, arguments)


def _only(want: Wanted) -> tuple[str, Any]:
    return next(iter(want.items()))


def _listed(wanted: Sequence[Wanted]) -> str:
    return ", ".join(_call(*_only(want)) for want in wanted) or "no tool to run"


def _ran(attempts: Sequence[Attempt]) -> str:
    return ", ".join(_call(attempt.tool, attempt.arguments) for attempt in attempts) or "no tool ran"


def _refused(record: TurnRecord) -> str:
    """The first call that did not run for its arguments."""
    for attempt in record.attempts:
        if attempt.enabled and not attempt.accepted:
            return f"; {_call(attempt.tool, attempt.arguments)} was called, which the tool's parameters refuse"
    return ""


def _call(name: str, arguments: Any) -> str:
    return f"{name} {quoted(json.dumps(arguments, ensure_ascii=False, default=repr), 100)}"


# The expectation `effects`: how often a tool runs in the whole case


def effects(evidence: CaseEvidence) -> Iterator[Mismatch]:
    """Too many runs are named in the turn of the first one too many, too few at the end of a whole case."""
    for number, (tool, wanted) in enumerate(evidence.scenario.effects.items()):
        runs = [record for record in evidence.turns for attempt in record.executions if attempt.tool == tool]
        if wanted.max is not None and len(runs) > wanted.max:
            yield _mismatch(evidence, number, tool, wanted, runs, runs[wanted.max])
        elif len(runs) < (wanted.min or 0) and len(evidence.turns) >= len(evidence.scenario.conversation):
            yield _mismatch(evidence, number, tool, wanted, runs, evidence.turns[-1])


def _mismatch(
    evidence: CaseEvidence, number: int, tool: str, wanted: Range, runs: list[TurnRecord], record: TurnRecord
) -> Mismatch:
    turns = ", ".join(f"turn {turn}" for turn in dict.fromkeys(run.number for run in runs))
    often = f"{range_text(wanted)} time{'' if (wanted.max or wanted.min) == 1 else 's'}"
    times = "once" if len(runs) == 1 else f"{len(runs)} times"
    return Mismatch(
        subject=Subject("expectation", "effects", number=number),
        kind="expectation",
        level=evidence.scenario.level,
        turn=record.number,
        request=END,
        expected=f"{tool} to run {often} in the whole conversation",
        got=f"it ran {times}, in {turns}" if runs else "it did not run",
    )
