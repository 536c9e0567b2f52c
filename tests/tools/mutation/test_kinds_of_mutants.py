"""Which changes there are, how they read, and which are left out."""

from pathlib import Path

import pytest

from tests.tables import rows
from tools.mutation.mutants import Mutant, drawn, mutants_of

CHANGED = [
    ("comparison", "return a < b", "return a <= b"),
    ("boolean", "return a and b", "return a or b"),
    ("boolean", "return not a", "return a"),
    ("boolean", "if a: b()", "if not a:"),
    ("constant", "return True", "return False"),
    ("constant", "return {'role': a}", "return {'': a}"),
    ("off by one", "return a[1:]", "return a[2:]"),
    ("removed statement", "b(a)", "pass"),
    ("removed statement", "a.b = 1", "pass"),
    ("removed statement", "while a: break", "pass"),
    ("removed statement", "yield a", "pass"),
    ("early return", "return a", "return None"),
    ("swapped arguments", "return b(a, 2)", "return b(2, a)"),
    ("not raised", "raise ValueError(a)", "pass"),
    ("half a condition", "return a and b", "return b"),
    ("half a condition", "return a or b or 1", "return a or b"),
    ("dropped keyword", "return b(a, most=2)", "return b(a)"),
    ("changed default", "return a.get(b, 2)", "return a.get(b, None)"),
    ("slice by one", "return a[b:]", "return a[b + 1:]"),
    ("skipped iteration", "for one in a: b(one)", "for one in __import__('itertools').islice(a, 1, None):"),
    ("doubled yield", "yield a", "yield a; yield a"),
    ("lost finally", "try:\n        a()\n    finally:\n        b()", "pass"),
    ("another exception", "try:\n        a()\n    except (KeyError, OSError):\n        b()", "except (OSError,):"),
    ("another exception", "try:\n        a()\n    except KeyError:\n        b()", "except ZeroDivisionError:"),
]
LEFT_OUT = [
    "import a",
    '"""Words."""',
    "assert a",
    "return zip(a, strict=True)",
    "a: int",
    "raise ValueError('one word')",
    "return f'{a} 1'",
    "return []",
    "return None",
    "return ' '.join(b)",
    "pass",
]


def mutants_in(folder: Path, *body: str) -> list[Mutant]:
    file = folder / "module.py"
    file.write_text("\n    ".join(["def function(a, b):", *body]) + "\n")
    return mutants_of([str(file)])


@rows("kind, statement, now", CHANGED, ids=lambda row: f"{row[0]}: {row[1]}")
def test_change_reads_as_what_it_does(kind: str, statement: str, now: str, tmp_path: Path) -> None:
    found = [(mutant.kind, mutant.now) for mutant in mutants_in(tmp_path, statement)]

    assert (kind, now) in found


@rows("statement", LEFT_OUT, ids=str)
def test_what_nobody_would_call_a_bug_is_left_out(statement: str, tmp_path: Path) -> None:
    kinds = {mutant.kind for mutant in mutants_in(tmp_path, statement)}

    assert kinds <= {"not raised", "early return"}


def test_what_a_decorator_is_given_is_left_out(tmp_path: Path) -> None:
    file = tmp_path / "module.py"
    file.write_text("@rule('name', most=3)\ndef function():\n    return\n")

    assert mutants_of([str(file)]) == []


def test_name_of_a_dialect_is_left_out_and_the_rest_of_it_is_not(tmp_path: Path) -> None:
    now = {mutant.now for mutant in mutants_in(tmp_path, "return Dialect('name', ('opener',), line=True)")}

    assert "return Dialect('', ('opener',), line=True)" not in now
    assert {"return Dialect('name', ('',), line=True)", "return Dialect('name', ('opener',), line=False)"} < now


def test_tree_has_the_change_and_nothing_else(tmp_path: Path) -> None:
    import ast

    for mutant in mutants_in(tmp_path, "if a < b:", "    return b(a, 1)", "raise KeyError"):
        text = ast.unparse(mutant.tree())
        assert text != ast.unparse(ast.parse(Path(mutant.file).read_text(encoding="utf-8")))
        assert mutant.now == "pass" or mutant.now in text


def test_names_of_mutants_are_unique(tmp_path: Path) -> None:
    names = [mutant.name for mutant in mutants_in(tmp_path, "b(1)", "b(1)")]

    assert len(set(names)) == len(names) > 2


def test_seed_draws_the_same_and_another_seed_others(tmp_path: Path) -> None:
    mutants = mutants_in(tmp_path, *(f"b({number})" for number in range(40)))

    assert drawn(mutants, seed=1, sample=10) == drawn(mutants[::-1], seed=1, sample=10)
    assert drawn(mutants, seed=1, sample=10) != drawn(mutants, seed=2, sample=10)


def test_new_code_replaces_few_of_those_drawn(tmp_path: Path) -> None:
    before = drawn(mutants_in(tmp_path, *(f"b({n})" for n in range(40))), seed=1, sample=20)
    after = drawn(mutants_in(tmp_path, "b(a)", *(f"b({n})" for n in range(40))), seed=1, sample=20)

    assert len({mutant.name for mutant in before} & {mutant.name for mutant in after}) >= 17


@pytest.mark.parametrize("statement", ["if a: return", "for c in b: a(c)"])
def test_lines_are_those_of_the_statement_alone(statement: str, tmp_path: Path) -> None:
    head, _, body = statement.partition(": ")
    mutants = mutants_in(tmp_path, f"{head}:", f"    {body}", "a(b)")

    assert {mutant.lines for mutant in mutants} <= {(2,), (3,), (4,)}
