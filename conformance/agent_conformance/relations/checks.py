"""Runs the variants of a case that passed, and adds what differs to its verdict. Knows sessions; compares no text."""

from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial

from agent_conformance.adapter.contract import DeclaredAgent
from agent_conformance.record.finding import Finding, Level, Verdict
from agent_conformance.record.redaction import redacted_tree
from agent_conformance.record.subject import relation_subject
from agent_conformance.record.transcript import Transcript
from agent_conformance.relations.conversation import Form, conversation
from agent_conformance.relations.difference import Difference, Side, finding_of, first_difference, unsteady_lines
from agent_conformance.relations.names import RELATIONS, Relation
from agent_conformance.relations.renaming import Renaming
from agent_conformance.relations.scope import compares_texts
from agent_conformance.relations.variants import Variant, Variants
from agent_conformance.run.session import Session, place_in_scenario
from agent_conformance.scenario.cases import Case, RunOptions
from fake_providers.reply import Split

MOST_KEPT = 12
"""Runs that are kept, since later cases are compared with them: those of one scenario on all wires, in both modes."""


@dataclass(frozen=True, slots=True)
class Ran:
    """A case that passed, and how it ran."""

    case: Case
    transcript: Transcript


def _is_refused(ran: Ran) -> bool:
    """Whether a request broke a rule: each provider has its own, and findings of their own are about them."""
    return any(request.refused or request.tolerated for _, request in ran.transcript.requests())


@dataclass(frozen=True, slots=True)
class Compared:
    """What two runs are, and how each was cut, so that both can be repeated."""

    variant: Variant
    own: Ran
    other: Ran


class RelationChecks:
    """Call `with_differences` for each case, right after it ran in this session, which keeps transcripts."""

    def __init__(
        self, session: Session, agent: DeclaredAgent, options: RunOptions, relations: tuple[Relation, ...]
    ) -> None:
        self._session = session
        self._agent = agent
        self._relations = tuple(relation for relation in RELATIONS if relation in relations)
        self._variants = Variants(agent, options)
        self._kept: OrderedDict[str, Ran | None] = OrderedDict()

    def with_differences(self, case: Case, verdict: Verdict) -> Verdict:
        """The verdict with a finding for each relation that does not hold. A case that fails anyway is not compared."""
        transcripts = self._session.transcripts
        if verdict.outcome != "pass" or not transcripts:
            self._keep(case.id, None)
            return verdict
        own = Ran(case, transcripts[0])
        self._keep(case.id, own)
        found = {finding.subject: finding for finding in self._findings(own)}
        if not found:
            return verdict
        findings = (*verdict.findings, *found.values())
        fails = any(finding.level == "must" for finding in findings)
        with_them = replace(verdict, findings=findings, outcome="fail" if fails else verdict.outcome)
        return redacted_tree(with_them)

    def _keep(self, id: str, ran: Ran | None) -> None:
        self._kept[id] = ran
        self._kept.move_to_end(id)
        while len(self._kept) > MOST_KEPT:
            self._kept.popitem(last=False)

    def _findings(self, own: Ran) -> Iterator[Finding]:
        for relation in self._relations:
            for variant in self._variants.of(own.case, relation, own.transcript.split):
                finding = self._finding(own, variant)
                if finding is not None:
                    yield finding
                    break

    def _finding(self, own: Ran, variant: Variant) -> Finding | None:
        other = self._run(own, variant)
        if other is None or (variant.relation == "wire" and (_is_refused(own) or _is_refused(other))):
            return None
        compared = Compared(variant, own, other)
        if variant.relation == "repeat":
            found = first_difference(*self._sides(compared))
            return None if found is None else self._made(found, variant, own.case, level="should")
        if first_difference(*self._sides(compared)) is None:
            return None
        return self._confirmed(compared)

    def _confirmed(self, compared: Compared) -> Finding | None:
        """The finding, unless a second run of one of the two is another one at that place by itself."""
        variant, own, other = compared.variant, compared.own, compared.other
        own_again = self._again(own.case, own.transcript.split)
        other_again = self._again(other.case, other.transcript.split)
        if own_again is None or other_again is None:
            return None
        again = Compared(variant, Ran(own.case, own_again), Ran(other.case, other_again))
        sides, sides_again = self._sides(compared), self._sides(again)
        steady = [unsteady_lines(side.lines, second.lines) for side, second in zip(sides, sides_again, strict=True)]
        first = first_difference(*(replace(side, unsteady=at[0]) for side, (at, _) in zip(sides, steady, strict=True)))
        second = first_difference(
            *(replace(side, unsteady=at[1]) for side, (at, _) in zip(sides_again, steady, strict=True))
        )
        if first is not None and second is not None:
            return self._made(first, variant, own.case, level="must")
        if "repeat" in self._relations or not any(is_unsteady for _, is_unsteady in steady):
            return None
        return self._unsteady(own, own_again)

    def _unsteady(self, own: Ran, again: Transcript) -> Finding | None:
        """That the case itself is another one each time."""
        variant = next(self._variants.of(own.case, "repeat", own.transcript.split))
        found = first_difference(*self._sides(Compared(variant, own, Ran(own.case, again))))
        return None if found is None else self._made(found, variant, own.case, level="should")

    def _run(self, own: Ran, variant: Variant) -> Ran | None:
        """How the variant ran; None where it has no run, or fails by itself and says so in a case of its own."""
        case = variant.case
        if not variant.is_standard:
            transcript = self._again(case, variant.split or own.transcript.split)
            return None if transcript is None else Ran(case, transcript)
        if case.id not in self._kept:
            verdict, transcripts = self._session.examine(case)
            self._keep(case.id, Ran(case, transcripts[0]) if verdict.outcome == "pass" and transcripts else None)
        return self._kept[case.id]

    def _again(self, case: Case, split: Split) -> Transcript | None:
        return self._session.run_again(case, split)

    def _sides(self, compared: Compared) -> tuple[Side, Side]:
        """What is expected, and what there was instead. A standard case is what the own one should be like."""
        variant, own, other = compared.variant, compared.own, compared.other
        own_lines, other_lines = self._lines(own, variant), self._lines(other, variant, new=variant.new)
        if variant.is_standard:
            return Side(variant.name, other_lines), Side(own.case.id.rpartition("@")[2], own_lines)
        return Side("this case", own_lines), Side(variant.name, other_lines)

    def _lines(self, ran: Ran, variant: Variant, *, new: Renaming | None = None) -> list[str]:
        scenario = ran.case.file.rows[ran.case.row]
        tools = tuple(tool.name for tool in scenario.tools)
        has_texts = compares_texts(variant.relation, scenario)
        form = Form(variant.relation, tools, self._agent.scrub, new, has_texts)
        return conversation(ran.transcript, form, given=partial(repr, ran.case.scenario))

    def _made(self, found: Difference, variant: Variant, case: Case, *, level: Level) -> Finding:
        subject = relation_subject(variant.relation)
        return finding_of(found, subject, level=level, scenario=place_in_scenario(case, subject))
