"""The law `authority`: nothing that a tool returned or the model wrote stands among the instructions, nothing that a
tool returned as if the user had said it, and nothing that the provider said of a failure among the model's words.
"""

import re
from collections.abc import Iterator

from agent_conformance.judge.case_evidence import CaseEvidence, Mismatch, flat, quoted
from agent_conformance.judge.laws.law import Harm, Law
from agent_conformance.judge.laws.own_results import restored_results
from agent_conformance.judge.quotations import PART, plain, quotations
from agent_conformance.judge.shortened_texts import IN_BRACKETS, is_for_a_summary, words_on_failure
from agent_conformance.transcripts.transcript import RecordedRequest, RequestKind, TurnRecord

EARLIER = re.compile(
    r"summar|recap|conversation|transcript|dialog|(?:chat|message) history"
    r"|(?:earlier|previous) (?:turn|message|exchange)|earlier in (?:this|the)"
    r"|said (?:earlier|before|so far|previously)|(?:earlier|previously) said"
)
DATA = re.compile(
    r"untrusted|as data|data only|(?:not|no|ignore (?:all|any)) (?:instruction|order|directive|command)s?",
)
"""How agents say that something among their instructions is what was said before, or is none of them. Facts, notes and
what is known, learned or done "so far" are a memory: the model reads them as the agent's own words."""
NEAR = 200
"""Characters before such words in which a heading stands that was there from the beginning."""


FAILED: frozenset[RequestKind] = frozenset({"fault", "refused", "window"})


def check_authority(evidence: CaseEvidence) -> Iterator[Mismatch]:
    """Of each case the first request with such a text: what follows repeats it.

    What the instructions had at the beginning is the setup's, or the agent's own; words of the user are not looked at.
    """
    first = next((request for _, request in evidence.model_requests() if not request.refused), None)
    if first is None:
        return
    named = " ".join(f"{tool.name} {tool.description}" for tool in evidence.scenario.tools)
    own = plain("\n".join((evidence.scenario.system, first.view.system, named, *_users_words(evidence))))
    names = set(plain(named).split())
    read = {first.view.system}
    for record, request in evidence.model_requests():
        system = request.view.system
        if request.refused or system in read or not system.strip():
            continue
        read.add(system)
        new = plain("\n".join(line for line in system.splitlines() if line not in first.view.system))
        found: list[tuple[str, str, str]] = []
        for text, who in _others_words(evidence, record, request) if new else ():
            for line in text.splitlines():
                pieces = [one for one in quotations(plain(line), new, own) if not names.issuperset(one.split())]
                found += [(piece, line, who) for piece in pieces]
        if found and not _is_told(found, new, plain(system.replace(evidence.scenario.system, ""))):
            _, line, who = found[0]
            how = "as it was" if flat(line) in flat(system) else "in another form, or a part of it"
            yield AUTHORITY.broken_by(
                record,
                request,
                expected=f"no words of {who} in the system prompt",
                got=f'"{quoted(flat(line), 100)}" stands there, {how}',
                detail=f"words of {who} in the system prompt",
            )
            return


def _is_told(found: list[tuple[str, str, str]], new: str, system: str) -> bool:
    """Whether words of the agent's own say what these words are: anywhere that they are none of its instructions, in
    what it has added or right before them that they were said earlier.
    """
    before = system[: max(system.find(found[0][0]), 0)][-NEAR:]
    for piece, _, _ in found:
        new, system, before = (text.replace(piece, " ") for text in (new, system, before))
    return bool(DATA.search(system) or EARLIER.search(new) or EARLIER.search(before))


def check_words_of_the_model(evidence: CaseEvidence) -> Iterator[Mismatch]:
    """Of each case the first request with what the provider said as the model's answer, without a word of the agent's.

    With one, such as `Error:`, it is advice: the model reads that it has not said this.
    """
    said: list[str] = []
    for record, request in evidence.model_requests():
        texts = [flat(message.text) for message in request.view.messages if message.role == "assistant"]
        for text in texts if not request.refused else ():
            failure = next((one for one in said if one in text), None)
            is_note = IN_BRACKETS.fullmatch(text) and not text.startswith("{")  # JSON is what the provider sent
            if failure is not None and not is_note:
                yield AUTHORITY.broken_by(
                    record,
                    request,
                    level="should" if re.search(r"\w", text.replace(failure, "")) else "must",
                    expected="no answer of the model where it gave none, or a note in brackets",
                    got=f'what the provider said of a failure: "{quoted(text, 100)}"',
                    detail="words of the provider as the model's",
                )
                return
        if request.kind in FAILED and request.response is not None:
            body = request.response.body.decode(errors="replace")
            said += map(flat, words_on_failure(body))


def check_words_of_the_user(evidence: CaseEvidence) -> Iterator[Mismatch]:
    """Of each case the first message of the user with words of a tool, whose result is there too, and with no words of
    the agent's own that could say whose they are.
    """
    named = (f"{tool.name} {tool.description}" for tool in evidence.scenario.tools)
    users = [text for text in map(plain, _users_words(evidence)) if text]
    own = " ".join((plain(" ".join((evidence.scenario.system, *named))), *users))
    read = {"", *users}
    for record, request in evidence.model_requests():
        results = [result.text for message in request.view.messages for result in message.results]
        for message in request.view.messages if results and not request.refused else ():
            rest = plain(message.text) if message.role == "user" else ""
            if rest in read:
                continue
            read.add(rest)
            lines = [line for text in results for line in text.splitlines()]
            found = [(line, piece) for line in lines for piece in quotations(plain(line), rest, own)]
            for words in (*(piece for _, piece in found), *users):
                rest = rest.replace(words, " ")
            told = [line for line, piece in found if len(piece) >= PART]
            if told and not rest.strip():
                yield AUTHORITY.broken_by(
                    record,
                    request,
                    expected="no words of a tool as if the user had said them",
                    got=f'in a message of the user: "{quoted(flat(told[0]), 100)}"',
                    detail="words of a tool as the user's",
                )
                return


def _users_words(evidence: CaseEvidence) -> Iterator[str]:
    for record in evidence.transcript.turns:
        yield record.turn.user_text
        yield from (steer.user for steer in record.turn.steer)
    yield from (message.system for message in evidence.scenario.history if message.system)


def _others_words(evidence: CaseEvidence, record: TurnRecord, request: RecordedRequest) -> Iterator[tuple[str, str]]:
    """What tools returned and the model wrote before this request, but for summaries, and whose words it is."""
    yield from ((text, "a tool") for _, _, text in restored_results(evidence))
    for turn in evidence.transcript.turns:
        if turn.number <= record.number:
            until = request.attempts_before if turn is record else len(turn.attempts)
            yield from ((attempt.result, "a tool") for attempt in turn.attempts[:until])
    for turn, one in evidence.transcript.requests():
        if one is request or turn.number > record.number:
            return
        if one.reply is not None and one.reply.text and one.kind != "side" and not is_for_a_summary(evidence, one):
            yield one.reply.text, "the model"


def check(evidence: CaseEvidence) -> Iterator[Mismatch]:
    yield from check_authority(evidence)
    yield from check_words_of_the_user(evidence)
    yield from check_words_of_the_model(evidence)


AUTHORITY = Law("authority", check, Harm.DATA)
