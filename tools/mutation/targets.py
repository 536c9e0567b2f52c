"""What is mutated: the reference agent, what judges, or the fakes. Knows no test."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tools.mutation.changes import FUNCTIONS
from tools.mutation.mutants import ROOT, Mutant, mutants_of

REFERENCE = ("conformance/agent_conformance/agents/reference/**/*.py",)
FAKES = (
    "fakes/fake_providers/rulebook.py",
    "fakes/fake_providers/registry.py",
    "fakes/fake_providers/wires/*/rules/**/*.py",
    "fakes/fake_providers/wires/openai_shared/schema_faults.py",
    "fakes/fake_providers/wires/openai_shared/*rules.py",
    "fakes/fake_providers/wires/openai_shared/parameters.py",
    "fakes/fake_providers/providers/*/*.py",
    "fakes/fake_providers/transport/*.py",
)
"""Rules, beside which the answers of a provider stand, and the transport, which the tests of the judge do not hold."""
JUDGE = (
    "conformance/agent_conformance/judge/**/*.py",
    "conformance/agent_conformance/run/exceptions/__init__.py",
    "conformance/agent_conformance/run/provider/case_provider.py",
    "conformance/agent_conformance/run/provider/model_script.py",
    "conformance/agent_conformance/run/case_session.py",
    "conformance/agent_conformance/run/provider/tool_names.py",
    "conformance/agent_conformance/run/agent/toolbox.py",
    "fakes/fake_providers/rulebook.py",
    "fakes/fake_providers/registry.py",
    "fakes/fake_providers/view.py",
    "fakes/fake_providers/wires/*/request.py",
    "fakes/fake_providers/wires/*/rules/**/*.py",
    "fakes/fake_providers/wires/openai_shared/schema_faults.py",
    "fakes/fake_providers/wires/openai_shared/*rules.py",
    "fakes/fake_providers/wires/openai_shared/parameters.py",
    "fakes/fake_providers/providers/*/*.py",
)
"""What decides a verdict: laws, expectations, what a case records of the agent, how requests are read, and the rules.

The modules of `agent_conformance.run` that are left out start and stop agents, and decide how long things take. The
guard of the network is an audit hook, of which nothing tells what it executes.
"""

SAMPLES = re.compile(r"/samples?\.py$")
MAKES_SAMPLES = re.compile(r"\w*Samples\.")
"""The methods of classes that make examples of rules."""

LITERALS = (ast.Constant, ast.Tuple, ast.List, ast.Set, ast.Dict, ast.Starred, ast.UnaryOp, ast.Load, ast.USub)


def reference_mutants() -> list[Mutant]:
    return mutants_of(_files(REFERENCE))


def judge_mutants() -> list[Mutant]:
    """Those in functions, and of constants that only functions read: they are put in place after all is imported."""
    return _of_functions(JUDGE)


def fakes_mutants() -> list[Mutant]:
    """The same of rules and of the transport."""
    return _of_functions(FAKES)


def _of_functions(globs: tuple[str, ...]) -> list[Mutant]:
    files = [file for file in _files(globs) if not SAMPLES.search(file)]
    examples = functions_of_examples()
    return [
        mutant
        for mutant in mutants_of(files)
        if (mutant.lines and mutant.function not in examples and not MAKES_SAMPLES.match(mutant.function))
        or (not mutant.function and constant_of(mutant) is not None)
    ]


def _files(globs: tuple[str, ...]) -> list[str]:
    return sorted({path.relative_to(ROOT).as_posix() for glob in globs for path in ROOT.glob(glob)})


@cache
def functions_of_examples() -> frozenset[str]:
    """Functions of the fakes that only make rules and their examples: they are called where a module is imported."""
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in ROOT.joinpath("fakes").rglob("*.py")]
    bodies: dict[str, set[str]] = {}
    outside: set[str] = set()
    for tree in trees:
        for statement in tree.body:
            if isinstance(statement, FUNCTIONS):
                inside = {name for part in statement.body for name in loaded(part)}
                bodies.setdefault(statement.name, set()).update(inside)
                outside |= {name for part in statement.decorator_list for name in loaded(part)}
            elif isinstance(statement, ast.ClassDef):
                bodies.setdefault(f"class {statement.name}", set()).update(loaded(statement))
            else:
                outside |= set(_called(statement))
    return _only_examples(bodies, outside)


def _only_examples(bodies: dict[str, set[str]], outside: set[str]) -> frozenset[str]:
    """What is called at import, without what another function calls that is none of these."""
    examples = outside & set(bodies)
    while True:
        used = {name for function, names in bodies.items() if function not in examples for name in names}
        more = {name for function in examples for name in bodies[function] if name in bodies} | examples
        left = frozenset(more - used)
        if left == examples:
            return left
        examples = set(left)


def _called(node: ast.AST) -> Iterator[str]:
    for inner in ast.walk(node):
        if isinstance(inner, ast.Call) and isinstance(inner.func, ast.Name):
            yield inner.func.id


def loaded(node: ast.AST) -> Iterator[str]:
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Load):
            yield inner.id
        elif isinstance(inner, ast.Attribute):
            yield inner.attr


def constant_of(mutant: Mutant) -> str | None:
    """The name of the constant that this mutant changes, if only functions read it."""
    constants = _constants(mutant.file)
    return next((name for name, lines in constants.items() if mutant.line in lines), None)


@cache
def _constants(file: str) -> dict[str, range]:
    """Each constant that only functions read, and its lines."""
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    at_import = {name for statement in tree.body for part in run_at_import(statement) for name in loaded(part)}
    return {
        name: range(statement.lineno, (statement.end_lineno or statement.lineno) + 1)
        for statement in tree.body
        if (name := assigned(statement)) and name not in at_import and _is_literal(statement.value)  # type: ignore[attr-defined]
    }


def assigned(statement: ast.stmt) -> str | None:
    match statement:
        case ast.Assign([ast.Name(id)]) | ast.AnnAssign(ast.Name(id), _, value=ast.expr()):
            return id
    return None


def _is_literal(value: ast.expr) -> bool:
    match value:
        case ast.Call(ast.Name("frozenset" | "set" | "tuple" | "dict"), [argument]):
            return _is_literal(argument)
        case ast.Call(ast.Attribute(ast.Name("re"), "compile"), arguments):
            return all(_is_literal(argument) or isinstance(argument, ast.Attribute) for argument in arguments)
    return all(isinstance(node, LITERALS) for node in ast.walk(value))


def run_at_import(statement: ast.stmt) -> Iterator[ast.AST]:
    """What of a statement is evaluated when the module is imported: not the bodies of functions."""
    if isinstance(statement, FUNCTIONS):
        yield from statement.decorator_list
        yield statement.args
    elif isinstance(statement, ast.ClassDef):
        yield from (*statement.decorator_list, *statement.bases)
        for inner in statement.body:
            yield from run_at_import(inner)
    else:
        yield statement


def module_of(file: str) -> str:
    parts = Path(file).with_suffix("").parts
    inside = parts[1:] if parts[0] in ("conformance", "fakes") else parts  # the two are roots of sources
    return ".".join(inside).removesuffix(".__init__")
