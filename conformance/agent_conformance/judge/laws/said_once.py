"""The law `said-once`: no request has what was said more often than it was said.

It counts whole lines, so that summaries, quotations and notes of the agent are not counted with what they quote.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Literal

from msgspec import Struct, field

from agent_conformance.judge.case_evidence import CaseEvidence, Mismatch, flat, quoted
from agent_conformance.judge.laws.apart import check as others_words
from agent_conformance.judge.laws.law import Harm, Law
from agent_conformance.judge.shortened_texts import is_for_a_summary
from agent_conformance.scenario.base_model import text_of
from agent_conformance.scenario.derived.half_characters import whole_part
from agent_conformance.scenario.model import AssistantMessage, HistoryMessage
from agent_conformance.transcripts.transcript import CONVERSATION, RecordedRequest, TurnRecord
from fake_providers import View, ViewCall, ViewMessage

SHORTEST = 6
"""Shorter texts may be words of the agent's own."""
SHORTEST_SUMMARY = 20
"""Characters; a shorter answer to a side request may be a title, which is one of the user's own words."""

Lines = tuple[str, ...]


class _Said(Struct):
    """What was said so far, in whatever session, and how often; `ids` and `names` are those of calls, `named` says
    which names an id came with.
    """

    user: Counter[Lines] = field(default_factory=Counter)
    assistant: Counter[Lines] = field(default_factory=Counter)
    replies: Counter[str] = field(default_factory=Counter)
    """All that the model has said, answers to side requests too."""
    summaries: dict[str, None] = field(default_factory=dict)
    """In the order in which they were made."""
    ids: Counter[str] = field(default_factory=Counter)
    names: Counter[str] = field(default_factory=Counter)
    named: dict[str, set[str]] = field(default_factory=dict)

    def add(self, role: Literal["user", "assistant"], text: str | None) -> None:
        lines = _lines_of(whole_part(text or ""))
        if sum(map(len, lines)) >= SHORTEST:
            (self.user if role == "user" else self.assistant)[lines] += 1

    def add_history(self, message: HistoryMessage) -> None:
        if message.user is not None:
            self.add("user", text_of(message.user))
        spoken = message.assistant
        if isinstance(spoken, AssistantMessage):
            self.add("assistant", spoken.text)
            self.names.update(call.name for call in spoken.calls)
            for call in spoken.calls:
                self._add_id(call.id, call.name)
        else:
            self.add("assistant", spoken)

    def add_reply(self, request: RecordedRequest) -> None:
        if request.reply is not None:
            self.add("assistant", request.said)
        for call in request.calls:
            self.names.update({call.name, call.wire_name})
            self._add_id(call.id, call.name, call.wire_name)
        if request.spec is not None and (means := request.spec.means) is not None:  # calls that the model wrote as text
            self.names.update(call.name for call in means.calls)
            if means.show is not None and flat(means.show) != flat(request.said):
                self.add("assistant", means.show)

    def _add_id(self, id: str | None, *names: str) -> None:
        if id is not None:
            self.ids[id] += 1
            self.named.setdefault(id, set()).update(names)

    def is_renamed(self, call: ViewCall) -> bool:
        """Whether the agent sends the call under another name than the model gave it, as where it cleans names."""
        return call.name not in self.named.get(call.id or "", {call.name})


def check_said_once(evidence: CaseEvidence) -> Iterator[Mismatch]:
    """Of each case the first request with something in it twice: what follows repeats it.

    The words of another session or case are for `apart`.
    """
    said, broken = _Said(), _BrokenAnswers()
    for message in evidence.scenario.history:
        said.add_history(message)
    for record in evidence.transcript.turns:
        said.add("user", record.turn.user_text)
        for steer in record.turn.steer:
            said.add("user", steer.user)
        for request in record.requests:
            if request.kind in CONVERSATION and not request.refused:
                found = _words_again(said, request.view) or _calls_again(said, request.view)
                found = found or _summary_again(said, request.view) or broken.beside_the_whole(request.view)
                if found is not None:
                    if next(others_words(evidence), None) is None:  # what is shared between cases is said in each
                        yield _broken(record, request, *found)
                    return
            said.add_reply(request)
            broken.add(request)
            reply = flat(request.said)
            said.replies[reply] += 1
            if len(reply) >= SHORTEST_SUMMARY and (request.kind == "side" or is_for_a_summary(evidence, request)):
                said.summaries[reply] = None


def _words_again(said: _Said, view: View) -> tuple[ViewMessage, str, int, int] | None:
    """The first text of the user or the model that a request has more often than it was said."""
    for role, texts in (("user", said.user), ("assistant", said.assistant)):
        first: dict[Lines, tuple[str, str]] = {}
        counts: Counter[Lines] = Counter()
        for message in view.messages:
            if message.role != role or not message.text:
                continue
            for text, around in _occurrences(_lines_of(message.text), texts):
                if first.setdefault(text, around) != around:
                    continue  # in other words of the agent than at first, it is quoted
                counts[text] += 1
                if counts[text] > texts[text]:
                    return message, f'"{quoted(" ".join(text), 80)}"', counts[text], texts[text]
    return None


def _summary_again(said: _Said, view: View) -> tuple[ViewMessage, str, int, int] | None:
    """The first message with a summary that the request has more often than the model made it."""
    if not said.summaries:
        return None
    texts = [(message, flat(message.text)) for message in view.messages if message.role != "tool"]
    for text in said.summaries:
        made = sum(times for reply, times in said.replies.items() if text in reply)
        holders = [message for message, sent in texts if text in sent]
        found = flat(view.system).count(text) + sum(sent.count(text) for _, sent in texts) if holders else 0
        if found > made:
            return holders[-1], f'the summary "{quoted(text, 80)}"', found, made
    return None


class _BrokenAnswers:
    """What the model had begun to say when the connection failed, and said again from the beginning."""

    def __init__(self) -> None:
        self._open: list[str] = []
        self._whole: list[str] = []

    def add(self, request: RecordedRequest) -> None:
        text = flat(request.spec.text or "") if request.spec is not None else ""
        if request.spec is None or len(text) < SHORTEST_SUMMARY:
            return
        if request.spec.fault is not None:
            self._open.append(text)
        elif text in self._open and len((request.spec.text or "").splitlines()) == 1:
            self._whole.append(text)

    def beside_the_whole(self, view: View) -> tuple[ViewMessage, str, int, int] | None:
        said = [one for one in view.messages if one.role == "assistant"] if self._whole else []
        for whole in self._whole:
            # Agents join the texts of one role by line ends
            texts = [(one, flat(part)) for one in said for part in (one.text, *one.text.splitlines())]
            halves = (
                (one, text) for one, text in texts if SHORTEST <= len(text) < len(whole) and whole.startswith(text)
            )
            if any(text == whole for _, text in texts) and (found := next(halves, None)):
                message, half = found
                return message, f'"{quoted(half, 80)}", a failed attempt at "{quoted(whole, 80)}",', 2, 1
        return None


def _occurrences(lines: Lines, texts: Iterable[Lines]) -> Iterator[tuple[Lines, tuple[str, str]]]:
    """Each text that has lines of its own here, with the agent's own lines next to it."""
    known: dict[str, list[Lines]] = {}
    for text in texts:
        known.setdefault(text[0], []).append(text)
    found: list[tuple[Lines, int, int]] = []
    place = 0
    while place < len(lines):
        here = [text for text in known.get(lines[place], ()) if lines[place : place + len(text)] == text]
        if here:
            text = max(here, key=len)
            found.append((text, place, place + len(text)))
        else:
            for text in (one for one in texts if len(one) == 1 and lines[place].startswith(one[0])):
                if not lines[place].replace(text[0], "").strip():
                    found += [(text, place, place + 1)] * lines[place].count(text[0])
                    break
        place = max(place + 1, found[-1][2] if found else 0)
    covered = {place for _, start, end in found for place in range(start, end)}
    before = ""
    for text, start, end in found:
        if start and start - 1 not in covered:
            before = lines[start - 1]  # also in front of what follows without other words: a text that is there twice
        yield text, (before, lines[end] if end < len(lines) and end not in covered else "")


def _calls_again(said: _Said, view: View) -> tuple[ViewMessage, str, int, int] | None:
    """The first call that a request has more often than the model made it, by its id or by its name and arguments.

    Ids of the agent's own, and calls that only the agent made, tell nothing.
    """
    calls = [(message, call) for message in view.messages for call in message.calls]
    total = Counter(call.name for _, call in calls if not said.is_renamed(call))
    contents: Counter[tuple[str, str]] = Counter()
    by_id: Counter[tuple[str, str, str]] = Counter()
    for message, call in calls:
        content = (call.name, call.arguments_text)
        contents[content] += not said.is_renamed(call)
        by_id[(call.id or "", *content)] += 1
        made, of_id = said.names[call.name], said.ids[call.id or ""]
        if made and contents[content] > 1 and total[call.name] > made:
            return message, f"a call of {call.name}{f' ({call.id})' if call.id else ''}", total[call.name], made
        if of_id and (again := by_id[(call.id or "", *content)]) > of_id:
            return message, f"the call of {call.name} ({call.id})", again, of_id
    return None


def _broken(
    record: TurnRecord, request: RecordedRequest, message: ViewMessage, what: str, found: int, said: int
) -> Mismatch:
    times = "once" if said == 1 else f"{said} times"
    return SAID_ONCE.broken_by(
        record,
        request,
        place=message.at,
        expected=f"{what} no more often than it was said: {times}",
        got=f"it is there {found} times",
    )


def _lines_of(text: str) -> Lines:
    return tuple(line for line in map(flat, text.splitlines()) if line)


SAID_ONCE = Law("said-once", check_said_once, Harm.DATA)
