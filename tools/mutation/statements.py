"""A few cases that together run every statement of the reference agent: `./dev python -m tools.mutation.statements`.

Whoever learns from that agent reads no statement that no case needs. All cases take minutes, these take seconds.
"""

import ast
from collections.abc import Iterator, Sequence

from tools.mutation.changes import FUNCTIONS
from tools.mutation.coverage_map import CoverageMap, known_map
from tools.mutation.mutants import ROOT
from tools.mutation.oracles import CasesOfTheReference
from tools.mutation.targets import REFERENCE

PLACE = ROOT / "tools" / "mutation" / "statements_of_reference.txt"
Statement = tuple[str, int]


def files_of_reference() -> list[str]:
    return sorted({path.relative_to(ROOT).as_posix() for glob in REFERENCE for path in ROOT.glob(glob)})


def statements_in_functions(file: str) -> set[Statement]:
    """Their first lines. What stands outside of functions runs at import, and a docstring never does."""
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    functions = [node for node in ast.walk(tree) if isinstance(node, FUNCTIONS)]
    return {(file, line) for function in functions for line in _lines(function.body)}


def _lines(body: Sequence[ast.stmt]) -> Iterator[int]:
    for statement in body:
        for node in ast.walk(statement):
            if isinstance(node, ast.stmt) and not _is_unmarked(node):
                yield node.lineno


def _is_unmarked(statement: ast.stmt) -> bool:
    """Whether Python never stops there: a text or `...` alone, and a declaration."""
    match statement:
        case ast.Expr(ast.Constant()) | ast.AnnAssign(value=None) | ast.Nonlocal() | ast.Global():
            return True
    return False


def statements_run(found: CoverageMap) -> dict[Statement, list[int]]:
    """The cases that run each statement, by their numbers."""
    return {(file, line): cases for file, lines in found.lines.items() for line, cases in lines.items()}


def missing(cases: Sequence[str]) -> list[str]:
    """The statements that none of these cases runs, as file and line; and the cases that are gone or fail."""
    oracle = CasesOfTheReference()
    numbers = {case: number for number, case in enumerate(oracle.units)}
    units = [case for case in cases if case in numbers]
    found = known_map("statements", units, lambda unit: oracle.passes(numbers[units[unit]]), files_of_reference())
    ran = statements_run(found)
    wanted = sorted(statement for file in files_of_reference() for statement in statements_in_functions(file))
    not_run = [f"{file}:{line}" for file, line in wanted if not ran.get((file, line))]
    return [*not_run, *(case for case in cases if case not in numbers), *(units[unit] for unit in found.failing)]


def few_cases() -> list[str]:
    """Cases that together run all that any case runs."""
    oracle = CasesOfTheReference()
    found = known_map("cases", oracle.units, oracle.passes, files_of_reference())
    wanted = {statement for file in files_of_reference() for statement in statements_in_functions(file)}
    return sorted(oracle.units[case] for case in fewest(found, wanted))


def fewest(found: CoverageMap, wanted: set[Statement]) -> list[int]:
    """Cases by their numbers. Again and again the one that runs most of the rest for its time."""
    rest: dict[int, set[Statement]] = {}
    for statement, cases in statements_run(found).items():
        for case in cases if statement in wanted else ():
            rest.setdefault(case, set()).add(statement)
    chosen: list[int] = []
    while rest:
        best = max(sorted(rest), key=lambda case: len(rest[case]) / (0.02 + found.seconds[case]))
        ran = rest.pop(best)
        chosen.append(best)
        rest = {case: left for case, statements in rest.items() if (left := statements - ran)}
    return sorted(chosen)


def known_cases() -> list[str]:
    return PLACE.read_text(encoding="utf-8").splitlines()


if __name__ == "__main__":
    cases = few_cases()
    PLACE.write_text("".join(f"{case}\n" for case in cases), encoding="utf-8")
    print(*missing(cases), f"{len(cases)} cases", sep="\n")
