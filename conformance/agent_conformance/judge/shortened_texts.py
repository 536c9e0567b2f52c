"""Whether a text was sent with a part of it left out, and whether a mark or a summary stands for what is missing.

Requests for a summary are about the conversation and no part of it: with a prompt of their own, and perhaps without the
question of the turn, which stays where it is.
"""

import html
import json
import re
import unicodedata
from collections.abc import Collection, Sequence
from itertools import dropwhile

from msgspec import Struct

from agent_conformance.judge.case_evidence import CaseEvidence, dense, flat
from agent_conformance.judge.tool_results import readings
from agent_conformance.transcripts.transcript import RecordedRequest, TurnRecord
from fake_providers import View

ANCHOR = 40
"""Characters at the beginning or end of a text by which a piece of it is recognised."""
LEAST = 20
"""Characters that are missing: fewer are a control character, a blank or half a character that an agent replaced."""
NEAR = 120
"""Characters before and after a piece in which a mark stands."""

SIGN = re.compile(
    r"\.\.|…|trunc|\bcut\b|omit|elided|left out|remov|shorten|skipp|preview|characters|chars\b|tokens|bytes|\bmore\b",
    re.IGNORECASE,
)
"""How agents mark what they have cut, in the words of many."""
IN_BRACKETS = re.compile(r"\s*(?:\[.*\]|<.*>|\(.*\)|\{.*\})\s*", re.DOTALL)
"""A note of the agent's, in any language, in the place of a text."""
_WORD = re.compile(r"\w+")
_CODE = re.compile(r"\\u([0-9a-f]{4})")
_SAID_OF_FAILURE = re.compile(r'"message":\s*("(?:[^"\\]|\\.){20,}")')
_MARKUP = re.compile(r"""[\w\s{}\[\]"'`:,<>/=()|*#\\-]*""")
_FRAME = re.compile(
    "answer|call|content|data|false|function|message|name|null|ok|output|response|results?|return(ed|s)?|role|status|"
    "success|text|tool|tool_(call|output|response|result)|true|type|value"
)
"""Words of frames around whole results; any other word may be a mark, in any language."""


class Cut(Struct, frozen=True):
    """So many characters of a text were sent, and `beside` stands next to them."""

    kept: int
    beside: str

    @property
    def has_sign(self) -> bool:
        """Whether a mark in the usual words says that something was left out."""
        return SIGN.search(self.beside) is not None

    def is_silent(self, names: Collection[str]) -> bool:
        """Whether nothing beside it can be a mark: only markup, and words of frames or `names`."""
        words = {word.lower() for word in _WORD.findall(self.beside)} - set(names)
        return _MARKUP.fullmatch(self.beside) is not None and all(map(_FRAME.fullmatch, words))


def cut_of(said: str, sent: str, *, anchor: int = ANCHOR) -> Cut | None:
    """The cut of `said` in `sent`, both flat: its beginning, its end or both, without at least 20 characters."""
    start = sent.find(said[:anchor])
    if start >= 0:
        head = same_at_start(sent[start:], said)
        before, after = sent[:start], sent[start + head :]
        tail = min(same_at_end(after, said), len(said) - head)
        middle = after[: len(after) - tail]
    else:
        end = sent.find(said[-anchor:])
        if end < 0:
            return None
        end += anchor
        head, tail = 0, same_at_end(sent[:end], said)
        before, middle = sent[: end - tail], sent[end:]
    if len(said) - head - tail < LEAST:
        return None
    return Cut(head + tail, f"{before[-NEAR:]} {middle[:NEAR]}")


def cut_in_result(said: str, result: str) -> Cut | None:
    """The cut of `said` in a tool result, which may have it in JSON, tags or a sentence."""
    for reading in readings(result).texts:
        cut = cut_of(said, flat(reading))
        if cut is None:
            continue
        around = _without(result, reading)
        return None if around is None else Cut(cut.kept, f"{cut.beside} {around}")
    return None


def _without(whole: str, part: str) -> str | None:
    """What stands around a reading of a result, or None if the reading is not there as one text."""
    for spelling in (part, json.dumps(part, ensure_ascii=False)[1:-1], json.dumps(part)[1:-1], html.escape(part)):
        if spelling in whole:
            return whole.replace(spelling, "", 1)
    return None


def without_accents(text: str) -> str:
    """Without accents and case, so that another spelling of a word is no other word."""
    return "".join(one for one in unicodedata.normalize("NFKD", text) if not unicodedata.combining(one)).casefold()


def same_at_end(one: str, other: str) -> int:
    return same_at_start(one[::-1], other[::-1])


def same_at_start(one: str, other: str) -> int:
    """How many characters they begin with alike."""
    same, most = 0, min(len(one), len(other))
    while same < most:  # by halves: long results are compared at each of many requests
        middle = (same + most + 1) // 2
        if one[same:middle] == other[same:middle]:
            same = middle
        else:
            most = middle - 1
    return same


LONG, ENOUGH = 2_000, 100
"""Of a text with as many characters, so many at one end are enough."""


def may_be_shorter(evidence: CaseEvidence) -> bool:
    """Whether an agent has a reason to make the conversation shorter."""
    return evidence.scenario.may_be_shortened


def is_for_a_summary(evidence: CaseEvidence, request: RecordedRequest) -> bool:
    """Whether the model's answer to it stands in a later request as a text of the user or of the system.

    What a real model writes there is for the model to decide, and the agent's instructions. A request that offers tools
    and has that text already is an ordinary one, which got a summary's text as its answer once more; and so is one
    whose answer the user reads as the reply, since an agent may tell the model later what it said.
    """
    answer = flat(request.said)
    if not answer or not may_be_shorter(evidence):
        return False
    if any(flat(turn.reply) == answer and turn.counted and turn.counted[-1] is request for turn in evidence.turns):
        return False
    if request.view.tools and answer in flat(_instructions(request.view)):
        return False
    later = list(dropwhile(lambda sent: sent[1] is not request, evidence.model_requests()))[1:]
    return any(answer in flat(_instructions(one.view)) for _, one in later)


def is_for_the_shape(evidence: CaseEvidence, record: TurnRecord, request: RecordedRequest) -> bool:
    """Whether it has the answer that the model gave before without the schema, and offers none of the tools of before.

    The answer is all that has to be written in another way: the conversation goes on from the request before it.
    """
    before = record.requests[: record.requests.index(request)]
    answers = [(one, one.said) for one in before if one.said and not one.calls]
    if evidence.scenario.output_schema is None or not answers:
        return False
    answered, text = answers[-1]
    return flat(text) in flat(_instructions(request.view)) and not request.offered & answered.offered


def _instructions(view: View) -> str:
    """The texts of the system and the user."""
    return "\n".join((view.system, *(message.text for message in view.messages if message.role == "user")))


def stands_for(evidence: CaseEvidence, record: TurnRecord, request: RecordedRequest, text: str) -> bool:
    """Whether a summary stands in the place of the text: made before this request by a model that had the text itself,
    or an earlier summary of it. It may stand there as a message of the user, of the system or of the model.
    """
    earlier = []
    for turn in evidence.transcript.turns:
        if turn.turn.session == record.turn.session:
            earlier += turn.requests[: turn.requests.index(request)] if turn is record else turn.requests
        if turn is record:
            break
    summaries = [one for one in earlier if one.said and (one.kind == "side" or is_for_a_summary(evidence, one))]
    return bool(summaries) and _is_summed_up(request.view.texts, flat(text), summaries)


def _is_summed_up(here: str, wanted: str, summaries: Sequence[RecordedRequest]) -> bool:
    for place, one in enumerate(summaries):
        answer = flat(one.said)
        stands_here = bool(answer) and answer in flat(here)
        if stands_here and (_was_read(wanted, one.view) or _is_summed_up(one.view.texts, wanted, summaries[:place])):
            return True
    return False


def _was_read(wanted: str, view: View) -> bool:
    """Whether the text is there, or its beginning or its end with a mark; of a long one, either is enough.

    What was said may be told in JSON, and a result may stand there as one.
    """
    read = view.texts
    parts = (wanted,) if len(wanted) < LONG else (wanted[:ENOUGH], wanted[-ENOUGH:])
    for text in (flat(read), flat(unescaped(read))):
        if any(part in text for part in parts):
            return True
        if wanted[:1] in ("{", "[") and dense(wanted) in dense(text):  # JSON in another layout
            return True
        cut = cut_of(wanted, text, anchor=LEAST)
        if cut is not None and cut.has_sign:
            return True
    results = (result.text for message in view.messages for result in message.results)
    cuts = (cut_in_result(wanted, result) for result in results)
    return any(cut is not None and not cut.is_silent(()) for cut in cuts)


def unescaped(text: str) -> str:
    """A text in which JSON may stand, with the texts that are in it as they were."""
    plain = _CODE.sub(lambda code: chr(int(code[1], 16)), text)
    return plain.replace("\\n", "\n").replace("\\t", "\t").replace('\\"', '"')


def words_on_failure(body: str) -> list[str]:
    """What a provider says of a failure in this body; shorter words may be anybody's."""
    return [json.loads(one, strict=False) for one in _SAID_OF_FAILURE.findall(body)]


def hint(record: TurnRecord, request: RecordedRequest) -> str:
    """What to declare, where this may be a request of the agent's own: others of the turn offer the case's tools."""
    if request.offered & record.enabled or not any(one.offered & record.enabled for one in record.requests):
        return ""
    return (
        ". If it is one of the agent's own, for a summary, a title or a sub-agent, declare it: `side_request` of the "
        "adapter, or side=REGEX in front of an acp: command"
    )
