"""Laws on what the user sees: `no-protocol-text`, `stream-is-reply`, `narration-apart`.

They know no syntax: prose may hold anything.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache

from agent_conformance.judge.case_evidence import (
    END,
    CaseEvidence,
    Mismatch,
    agents_own_texts,
    dense,
    flat,
    known_texts,
    quoted,
)
from agent_conformance.judge.laws.law import Harm, Law
from agent_conformance.scenario.model import ReplySpec
from agent_conformance.transcripts.finding import Level
from agent_conformance.transcripts.transcript import ServedCall, TurnRecord

LEAST_ID = 8
"""Characters; a shorter id may be a number or a word that anybody would use."""
NEAR = r".{0,2000}?"
QUOTE = r"\\*['\"]"
"""Also of JSON that was printed within a string."""
NAME = rf"{QUOTE}(?:\w*name|function|tool){QUOTE}\s*:\s*{QUOTE}{{}}{QUOTE}"
"""`"name": "get_weather"`."""

OBJECTS = (
    r"<[\w.]*(?:call|tool_?use)\w*(?: object)? at 0x[0-9a-f]+>",
    r"\[object Object\]",
)
"""Printed objects that name no tool."""
REPR = rf"(?-i:\b[A-Z])\w*\({NEAR}\b\w*name={QUOTE}{{}}{QUOTE}"
"""`ToolCall(id='call_1', function=Function(arguments='{}', name='get_weather'))`."""
FIELD_OF_A_WIRE = rf"{QUOTE}(?:function(?:_?calls?)?|tool_?calls?|tool_?use){QUOTE}\s*:\s*[\[{{]{NEAR}{NAME}"
"""`{"functionCall": {"name": "get_weather"}}`. Calls of Gemini and Ollama need no id."""
NAME_AND_ID = (rf"{NAME}{NEAR}{QUOTE}{{}}{QUOTE}", rf"{QUOTE}{{}}{QUOTE}{NEAR}{NAME}")
"""`{"id": "call_1", "name": "get_weather"}`, in either order."""


def printed_call(record: TurnRecord, known: Callable[[], str]) -> tuple[str, str, Level] | None:
    """The text in the reply, what it is, and its level: an id that stands in a sentence is advice."""
    calls = [call for request in record.requests for call in request.calls]
    if not calls:
        return None
    for form in _forms(calls, record.reply):
        match = re.search(form, record.reply, re.DOTALL | re.IGNORECASE)
        if match and dense(match.group(0)) not in dense(known()):
            return match.group(0), "no call as a program prints it", "must"
    for call in calls:
        if call.id and len(call.id) >= LEAST_ID and call.id in record.reply and call.id not in known():
            return call.id, "no id of a call", "should"
    return None


def _forms(calls: Iterable[ServedCall], reply: str) -> Iterator[str]:
    """The forms that the reply may have: to compile one takes longer than to look for its name and id."""
    folded = reply.casefold()
    yield from OBJECTS if "object" in folded else ()
    for call in calls:
        if call.wire_name.casefold() not in folded:
            continue
        name = re.escape(call.wire_name)
        yield from (form.replace("{}", name) for form in (REPR, FIELD_OF_A_WIRE))
        if call.id and call.id.casefold() in folded:
            before, after = NAME_AND_ID
            call_id = re.escape(call.id)
            yield before.replace("{}", name, 1).replace("{}", call_id)
            yield after.replace("{}", call_id, 1).replace("{}", name)


ENVELOPES = (
    r"<tool_result\b[^>]*>.*?{}",
    r"<tool_response\b[^>]*>.*?{}",
    r"<function_results?\b[^>]*>.*?{}",
    r"\[tool results?\b[^\]]*\].*?{}",
    r'"tool_call_id"\s*:\s*"{}',
    r'"tool_use_id"\s*:\s*"{}',
    r'"call_id"\s*:\s*"{}',
    r'<tool_result\b[^>]*\bid="{}',
    r"\[tool result for {}",
)
"""Forms in which an id or a result of this case reaches the user as protocol; `{}` stands for the id or the result."""

_MARKUP = re.compile(r"\s*(?=[^\s\"]*[<>\[\]{}`|])[^\w\s]*(\w+)")
"""The name with which a text of any syntax begins, which tells its findings apart."""
_BEGUN = re.compile(r"[<\[{(|][^\w\s\"'>\])}]*\w{0,40}\Z")
_OPEN = re.compile(r"\w{0,40}[^\w\s\"'<\[({]{0,3}[>\])}|]")
"""What stands before and after a part of a tag: its beginning, and its end."""
NO_CALL = "no call written as text"
NO_MARKUP = "no text meant for the agent: calls, tags, thoughts"
NOT_FOR_THE_USER = "text meant for the agent"


def check_user_text(evidence: CaseEvidence) -> Iterator[Mismatch]:
    known = cache(lambda: known_texts(evidence))  # most cases do not need it
    own = agents_own_texts(evidence, known)
    for record in evidence.turns:
        if record.outcome not in ("reply", "cancelled"):
            continue
        streamed = "".join(record.deltas)
        for text, what, level in _forbidden(evidence, record):
            in_reply = text in record.reply
            if in_reply or text in streamed:
                yield _broken(record, text, what, level, in_reply=in_reply)
        for text in own:
            in_reply = text in record.reply
            if in_reply or text in streamed:
                what = "nothing that the agent itself put into a request"
                yield _broken(record, text, what, "must" if in_reply else "should", in_reply=in_reply)
        yield from [*_enveloped(record, evidence, known)] or _printed(record, known)


def _forbidden(evidence: CaseEvidence, record: TurnRecord) -> Iterator[tuple[str, str, Level]]:
    """What the replies so far declare as never to be shown."""
    for earlier in evidence.turns[: record.number]:
        for request in earlier.requests:
            means = request.spec.means if request.spec else None
            for text in means.never_show if means else ():
                yield text, NO_CALL if means and means.calls else NO_MARKUP, evidence.text_level


def _enveloped(record: TurnRecord, evidence: CaseEvidence, known: Callable[[], str]) -> Iterator[Mismatch]:
    if "<" not in record.reply and "[" not in record.reply and '"' not in record.reply:
        return
    ids = {call.id for request in record.requests for call in request.calls if call.id}
    results = {attempt.result for attempt in record.attempts if attempt.result.strip()}
    for secret in sorted(ids | results):
        for form in ENVELOPES:
            match = re.search(form.format(re.escape(secret)), record.reply, re.DOTALL | re.IGNORECASE)
            if match and match.group(0) not in known():
                yield _broken(record, match.group(0), "no tool result in its envelope", "must", in_reply=True)
                return


def _printed(record: TurnRecord, known: Callable[[], str]) -> Iterator[Mismatch]:
    if printed := printed_call(record, known):
        text, what, level = printed
        yield _broken(record, text, what, level, in_reply=True)


def check_deltas(evidence: CaseEvidence) -> Iterator[Mismatch]:
    """The deltas joined are the reply, but for white space and for texts that the model wrote in a message with calls.

    Whether such a text may be shown is for `no-protocol-text` and the expectations, a blank reply for `answers`. Where
    a turn answers more than its message, such as what waited for the user or was said meanwhile, the user sees all
    answers, and the reply is the last.
    """
    for record in evidence.turns:
        said = record.own_reply
        if said is None or not said.strip() or not record.deltas or record.outcome != "reply":
            continue
        optional = _longest_first([*narrations(record), *(spec.text for spec in _replies(record) if spec.calls)])
        streamed, reply = _bare("".join(record.deltas), optional), _bare(said, optional)
        if streamed == _several_answers(evidence, record, optional) and streamed.endswith(reply):
            continue
        if streamed and streamed != reply:
            yield STREAM_IS_REPLY.broken(
                "shown",
                turn=record.number,
                request=END,
                expected=f'deltas that join to the reply "{quoted(said)}"',
                got=f'"{quoted("".join(record.deltas))}"',
            )


def _several_answers(evidence: CaseEvidence, record: TurnRecord, optional: list[str]) -> str | None:
    """All answers of a turn that had more to answer than its message: an open question of an earlier one, or what the
    user said while the model answered. None for any other turn.
    """
    until_now = [turn for turn in evidence.turns if turn.number <= record.number]
    waited = any(turn.awaits_user or turn.was_stopped_at_a_question for turn in until_now if turn is not record)
    if not waited and not any(turn.steered_after for turn in until_now):
        return None
    answers = [request.said for request in record.counted if request.reply and not request.calls]
    return _bare("".join(answers), optional) if len(answers) > 1 else None


def narrations(record: TurnRecord) -> list[str]:
    """The texts that the model wrote with calls in this turn and that may be shown, the longest first."""
    return _longest_first(map(_narration, _replies(record)))


def _replies(record: TurnRecord) -> Iterator[ReplySpec]:
    for request in record.requests:
        if request.spec is not None and request.kind != "retry":
            yield request.spec


def _longest_first(texts: Iterable[str | None]) -> list[str]:
    return sorted((text.strip() for text in texts if text and text.strip()), key=len, reverse=True)


def _narration(spec: ReplySpec) -> str | None:
    if spec.means is not None and spec.means.handling != "show":
        return spec.means.show
    return spec.text if spec.calls or spec.finish in ("tool_calls", "pause") else None


def _bare(text: str, optional: list[str]) -> str:
    line = flat(text)
    for narration in optional:
        line = line.replace(flat(narration), "")
    return dense(line)


def _whole(text: str, shown: str) -> str:
    """The text with the rest of the tag of which it is a part: `</think>` for `think>`."""
    start = shown.find(text)
    before = _BEGUN.search(shown[:start])
    after = _OPEN.match(shown[start + len(text) :]) if text[-1:].isalnum() or text[-1:] == "_" else None
    return (before[0] if before else "") + text + (after[0] if after else "")


def _broken(record: TurnRecord, text: str, what: str, level: Level, *, in_reply: bool) -> Mismatch:
    where = "reply" if in_reply else "deltas"
    shown = record.reply if in_reply else "".join(record.deltas)
    markup = _MARKUP.match(quoted(text))
    name = markup[1] if markup else ""
    call = f"a call as text ({name})" if name else "a call as text"
    return NO_PROTOCOL_TEXT.broken(
        "shown",
        turn=record.number,
        request=END,
        place=f"the {where}",
        expected=f"the {where} to contain {what}",
        got=f'"{quoted(_whole(text, shown))}" in the {where} "{quoted(shown)}"',
        detail=f"{call if what == NO_CALL else name or NOT_FOR_THE_USER} in the {where}",
        level=level,
    )


NO_PROTOCOL_TEXT = Law("no-protocol-text", check_user_text, Harm.WORDS)
STREAM_IS_REPLY = Law("stream-is-reply", check_deltas, Harm.WORDS)


def check_narration(evidence: CaseEvidence) -> Iterator[Mismatch]:
    """Only of replies that the agent itself gives: deltas show what the model says while it says it."""
    for record in evidence.turns:
        narration = _joined(record) if record.own_reply and record.outcome == "reply" else None
        if narration is not None:
            yield NARRATION_APART.broken(
                "shown",
                turn=record.number,
                request=END,
                expected="the model's answer as the reply, without the text that it wrote with an earlier call",
                got=f'"{quoted(narration, 80)}" in front of it: "{quoted(record.reply)}"',
            )


def _joined(record: TurnRecord) -> str | None:
    """The text beside a call with which the reply begins, in front of the answer."""
    specs = [request.spec for request in record.counted if request.spec is not None]
    answer = flat(specs[-1].text or "") if specs and not specs[-1].calls else ""
    for spec in specs[:-1]:
        text = flat(spec.text or "") if spec.calls and spec.means is None else ""
        rest = flat(record.reply).removeprefix(text)
        if text and answer and rest != flat(record.reply) and answer in rest and not answer.startswith(text):
            return text
    return None


NARRATION_APART = Law("narration-apart", check_narration, Harm.WORDS, level="should")
