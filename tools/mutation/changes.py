"""Every small change to a module that a mutant can be: one comparison, constant, argument or statement. Runs nothing.

Left out are changes that nobody could call a bug: words for people, annotations, docstrings, imports, durations, and
what a decorator is given, which in the fakes' rules is evidence and examples.
"""

import ast
import copy
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Literal

Kind = Literal[
    "comparison",
    "boolean",
    "constant",
    "off by one",
    "removed statement",
    "early return",
    "swapped arguments",
    "not raised",
    "half a condition",
    "dropped keyword",
    "changed default",
    "slice by one",
    "skipped iteration",
    "doubled yield",
    "lost finally",
    "another exception",
]

OTHER_COMPARISON: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
SPEAKING = ("Breach", "Mismatch", "Finding", "FieldViolation", "AgentError", "cite", "fail", "TypeVar", "quoted")
"""What is called with words for people. The words are not changed; all else in the call is."""

LABELLED = ("Dialect",)
"""What is called with a name for itself first. Nothing decides by it how a text is read, so it is not changed."""

UNSWAPPED = ("isinstance", "getattr", "field", "cast", "max", "min")
"""Calls that no one would write in the other order, or that have none."""

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
NEUTRAL = "mutated"


@dataclass(frozen=True, slots=True)
class Place:
    """Where a node is: in which function, by its qualified name, and in which statement."""

    function: str
    statement: ast.stmt | ast.match_case | ast.ExceptHandler | None
    in_function: ast.FunctionDef | ast.AsyncFunctionDef | None = None
    in_class: bool = False
    in_defaults: bool = False
    words: bool = False


@dataclass(slots=True)
class Change:
    """One change to a tree. `put` makes it, `undo` takes it back; both are for the tree that it was found in."""

    kind: Kind
    place: Place
    owner: Any
    name: str
    index: int | None
    new: Any
    old: Any = field(init=False)

    def __post_init__(self) -> None:
        value = getattr(self.owner, self.name)
        self.old = value if self.index is None else value[self.index]

    def put(self) -> None:
        self._set(self.new)

    def undo(self) -> None:
        self._set(self.old)

    def _set(self, value: Any) -> None:
        if self.index is None:
            setattr(self.owner, self.name, value)
        else:
            getattr(self.owner, self.name)[self.index] = value


def changes_in(tree: ast.Module) -> Iterator[Change]:
    """All changes, in the order of the text."""
    yield from _in_body(tree, "body", Place("", None))


def header(statement: ast.stmt | ast.match_case | ast.ExceptHandler) -> str:
    """A statement in one line, without the statements in it."""
    alone = copy.copy(statement)
    for name in ("body", "orelse", "finalbody", "handlers", "cases", "decorator_list"):
        if isinstance(getattr(alone, name, None), list):
            setattr(alone, name, [])
    return " ".join(ast.unparse(alone).split())


def _in_body(owner: ast.AST, name: str, place: Place) -> Iterator[Change]:
    for index, statement in enumerate(getattr(owner, name)):
        if _is_left_out(statement):
            continue
        inside = Place(place.function, statement, place.in_function, place.in_class, words=_is_speaking(statement))
        others = list(_other_statements(statement, inside))
        if name == "finalbody":
            others = [("lost finally", ast.If(ast.Constant(False), [statement], []))]
        for kind, new in others:
            yield Change(kind, inside, owner, name, index, new)
        yield from _in_statement(statement, inside)


def _in_statement(statement: ast.stmt, place: Place) -> Iterator[Change]:
    if isinstance(statement, FUNCTIONS):
        yield from _in_function(statement, place)
    elif isinstance(statement, ast.ClassDef):
        inner = Place(_qualified(place, statement.name), statement, place.in_function, in_class=True)
        yield from _in_body(statement, "body", inner)
    else:
        yield from _in_fields(statement, place)


def _in_function(function: ast.FunctionDef | ast.AsyncFunctionDef, place: Place) -> Iterator[Change]:
    inner = Place(_qualified(place, function.name), function, function)
    defaults = Place(inner.function, function, function, in_defaults=True)
    for name in ("defaults", "kw_defaults"):
        for index, value in enumerate(getattr(function.args, name)):
            if value is not None:
                yield from _at(function.args, name, index, value, defaults)
    yield from _early_end(function, inner)
    yield from _in_body(function, "body", inner)


def _in_fields(node: ast.AST, place: Place) -> Iterator[Change]:
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "type_comment"):
            continue
        if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
            yield from _in_body(node, name, place)
        elif isinstance(value, list):
            for index, item in enumerate(value):
                if isinstance(item, ast.AST) and not _is_label(node, name, index):
                    yield from _at(node, name, index, item, place)
        elif isinstance(value, ast.AST):
            yield from _at(node, name, None, value, place)


def _at(owner: Any, name: str, index: int | None, node: ast.AST, place: Place) -> Iterator[Change]:
    """What can be changed about a node that is no statement, and about all in it."""
    if isinstance(node, ast.match_case | ast.ExceptHandler):
        yield from _in_fields(node, replace(place, statement=node))
        return
    if isinstance(node, ast.JoinedStr):
        return  # words, nearly always; what is put into them is not decided there
    if _is_assertion(owner, node):
        return
    for kind, new in _other_nodes(node, owner, name, place):
        yield Change(kind, place, owner, name, index, new)
    speaks = isinstance(node, ast.Call) and _called(node) in SPEAKING
    yield from _in_fields(node, replace(place, words=True) if speaks else place)


def _other_nodes(node: ast.AST, owner: Any, name: str, place: Place) -> Iterator[tuple[Kind, ast.AST]]:
    match node:
        case ast.Compare(left, ops, comparators):
            for number, op in enumerate(ops):
                others = [*ops[:number], OTHER_COMPARISON[type(op)](), *ops[number + 1 :]]
                yield "comparison", ast.Compare(left, others, comparators)
        case ast.BoolOp(op, values):
            yield "boolean", ast.BoolOp(ast.Or() if isinstance(op, ast.And) else ast.And(), values)
            for number in range(len(values)):
                kept = [*values[:number], *values[number + 1 :]]
                yield "half a condition", kept[0] if len(kept) == 1 else ast.BoolOp(op, kept)
        case ast.UnaryOp(ast.Not(), operand):
            yield "boolean", operand
        case ast.Call():
            yield from _other_calls(node, place)
        case ast.Slice(lower, upper, step):
            for bound, changed in ((lower, "lower"), (upper, "upper")):
                if bound is not None and not isinstance(bound, ast.Constant):  # those are off by one
                    moved = ast.BinOp(bound, ast.Add(), ast.Constant(1))
                    bounds = (moved, upper) if changed == "lower" else (lower, moved)
                    yield "slice by one", ast.Slice(*bounds, step)
        case ast.Constant():
            yield from _other_constants(node, owner, place)
    if name == "iter" and isinstance(owner, ast.For | ast.comprehension) and not getattr(owner, "is_async", 0):
        rest = ast.parse("__import__('itertools').islice(None, 1, None)", mode="eval").body
        rest.args[0] = node  # type: ignore[attr-defined]
        yield "skipped iteration", rest
    if name == "type" and isinstance(owner, ast.ExceptHandler):
        yield from _other_exceptions(node)
    is_condition = name == "test" or (name == "ifs" and isinstance(owner, ast.comprehension))
    if is_condition and not isinstance(node, ast.Compare | ast.BoolOp | ast.UnaryOp | ast.Constant):
        yield "boolean", ast.UnaryOp(ast.Not(), node)  # type: ignore[arg-type]


def _other_exceptions(node: ast.AST) -> Iterator[tuple[Kind, ast.AST]]:
    """One class fewer, or one that nothing raises."""
    if isinstance(node, ast.Tuple) and len(node.elts) > 1:
        for number in range(len(node.elts)):
            yield "another exception", ast.Tuple([*node.elts[:number], *node.elts[number + 1 :]], ast.Load())
    else:
        yield "another exception", ast.Name("ZeroDivisionError", ast.Load())


def _other_calls(node: ast.Call, place: Place) -> Iterator[tuple[Kind, ast.AST]]:
    if not place.words and _called(node) not in SPEAKING:
        for number, keyword in enumerate(node.keywords):
            if keyword.arg is not None and not _is_assertion(node, keyword):
                rest = [*node.keywords[:number], *node.keywords[number + 1 :]]
                yield "dropped keyword", ast.Call(node.func, node.args, rest)
    match node:
        case ast.Call(ast.Attribute(attr="get" | "pop" | "setdefault"), [key, default], []) if not _is_none(default):
            yield "changed default", ast.Call(node.func, [key, ast.Constant(None)], [])
    first, second, *rest = [*node.args, None, None][: max(2, len(node.args))]
    if first is None or second is None or isinstance(first, ast.Starred) or isinstance(second, ast.Starred):
        return
    if _called(node) not in UNSWAPPED and ast.dump(first) != ast.dump(second):
        yield "swapped arguments", ast.Call(node.func, [second, first, *rest], node.keywords)  # type: ignore[list-item]


def _other_constants(node: ast.Constant, owner: Any, place: Place) -> Iterator[tuple[Kind, ast.AST]]:
    value = node.value
    if isinstance(value, bool):
        yield "constant", ast.Constant(not value)
    elif isinstance(value, int):
        counted = isinstance(owner, ast.BinOp | ast.Slice | ast.Compare | ast.Subscript | ast.UnaryOp)
        yield ("off by one" if counted else "constant"), ast.Constant(value + 1)
    elif isinstance(value, str) and not place.words and not _is_words(value) and not _is_layout(value, owner):
        yield "constant", ast.Constant(NEUTRAL if not value else "")


def _other_statements(statement: ast.stmt, place: Place) -> Iterator[tuple[Kind, ast.stmt]]:
    match statement:
        case ast.Raise():
            yield "not raised", ast.Pass()
        case ast.Return(value) if value is not None and not _is_empty(value):
            yield "early return", ast.Return(ast.Constant(None))
        case ast.Expr(ast.Yield() | ast.YieldFrom()):
            yield "removed statement", ast.If(ast.Constant(False), [statement], [])
            yield "doubled yield", ast.If(ast.Constant(True), [statement, statement], [])
        case ast.Expr() | ast.AugAssign() | ast.Continue() | ast.Break() | ast.Delete() if place.in_function:
            yield "removed statement", ast.Pass()
        case ast.Assign(targets) if place.in_function and not any(isinstance(t, ast.Name) for t in targets):
            if not any(isinstance(target, ast.Tuple) for target in targets):
                yield "removed statement", ast.Pass()
        case ast.If(_, [*_, ast.Return() | ast.Continue() | ast.Break()], []):
            yield "removed statement", ast.Pass()


def _early_end(function: ast.FunctionDef | ast.AsyncFunctionDef, place: Place) -> Iterator[Change]:
    """A function without a value ends before its last statement."""
    first = 1 if ast.get_docstring(function) is not None else 0
    last = len(function.body) - 1
    has_value = any(isinstance(node, ast.Return) and node.value is not None for node in _own_nodes(function))
    if last > first and not has_value and not isinstance(function.body[last], ast.Return | ast.Raise):
        inside = Place(place.function, function.body[last], place.in_function)
        new = ast.If(ast.Constant(False), [function.body[last]], [])
        yield Change("early return", inside, function, "body", last, new)


def _own_nodes(function: ast.AST) -> Iterator[ast.AST]:
    for node in ast.iter_child_nodes(function):
        if not isinstance(node, (*FUNCTIONS, ast.ClassDef, ast.Lambda)):
            yield node
            yield from _own_nodes(node)


def _is_left_out(statement: ast.stmt) -> bool:
    match statement:
        case ast.Import() | ast.ImportFrom() | ast.Assert() | ast.Pass() | ast.Global() | ast.Nonlocal():
            return True
        case ast.Expr(ast.Constant()):
            return True  # a docstring
        case ast.If(test):
            return "TYPE_CHECKING" in ast.unparse(test)
        case ast.Assign([ast.Name(id)], value):
            return id == "__all__" or _is_type(value)
        case ast.AnnAssign(_, annotation):
            return "TypeAlias" in ast.unparse(annotation)
    return False


def _is_type(value: ast.expr) -> bool:
    return isinstance(value, ast.Subscript | ast.BinOp) and ast.unparse(value).startswith(
        ("Literal[", "Callable[", "Mapping[", "Sequence[", "Iterator[", "tuple[", "dict[", "list[", "type[", "str |")
    )


def _is_speaking(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Raise)


def _is_words(text: str) -> bool:
    """Whether a text is for people: more than one word, or a sentence."""
    return len(text.split()) > 1


def _is_assertion(owner: Any, node: ast.AST) -> bool:
    """Like `assert`, which is left out too: `zip(..., strict=True)` says what is so already."""
    match owner, node:
        case ast.Call(ast.Name("zip")), ast.keyword("strict", ast.Constant(True)):
            return True
    return False


def _is_label(owner: ast.AST, name: str, index: int) -> bool:
    return isinstance(owner, ast.Call) and _called(owner) in LABELLED and (name, index) == ("args", 0)


def _is_layout(text: str, owner: Any) -> bool:
    """Whether a text is the white space that texts are joined with."""
    return bool(text) and text.isspace() and isinstance(owner, ast.Attribute) and owner.attr == "join"


def _is_empty(node: ast.expr) -> bool:
    """Whether a value is as empty as None, which callers seldom tell apart."""
    match node:
        case ast.Constant(value):
            return not value
        case ast.List(elts) | ast.Tuple(elts) | ast.Set(elts):
            return not elts
        case ast.Dict(keys):
            return not keys
    return False


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _called(call: ast.Call) -> str:
    match call.func:
        case ast.Name(id):
            return id
        case ast.Attribute(attr=attr):
            return attr
    return ""


def _qualified(place: Place, name: str) -> str:
    if not place.function:
        return name
    within = f"{place.function}.<locals>" if place.in_function and not place.in_class else place.function
    return f"{within}.{name}"
