"""Right agents that add words of their own to requests, each in the scenarios that have accused one; and wrong ones."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, ClassVar

import pytest

from agent_conformance.agents.reference.history import Entry, History
from agent_conformance.agents.reference.wires import CompletionRequest
from agent_conformance.attach.loading import checked_agent
from agent_conformance.reference import Adapter as Reference
from agent_conformance.run.case_session import CaseSession
from tests.agents.own_styles import (
    Agreed,
    InJobs,
    InJson,
    InOneMessage,
    InTags,
    Noted,
    Packaged,
    Planned,
    Prefixed,
    Remembers,
    Reminded,
    SumsUpEachTurn,
    Told,
    framing,
    in_each_user,
    in_json,
    packaged,
    reminded,
    rewriting,
)
from tests.tables import rows
from tests.trying import only_findings
from tests.wrong_agents.test_agents_of_nobody import cases


def found_by(adapter: type[Any], named: str) -> dict[str, set[str]]:
    """By case: the ids of its findings that are no advice."""
    with CaseSession(checked_agent(adapter.__name__, adapter)) as runner:
        verdicts = {case.id: runner.run(case) for case in cases(adapter, named)}
    return {case: {one.id for one in verdict.at_level("must")} for case, verdict in verdicts.items()}


ACCUSED = [
    (Reminded, "loops/several-rounds"),
    (Reminded, "round-trip/same-tool-in-two-rounds"),
    (Reminded, "images/picture-in-a-result"),
    (Told, "images/picture-in-a-result"),
    (Noted, "history/system-message-is-not-doubled"),
    (InJson, "round-trip/characters-in-a-result[line-ends]"),
    (InTags, "pairs/compaction-with-window"),
    (Planned, "long-sessions/requests-grow-by-what-is-new"),
    (Planned, "long-sessions/resumed-after-twelve-turns"),
    (Prefixed, "pseudo-calls/call-fences[default-api]"),
    (Prefixed, "pseudo-calls/names-as-tags[cline]"),
    (Agreed, "history/begins-with-prose[after-one-system-message]"),
    (Agreed, "history/system-message-is-not-doubled"),
    (SumsUpEachTurn, "history/restarted-session"),
    (SumsUpEachTurn, "round-trip/several-texts-in-one-reply"),
    (SumsUpEachTurn, "no-tools/taken-away-after-a-call"),
    (SumsUpEachTurn, "round-trip/same-words-in-three-turns"),
    (Packaged, "round-trip/characters-in-a-message[line-ends]"),
    (Packaged, "round-trip/message-as-it-was-written[table]"),
    (Packaged, "limits/characters-after-a-compaction[html]"),
    (Remembers, "round-trip/next-turn-remembers"),
    (InOneMessage, "round-trip/next-turn-remembers"),
    (InJobs, "images/text-beside-a-picture"),
    (InJobs, "loops/same-call-for-ever"),
    (InJobs, "injection/result-names-a-call[list-of-calls]"),
    (InOneMessage, "limits/compaction-outlives-a-restart"),
]


@rows("pair", ACCUSED, ids=lambda pair: f"{pair[0].__name__} {pair[1]}")
def test_right_agent_has_no_finding(pair: tuple[type[Any], str]) -> None:
    found = found_by(*pair)

    assert found
    assert {case: ids for case, ids in found.items() if ids} == {}


class RemindsInPlaceOfTheFirst(Reminded):
    """Wrong: the reminder stands there in the place of what the user said first."""

    defences: ClassVar = rewriting(lambda history: tuple(forgotten(reminded(history))))


def forgotten(history: History) -> Iterator[Entry]:
    is_later = any(entry.results for entry in history)
    for entry in history:
        yield replace(entry, text="Go on.") if is_later and entry.role == "user" and not entry.is_within else entry


class NotesTheSystemPromptAgain(Noted):
    """Wrong: the notes have the system prompt once more, in each turn."""

    defences: ClassVar = rewriting(
        lambda history: (replace(history[0], text="\n".join([history[0].text] * (len(history) // 2))), *history[1:])
    )


class InJsonWithOtherLineEnds(InJson):
    """Wrong: the lines of a result end otherwise."""

    defences: ClassVar = framing(lambda result: in_json(replace(result, text=result.text.replace("\r\n", "\n"))))


class SumsUpNothing(SumsUpEachTurn):
    """Wrong: what takes the place of the conversation is no summary of it."""

    async def compact(self) -> None:
        self._history_entries = (Entry("user", "(A summary.)"),)
        self.defences.save(self._history_entries, self._setup.state_dir)


class PackagesTheFirstLine(Packaged):
    """Wrong: the object has only the first line of what the user says."""

    defences: ClassVar = rewriting(
        lambda history: in_each_user(history, lambda text, number: packaged(text.splitlines()[0], number))
    )


class SaysItOnceMore(Reference):
    """Wrong: what the user said first stands there again before a later message."""

    wires = ("openai-chat",)
    defences: ClassVar = rewriting(
        lambda history: (*history[:-1], history[0], history[-1]) if history[-1] not in history[:4] else history
    )


class StartsJobsThatDoNotEnd(InJobs):
    """Wrong: nothing says what came of them but the pictures."""

    defences: ClassVar = rewriting(
        lambda history: tuple(
            replace(one, text="(What the jobs have shown.)") if one.text.startswith("<output") else one
            for one in InJobs.defences.full_request(CompletionRequest("", False, history, None, {})).history
        )
    )


WRONG = [
    (PackagesTheFirstLine, "round-trip/characters-in-a-message[line-ends]", "asked"),
    (SaysItOnceMore, "round-trip/next-turn-remembers", "said-once"),
    (StartsJobsThatDoNotEnd, "images/text-beside-a-picture", "arrives"),
    (StartsJobsThatDoNotEnd, "loops/same-call-for-ever", "arrives"),
    (RemindsInPlaceOfTheFirst, "loops/several-rounds", "asked"),
    (NotesTheSystemPromptAgain, "history/system-message-is-not-doubled", "2.requests[0]"),
    (InJsonWithOtherLineEnds, "round-trip/characters-in-a-result[line-ends]", "1.requests[0]"),
    (SumsUpNothing, "history/characters-after-a-restart[html]", "2.state"),
]


@rows("agent", WRONG, ids=lambda row: f"{row[0].__name__} {row[1]}")
def test_wrong_agent_has_the_finding(agent: tuple[type[Any], str, str]) -> None:
    adapter, scenario, finding = agent
    found = found_by(adapter, scenario)

    assert found
    assert {case: ids for case, ids in found.items() if finding not in ids} == {}


REPAIRED = """
wires: [openai-chat]
tools:
  - {name: look_up, description: Looks up a word., parameters: {word: string}, returns: a sweet fruit}
history:
  - assistant: {calls: [{id: c1, name: look_up, arguments: {word: pear}}]}
  - tool: {id: c1, result: a fruit of the past}
  - user: What about a pear?
  - assistant: {calls: [{id: c2, name: look_up, arguments: {word: pear}}]}
OPEN
conversation:
  - user: Are you there?
    model: [{text: I am here.}]
"""


class SaysThatItFailed(Reference):
    """Wrong: in the place of each restored result it says that there is none."""

    defences: ClassVar = rewriting(
        lambda history: tuple(
            replace(entry, results=tuple(replace(one, text="No result came of this.") for one in entry.results))
            for entry in history
        )
    )


@pytest.mark.parametrize(
    ("agent", "open_call", "found"),
    [(Reference, "", []), (SaysThatItFailed, "  - tool: {id: c2, result: a fruit of the past}", ["arrives"])],
)
def test_call_without_a_result_beside_one_of_the_same_arguments(agent: Any, open_call: str, found: list[str]) -> None:
    """The first one goes with its result, since no conversation begins with a call; the other gets other words."""
    by_case = only_findings(agent, REPAIRED.replace("OPEN", open_call))

    assert {*map(tuple, by_case.values())} == {tuple(found)}
