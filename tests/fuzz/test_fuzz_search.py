"""The search: nothing on right agents, historic bugs in few documents, and findings that do not count."""

from pathlib import Path
from typing import Any

import pytest

from agent_conformance.agents.reference import Adapter
from agent_conformance.attach.loading import checked_agent, load_agent
from agent_conformance.fuzz import Discovery, Known, Search, drawn, findings_by_kind, kind_without_numbers
from agent_conformance.minimise import Trials
from agent_conformance.minimise.edits import size
from agent_conformance.transcripts.finding import Verdict
from agent_mutants import mutant_adapter, named
from tests.agents import right_anthropic, right_openai
from tests.agents.plain import PlainAgent
from tests.fuzz.power import drawn_mutants, searched

REFERENCE = "agent_conformance.reference:Adapter"


def trials(adapter: Any) -> Trials:
    return Trials(checked_agent("agent", adapter))


def findings_in(adapter: Any, numbers: range, *, profile: str | None = None) -> dict[int, Any]:
    """All findings of the agent, advice included where it is judged on all documents, by the number of the document."""
    found: dict[int, Any] = {}
    with trials(adapter) as tried:
        for number in numbers:
            made = drawn(3, number)
            targets = tried.targets(made.document)
            if targets and profile in (None, made.document["profile"]):
                verdict = tried.verdict(made.document, targets[made.choice % len(targets)])
                kinds = findings_by_kind(verdict, "must" if profile else "should")
                if kinds:
                    found[number] = list(kinds)
    return found


def test_reference_agent_has_neither_findings_nor_advice() -> None:
    assert findings_in(Adapter, range(150)) == {}


def test_other_right_agent_has_no_finding_in_what_is_well_formed() -> None:
    assert findings_in(PlainAgent, range(150), profile="core") == {}


THEIRS = {
    "survives": "they make no conversation shorter once the window is full",
    "answers": "their SDKs encode no half characters, and take a page under 200 for an answer",
    "accepted:openai/schema-root-union": "they declare the tools of others as they are",
    "accepted:anthropic/tool-schema-union": "they declare the tools of others as they are",
}
"""What searches of some 1,000 documents each find of the right agents around the vendors' SDKs, and why it is true."""


@pytest.mark.slow
@pytest.mark.parametrize("adapter", [right_openai.Adapter, right_anthropic.Adapter])
def test_right_agents_have_no_finding_but_those_that_are_theirs(adapter: Any) -> None:
    found: dict[int, Any] = {}
    with trials(adapter) as tried:
        for number in range(60):
            made = drawn(5, number)
            for target in tried.targets(made.document)[:1]:
                verdict = tried.verdict(made.document, target)
                assert isinstance(verdict, Verdict), verdict
                ids = [finding.id for finding in verdict.at_level("must") if finding.id not in THEIRS]
                found |= {number: ids} if ids else {}

    assert found == {}


@pytest.mark.parametrize(
    ("name", "examples"),
    [
        ("M63b_nested", 30),
        ("M2l_later_of_two", 60),
        ("M5d_abort_run", 40),
        ("M50c_results_kept", 60),
        ("M60f_conversation_left_out", 20),
    ],
)
def test_historic_bug_is_found_in_few_documents(name: str, examples: int) -> None:
    result = searched(named(name), 7, examples=examples)

    assert result.finding


def discoveries(adapter: Any, count: int, **options: Any) -> tuple[list[Discovery], Search]:
    with trials(adapter) as tried, Trials(load_agent(REFERENCE, cwd=Path.cwd())) as right:
        search = Search(tried, right, 7, **options)
        return list(search.discoveries(lambda tried: tried < count)), search


def test_each_kind_is_found_once_in_the_smallest_document_for_one_target() -> None:
    found, _ = discoveries(mutant_adapter(named("M60f_conversation_left_out")), 12)

    kinds = [one.kind for one in found]
    assert len(set(kinds)) == len(kinds) > 1
    for one in found:
        assert (one.document["wires"], one.document["modes"]) == ([one.target.wire], [one.target.mode])
        assert size(one.document) < size(drawn(7, one.number).document)


def test_known_kinds_and_causes_are_counted_and_not_found_again() -> None:
    wrong = mutant_adapter(named("M60f_conversation_left_out"))
    first, _ = discoveries(wrong, 8)
    known = Known(frozenset({first[0].kind}), frozenset(one.kind[0] for one in first[1:]))

    again, search = discoveries(wrong, 8, known=known)

    assert again == []
    assert search.counts.known.keys() == {one.kind for one in first}


def test_what_the_reference_has_too_is_no_finding() -> None:
    wrong = mutant_adapter(named("M60f_conversation_left_out"))
    with trials(wrong) as tried, trials(wrong) as as_wrong:
        search = Search(tried, as_wrong, 7)
        found = list(search.discoveries(lambda count: count < 5))

    assert found == []
    assert search.counts.of_the_reference


class OnlyOllama(PlainAgent):
    """Wrong: each reply has one sign more. The reference agent does not speak its wire."""

    wires = ("ollama-chat",)

    def reply(self, text: str) -> str:
        return f"{text}?"


def test_reference_is_asked_on_a_wire_of_its_own_where_it_does_not_speak_the_agents() -> None:
    found, search = discoveries(OnlyOllama, 8)

    assert {one.target.wire for one in found} == {"ollama-chat"}
    assert search.counts.of_the_reference == {}


class Once(Adapter):
    """Adds a sign to one reply."""

    count = 0

    async def send(self, message: Any, session: str | None = None) -> Any:
        async for piece in super().send(message, session):
            yield piece
        Once.count += 1
        if Once.count == 1:
            yield "?"


def test_finding_that_does_not_come_again_is_said_to_be_so() -> None:
    found, _ = discoveries(Once, 4)

    assert found
    assert all("it came again in" in one.unsteady for one in found)


def test_kind_is_the_same_wherever_in_a_list_it_is() -> None:
    first = kind_without_numbers("anthropic/tool-use-id", "messages.1.content.0.tool_use.id")

    assert first == kind_without_numbers("anthropic/tool-use-id", "messages.12.content.3.tool_use.id")
    assert first != kind_without_numbers("anthropic/tool-use-id", "messages.1.content.0.tool_use.name")


def test_mutants_are_drawn_by_the_seed() -> None:
    names = [mutant.name for mutant in drawn_mutants(1, 30)]

    assert names == [mutant.name for mutant in drawn_mutants(1, 30)]
    assert len(set(names)) == 30
