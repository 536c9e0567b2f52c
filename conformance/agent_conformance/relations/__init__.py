"""Runs of a case under a change that must not matter, for `--agent-relations`, and the findings where it did matter.

The variants of a case that passed are run, and what differs is added to its verdict.
"""

import difflib
import re
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from msgspec import structs

from agent_conformance.adapter.contract import DeclaredAgent
from agent_conformance.relations.renaming import Renaming, renamed, renaming_of
from agent_conformance.relations.scope import RELATIONS, Form, Relation, compares_texts, conversation, is_about
from agent_conformance.run.case_session import CaseSession, place_in_scenario
from agent_conformance.scenario.cases import Case, RunOptions, cases_of
from agent_conformance.transcripts.finding import (
    Finding,
    Level,
    Place,
    ScenarioPlace,
    Subject,
    Verdict,
    relation_subject,
)
from agent_conformance.transcripts.redaction import redacted_tree
from agent_conformance.transcripts.transcript import Transcript
from fake_providers.provider_facts import own_provider
from fake_providers.reply import Split

# Where two conversations differ that must be the same, and the finding that says so.

SHOWN_WHOLE = 80
"""Lines of a conversation up to which both are shown from beginning to end."""
CONTEXT = 3
BRIEF = 200
"""The most characters of a line."""

Opcode = tuple[str, int, int, int, int]
Ranges = Sequence[tuple[int, int]]

_TURN = re.compile(r"turn (\d+)")
_REQUEST = re.compile(r"  request (\d+)")
_ENDING = re.compile(r"  (?:reply|error|cancelled|parked|killed|crash|hang|flood):")
_KIND = re.compile(r"\s*([a-z]+)")


@dataclass(frozen=True, slots=True)
class Side:
    """One of two runs: what it is called, its lines, and the ranges of lines that are others in a second run of it."""

    name: str
    lines: Sequence[str]
    unsteady: Ranges = ()


@dataclass(frozen=True, slots=True)
class Difference:
    """The first place where two conversations differ, beginning at these lines."""

    expected: Side
    got: Side
    at: Opcode


def unsteady_lines(first: Sequence[str], second: Sequence[str]) -> tuple[tuple[Ranges, Ranges], bool]:
    """The ranges of lines in which two runs of the same differ, of each of the two; and whether there are any."""
    changes = _changes(first, second)
    of_first = [(change[1], change[2]) for change in changes]
    of_second = [(change[3], change[4]) for change in changes]
    return (of_first, of_second), bool(changes)


def first_difference(expected: Side, got: Side) -> Difference | None:
    """What is not steady in one of the two by itself is no difference between them."""
    for change in _changes(expected.lines, got.lines):
        _, first, end, new_first, new_end = change
        if not (_touches(expected.unsteady, first, end) or _touches(got.unsteady, new_first, new_end)):
            return Difference(expected, got, change)
    return None


def _changes(old: Sequence[str], new: Sequence[str]) -> list[Opcode]:
    if list(old) == list(new):
        return []
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    return [change for change in matcher.get_opcodes() if change[0] != "equal"]


def _touches(ranges: Ranges, first: int, end: int) -> bool:
    """Also where one ends right where the other begins: a line that is missing has no place of its own."""
    return any(start <= end and first <= stop for start, stop in ranges)


def finding_of(difference: Difference, subject: Subject, *, level: Level, scenario: ScenarioPlace) -> Finding:
    _, first, _, new_first, _ = difference.at
    expected, got = difference.expected, difference.got
    # The turn and the request to which a line belongs; request 0 is what comes after the requests
    turn, request = 1, 0
    for line in got.lines[: new_first + 1]:
        if found := _TURN.match(line):
            turn, request = int(found[1]), 0
        elif found := _REQUEST.match(line):
            request = int(found[1])
        elif _ENDING.match(line):
            request = 0
    return Finding(
        subject,
        level,
        place=Place(turn, request),
        expected=f"{expected.name}: {_line(expected.lines, first)}",
        got=f"{got.name}: {_line(got.lines, new_first)}",
        diff="\n".join(_diff(expected, got)),
        detail=_detail(difference),
        scenario=scenario,
    )


def _line(lines: Sequence[str], index: int) -> str:
    line = lines[index].strip() if index < len(lines) else "nothing more"
    return line if len(line) <= BRIEF else f"{line[:BRIEF]} ..."


def _detail(difference: Difference) -> str:
    """The kind of line that differs: `reply`, `ran`, `request`, `result`; it groups the cases of one cause."""
    _, first, end, new_first, _ = difference.at
    line = difference.expected.lines[first] if end > first else difference.got.lines[new_first]
    found = _KIND.match(line)
    return found[1] if found else ""


def _diff(expected: Side, got: Side) -> Iterator[str]:
    """Both conversations in one text; of long ones the parts around each difference."""
    longest = max(len(expected.lines), len(got.lines))
    context = longest if longest <= SHOWN_WHOLE else CONTEXT
    lines = difflib.unified_diff(expected.lines, got.lines, expected.name, got.name, n=context, lineterm="")
    for number, line in enumerate(lines):
        if number > 1 and line.startswith("@@") and context == longest:
            continue
        yield line


# The runs with which a case is compared: the same case under a change that must not matter.


@dataclass(frozen=True, slots=True)
class Variant:
    """`name` says in words what is other than in the case. `case` is what runs, with the text cut by `split`; without
    a `split` as the case itself has it.

    `is_standard`: it is another case of the corpus, with which this one is compared, and not a change of this one.
    `new` are its names of tools.
    """

    relation: Relation
    name: str
    case: Case
    split: Split | None = None
    is_standard: bool = False
    new: Renaming | None = None


@dataclass(frozen=True, slots=True)
class Variants:
    """Finds the variants of a case for this agent, which runs with these options."""

    agent: DeclaredAgent
    options: RunOptions

    def of(self, case: Case, relation: Relation, split: Split) -> Iterator[Variant]:
        """`split` is how the text was cut in the run of the case itself."""
        if not is_about(relation, case):
            return
        makers: dict[Relation, Callable[[], Iterator[Variant]]] = {
            "repeat": lambda: iter([Variant("repeat", "run again", case)]),
            "stream": lambda: self._plain(case),
            "cuts": lambda: _cuts(case, split),
            "wire": lambda: self._first_wire(case),
            "names": lambda: _names(case),
            "order": lambda: _order(case),
        }
        yield from makers[relation]()

    def _plain(self, case: Case) -> Iterator[Variant]:
        for other in self._cases(case, wires=(case.wire,), providers=(case.provider,)):
            if other.mode == "plain" and other.wire == case.wire:
                yield Variant("stream", "plain", other, is_standard=True)

    def _first_wire(self, case: Case) -> Iterator[Variant]:
        """The first of the agent's wires that has the case."""
        others = [other for other in self._cases(case, wires=self.agent.wires, providers=()) if other.mode == case.mode]
        first = next((other for other in others if other.provider == own_provider(other.wire)), None)
        if first is not None and first.wire != case.wire:
            yield Variant("wire", f"on {first.wire}", first, is_standard=True)

    def _cases(self, case: Case, *, wires: tuple[str, ...], providers: tuple[str, ...]) -> Iterator[Case]:
        """The cases of the same scenario that this agent can run."""
        file = replace(case.file, rows={case.row: case.file.rows[case.row]})
        options = replace(
            self.options, wires=wires, providers=providers, modes=(), brief=False, profiles=("core", "hardened")
        )
        return (replace(other, file=case.file) for other in cases_of(file, self.agent, options) if not other.missing)


def _cuts(case: Case, split: Split) -> Iterator[Variant]:
    """One character at a time, in one piece, as the scenario says, and within characters of several bytes.

    The provider cuts as the scenario says, where it does.
    """
    replies = [reply for turn in case.scenario.conversation for reply in turn.model]
    ways: list[tuple[Split, str]] = [("characters", "cut into characters"), ("whole", "in one piece")]
    if split != "provider" and any(reply.chunks for reply in replies):
        ways.append(("given", "cut as the scenario says"))
    if not all((reply.text or "").isascii() for reply in replies):
        ways.append(("bytes", "cut within characters"))
    for way, name in ways:
        if way != split:
            yield Variant("cuts", name, case, way)


def _names(case: Case) -> Iterator[Variant]:
    new = renaming_of(case.scenario)
    if new is not None:
        other = replace(case, scenario=renamed(case.scenario, new))
        yield Variant("names", "with other names of tools", other, new=new)


def _order(case: Case) -> Iterator[Variant]:
    tools = [*reversed(case.scenario.tools)]
    other = replace(case, scenario=case.scenario.changed({"tools": tools}))
    yield Variant("order", "with the tools in reverse order", other)


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
        self, runner: CaseSession, agent: DeclaredAgent, options: RunOptions, relations: tuple[Relation, ...]
    ) -> None:
        self._session = runner
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
        with_them = structs.replace(verdict, findings=findings, outcome="fail" if fails else verdict.outcome)
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
        # The finding, unless a second run of one of the two is another one at that place by itself.
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
        # That the case itself is another one each time.
        variant = next(self._variants.of(own.case, "repeat", own.transcript.split))
        found = first_difference(*self._sides(Compared(variant, own, Ran(own.case, own_again))))
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
