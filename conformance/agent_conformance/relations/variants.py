"""The runs with which a case is compared: the same case under a change that must not matter. Knows no transcript."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from agent_conformance.adapter.contract import DeclaredAgent
from agent_conformance.relations.names import Relation
from agent_conformance.relations.renaming import Renaming, renamed, renaming_of
from agent_conformance.relations.scope import is_about
from agent_conformance.scenario.cases import Case, RunOptions, cases_of
from fake_providers.provider_facts import own_provider
from fake_providers.reply import Split


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
        """Those of the same scenario that this agent can run."""
        file = replace(case.file, rows={case.row: case.file.rows[case.row]})
        options = replace(self.options, wires=wires, providers=providers, brief=False, profiles=("core", "hardened"))
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
    other = replace(case, scenario=case.scenario.model_copy(update={"tools": tools}))
    yield Variant("order", "with the tools in reverse order", other)
