"""The figures in the documents, each made from the code.

They are between `<!-- figures: name -->` and `<!-- end -->`. What every new rule, provider, command or scenario would
change is between `<!-- on the site: name -->` and `<!-- end -->`: only the site has the figure, the repository says
where to find it. Numbers in the repository's own figures are rounded down for the same reason.
"""

import ast
import re
import textwrap
from collections import Counter
from collections.abc import Callable, Iterable
from functools import cache
from importlib import import_module
from itertools import zip_longest
from pathlib import Path
from typing import get_args

from agent_conformance.agents.reference import Adapter
from agent_conformance.attach.acp.known_programs import PROGRAMS
from agent_conformance.attach.loading import checked_agent
from agent_conformance.attach.ready_made import READY
from agent_conformance.commands.main import NAMES
from agent_conformance.explain.texts import law_texts
from agent_conformance.scenario.cases import RunOptions, cases_of
from agent_conformance.scenario.loading import AREAS, ScenarioFile
from agent_mutants import MUTANTS
from fake_providers import PROVIDERS, WIRES, wire_named
from fake_providers.models import default_model
from fake_providers.provider_facts import facts_by_provider, own_provider
from fake_providers.registry import provider_wires
from fake_providers.reply_rules import REPLY_RULES, ReplyRule
from fake_providers.rule import Confidence
from pytest_agent_conformance_options import OPTIONS
from tests.bundled import bundled_files
from tests.docs import bedrock_families, dialects, fields, known_failures, model_families
from tests.docs.deviations import IGNORED, LET_PASS, NOT_BUILT, TAKEN
from tests.docs.documents import ROOT
from tests.docs.scenario_format import scenario_format
from tests.docs.shares import shares
from tools.data import CHARACTERS, PLACES, place_of
from tools.pairs import FEATURES, UNSAID

MARKED = re.compile(r"(?<=<!-- figures: )(?P<name>[\w-]+) -->\n(?P<text>.*?)(?=<!-- end -->)", re.DOTALL)
ON_THE_SITE = re.compile(r"(?<=<!-- on the site: )(?P<name>[\w-]+) -->\n(?P<text>.*?)(?=<!-- end -->)", re.DOTALL)


@cache
def scenarios() -> tuple[ScenarioFile, ...]:
    return bundled_files()


@cache
def cases() -> Counter[str]:
    """How many cases each area makes for an agent that can do everything."""
    agent = checked_agent("the reference agent", Adapter)
    return Counter(
        file.area for file in scenarios() for case in cases_of(file, agent, RunOptions()) if not case.missing
    )


def corpus() -> str:
    files, rows = rounded_below(len(scenarios()), 50), rounded_below(sum(len(file.rows) for file in scenarios()), 50)
    made = rounded_below(sum(cases().values()), 500)
    return (
        f"More than {files} scenarios, more than {rows} with their examples, in {len(AREAS)} areas. For an agent that "
        f"supports {len(Adapter.wires)} wires in {len(Adapter.modes)} modes and has every feature they need, they make "
        f"more than {made} cases.\n"
    )


def rounded_below(number: int, step: int) -> int:
    """The next lower multiple of `step`: a figure that one more scenario seldom changes."""
    return (number - 1) // step * step


def areas() -> str:
    files = Counter(file.area for file in scenarios())
    cells = [(f"`{area}`", files[area], cases()[area]) for area in AREAS]
    half = (len(cells) + 1) // 2
    rows = (left + right for left, right in zip_longest(cells[:half], cells[half:], fillvalue=("", "", "")))
    return table(("area", "scenarios", "cases") * 2, rows)


def rules() -> str:
    words: tuple[str, ...] = get_args(Confidence)
    rows = []
    for name in WIRES:
        known = Counter(rule.confidence for rule in wire_named(name).rules)
        model = f"`{default_model(name)}`"
        rows.append((own_provider(name), f"`{name}`", model, sum(known.values()), *(known[word] for word in words)))  # type: ignore[index]
    return table(("provider", "wire", "default model", "rules", *words), rows)


def commands() -> str:
    modules = ((name, import_module(module)) for name, module in NAMES.items())
    return table(("command", "what it does"), ((f"`{name}`", module.SUMMARY) for name, module in modules))


def providers() -> str:
    """The wire that is meant where none is named stands first."""
    served = ((name, wire) for name in PROVIDERS for wire in provider_wires(name))
    rows = ((f"`{name}`", f"`{wire.name}`", f"`{wire.base_path or '/'}`") for name, wire in served)
    return table(("provider", "wire", "base URL ends in"), rows)


def options() -> str:
    rows = []
    for option in OPTIONS:
        value = "" if option.action == "store_true" else f"={option.placeholder}"
        rows.append((f"`--{option.name}{value}`", option.help))
    return table(("option", ""), rows)


def adapters() -> str:
    """From the modules' texts, since to import one takes its framework."""
    rows = []
    for ready in READY:
        if ready.agent:
            program = next(program for program in PROGRAMS if program.name == ready.program)
            wires = next(iter(program.variables))
            rows.append((f"`{ready.name}`", f"The program {ready.program}, over [ACP](acp.md)", f"`{wires}`"))
            continue
        if ready.bridge:
            rows.append((f"`{ready.name}`", *bridge_of(ready.bridge.read_text(encoding="utf-8"))))
            continue
        module = ast.parse(
            ROOT.joinpath("conformance", *ready.module.split(".")).with_suffix(".py").read_text(encoding="utf-8")
        )
        what = (ast.get_docstring(module) or "").partition(" as an adapter")[0]
        adapter = next(node for node in module.body if isinstance(node, ast.ClassDef) and node.name == "Adapter")
        assigned = {ast.unparse(node.targets[0]): node.value for node in adapter.body if isinstance(node, ast.Assign)}
        wires = ast.literal_eval(assigned["wires"])
        rows.append((f"`{ready.name}`", what, ", ".join(f"`{wire}`" for wire in wires)))
    return table(("name", "what it runs", "wires"), rows)


def bridge_of(text: str) -> tuple[str, str]:
    """What a bridge in Node runs, as its first line says, and its wires."""
    what = text.partition(" as an agent: ")[0].removeprefix("// ")
    wires = re.findall(r"'([^']+)'", re.findall(r"^  wires: \[(.*)\]", text, re.MULTILINE)[0])
    return f"{what}, in Node", ", ".join(f"`{wire}`" for wire in wires)


def acp_programs() -> str:
    """Each program that `acp:` knows, with the variables of its main wire."""
    rows = []
    for program in PROGRAMS:
        wires = ", ".join(f"`{wire}`" for wire in program.variables)
        wire, variables = next(iter(program.variables.items()))
        files = {**program.settings, **program.project.get(wire, {})}
        given = [
            name
            for name, value in {**files, **variables}.items()
            if "{base_url}" in value or "{model}" in value or "{api_key}" in value
        ]
        variables = ", ".join(f"`{name}`" for name in given)
        command = f'`--agent="acp:{f"{program.name} {program.arguments}".strip()}"`'
        instructions = f"`{program.instructions}`" if program.instructions else "-"
        rows.append((command, f"`{program.package}`", wires, variables, instructions))
    return table(("", "package", "wires", "model and base URL", "`setup.system`"), rows)


def laws() -> str:
    rows = ((f"`{id}`", text.title, text.look) for id, text in law_texts().items())
    return table(("law", "in short", "if it fails, look first at"), rows)


def laws_in_full() -> str:
    return "".join(_item(f"- **`{id}`**: {text.demands}") for id, text in law_texts().items())


def _item(text: str) -> str:
    """One item of a list, fitted to the width of the documents."""
    lines = textwrap.wrap(text, 175, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)
    return "\n".join(lines) + "\n"


def counts() -> str:
    files, reached = rounded_below(len(scenarios()), 50), rounded_below(sum(m.reachable for m in MUTANTS), 20)
    return f"More than {files} scenarios, and more than {reached} mutants that they must catch.\n"


def mutants() -> str:
    rows = (
        (
            f"`{m.name}`",
            m.breaks,
            ", ".join(sorted({f"`{pair.scenario}`" for pair in m.pairs})) or f"none: {m.reason}",
        )
        for m in MUTANTS
    )
    return table(("mutant", "the defence that it lacks", "must be caught by"), rows)


def incidents() -> str:
    head = ("area", "what happened", "played by", "failed by")
    return table(head, known_failures.incident_lines(known_failures.incidents()))


def behaviours() -> str:
    return table(
        ("what an agent does", "played by", "failed by"), known_failures.behaviour_lines(known_failures.behaviours())
    )


def dialect_counts() -> str:
    rows = dialects.dialects()
    played, beside = {n for row in rows for n in row.played}, {n for row in rows for n in row.look_alikes}
    return f"{len(rows)} forms are known. {len(played)} examples play them, and {len(beside)} are beside them.\n"


def dialect_table() -> str:
    head = ("dialect", "form", "played by", "beside it", "failed by")
    return table(head, dialects.dialect_lines(dialects.dialects()))


def pairs() -> str:
    """A row for each feature but the last, a column for each but the first."""
    first, *others = FEATURES
    cells = [
        [name, *("·" if [*FEATURES].index(other) <= place else played(name, other) for other in others)]
        for place, name in enumerate([first, *others[:-1]])
    ]
    reasons = [f"{' and '.join(pair)}: {reason}." for pair, reason in UNSAID.items()]
    return table(["", *others], cells) + "".join(f"\nNo: {reason}\n" for reason in reasons)


def played(one: str, other: str) -> str:
    return "no" if (one, other) in UNSAID else "played"


def data_by_place() -> str:
    """A row for each class of characters, a column for each place: in which area it is sent there."""
    places = [place_of(name).replace("-", " ") for name in PLACES]
    cells = [[kind, *(sent_in(one[kind]) for one in PLACES.values())] for kind in CHARACTERS]
    return table(["", *places], cells)


def shares_of_subjects() -> str:
    rows = ((subject, *(f"{share:.0f} %" for share in found)) for subject, found in shares().items())
    return table(("subject", "reports", "cases of a run", "with `all`"), rows)


def sent_in(cell: tuple[str, str | None] | None) -> str:
    return "no" if cell is None else f"`{cell[0].partition('/')[0]}`"


def families_of_bedrock() -> str:
    return table(("rule", "what is wrong", "refused by", "accepted by"), bedrock_families.rows())


def families_of_models() -> str:
    return table(("provider", "wire", "models", "refuse, where others accept"), model_families.rows())


def let_pass() -> str:
    return table(("provider", "what is accepted"), ((one.provider, one.what) for one in LET_PASS))


def taken() -> str:
    rows = ((one.provider, ", ".join(f"`{member}`" for member in one.members), one.what, one.source) for one in TAKEN)
    return table(("provider", "members of chat completions", "a value of another type", "shown by"), rows)


def ignored() -> str:
    return table(("provider", "what is accepted"), ((one.provider, one.what) for one in IGNORED))


def not_built() -> str:
    return table(("provider", "what is not implemented"), ((provider, what) for provider, what, _ in NOT_BUILT))


def never_sent() -> str:
    head = ("rule", "what is never sent", "by", "what comes instead", "how that is known")
    return table(head, (_never_sent(rule) for rule in REPLY_RULES))


def _never_sent(rule: ReplyRule) -> tuple[str, ...]:
    facts = facts_by_provider()
    names = dict.fromkeys(name for providers in rule.where.values() for name in providers)
    by = "all of them" if len(names) == len(facts) else ", ".join(facts[name].title for name in names)
    links = (f"[{number}]({_linked(one.source)})" for number, one in enumerate(rule.evidence, 1))
    return f"`{rule.id}`", rule.why, by, rule.instead, f"{rule.known}: {', '.join(links)}"


def _linked(source: str) -> str:
    return source.removeprefix("docs/")


def table(head: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    head = list(head)
    lines = [head, ["---"] * len(head), *([str(cell) for cell in row] for row in rows)]
    return "".join(f"| {' | '.join(cells)} |\n".replace("|  |", "| |") for cells in lines)


FIGURES: dict[str, Callable[[], str]] = {
    "fields": fields.table,
    "families-of-bedrock": families_of_bedrock,
    "families-of-models": families_of_models,
    "corpus": corpus,
    "options": options,
    "adapters": adapters,
    "acp-programs": acp_programs,
    "counts": counts,
    "laws": laws,
    "laws-in-full": laws_in_full,
    "taken": taken,
    "let-pass": let_pass,
    "scenario-format": scenario_format,
    "ignored": ignored,
    "not-built": not_built,
    "never-sent": never_sent,
    "coverage": known_failures.counts,
    "pairs": pairs,
    "data-by-place": data_by_place,
    "shares": shares_of_subjects,
    "incidents": incidents,
    "behaviours": behaviours,
    "dialect-counts": dialect_counts,
    "dialects": dialect_table,
}

SITE_FIGURES: dict[str, Callable[[], str]] = {
    "areas": areas,
    "rules": rules,
    "providers": providers,
    "commands": commands,
    "mutants": mutants,
}


def with_figures(text: str) -> str:
    """The text of a document with its figures as they are now. Raises `KeyError` for a name that is none."""
    return MARKED.sub(lambda match: f"{match['name']} -->\n{FIGURES[match['name']]()}", text)


def with_site_figures(text: str) -> str:
    """The text of a document as the site shows it. Raises `KeyError` for a name that is none."""
    return ON_THE_SITE.sub(lambda match: f"{match['name']} -->\n{SITE_FIGURES[match['name']]()}", text)


def figures_in(document: Path) -> list[str]:
    return [match["name"] for match in MARKED.finditer(document.read_text(encoding="utf-8"))]


def site_figures_in(document: Path) -> list[str]:
    return [match["name"] for match in ON_THE_SITE.finditer(document.read_text(encoding="utf-8"))]
