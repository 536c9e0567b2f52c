"""Tables as few tests: the rows of a group are one test, whose failure names every wrong row.

Thousands of items cost more than what they check. `pytest --row TEXT` runs the rows alone whose id has this text.
"""

import inspect
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from types import NoneType
from typing import Any

import pytest

Check = Callable[..., object]
Rows = dict[str, tuple[Any, ...]]
"""The values of each row, by its id."""


class Table:
    """The groups of rows of one test."""

    def __init__(self, columns: str, groups: dict[str, Rows]) -> None:
        self.columns = columns.replace(",", " ").split()
        self.groups = groups

    def chosen(self, group: str, text: str) -> Rows:
        return {id: row for id, row in self.groups[group].items() if text in id}

    def run(self, check: Check, rows: Rows) -> None:
        """Raises an `ExceptionGroup` of what each wrong row has raised."""
        wrong = []
        for id, row in rows.items():
            try:
                check(**dict(zip(self.columns, row, strict=True)))
            except (Exception, pytest.fail.Exception) as error:
                error.add_note(f"row: {id}")
                wrong.append(error)
        if wrong:
            raise BaseExceptionGroup(_summary(wrong, rows), wrong)


def rows(
    columns: str,
    rows: Iterable[Any],
    *,
    ids: Callable[[Any], str] | Sequence[str] | None = None,
    group: Callable[[Any], str] = lambda row: "all",
) -> Callable[[Check], Any]:
    """Like `pytest.mark.parametrize`, with a test for each group of rows.

    A row is a tuple with a value for each column, or the value of the only one. Fixtures are made once for a group.
    """
    names = columns.replace(",", " ").split()
    given = list(rows)
    values = [row if len(names) > 1 else (row,) for row in given]
    if ids is None:
        labels = [_label(names, row, number) for number, row in enumerate(values)]
    else:
        labels = [ids(row) for row in given] if callable(ids) else list(ids)
    groups: dict[str, Rows] = {}
    for label, row, value in zip(labels, given, values, strict=True):
        assert groups.setdefault(group(row), {}).setdefault(label, value) is value, f"two rows have the id {label}"
    return _tests_of(Table(columns, groups))


def _tests_of(table: Table) -> Callable[[Check], Any]:
    def decorate(check: Check) -> Any:
        parameters = inspect.signature(check).parameters.values()
        fixtures = [parameter for parameter in parameters if parameter.name not in table.columns]

        @wraps(check)
        def test(group: str, request: pytest.FixtureRequest, **fixtures: Any) -> None:
            chosen = table.chosen(group, request.config.getoption("row"))
            table.run(lambda **row: check(**row, **fixtures), chosen)

        own = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY) for name in ("group", "request")]
        kept = [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in fixtures]
        test.__signature__ = inspect.Signature([*own, *kept])  # type: ignore[attr-defined]
        test.table = table  # type: ignore[attr-defined]
        return pytest.mark.parametrize("group", list(table.groups))(test)

    return decorate


def has_row(item: pytest.Item, text: str) -> bool:
    """Whether the item is a group of a table with a row whose id has this text."""
    table = getattr(getattr(item, "function", None), "table", None)
    return isinstance(table, Table) and bool(table.chosen(item.callspec.params["group"], text))  # type: ignore[attr-defined]


def _summary(wrong: Sequence[BaseException], rows: Rows) -> str:
    named = [error.__notes__[-1].removeprefix("row: ") for error in wrong]
    return f"{len(wrong)} of {len(rows)} rows are wrong: {', '.join(named)}; alone: --row '{named[0]}'"


def _label(names: Sequence[str], row: tuple[Any, ...], number: int) -> str:
    """As pytest writes ids: an object without a name has that of its column, and the number of its row."""
    return "-".join(
        str(value)
        if isinstance(value, (str, int, float, bytes, NoneType))
        else getattr(value, "__name__", f"{name}{number}")
        for name, value in zip(names, row, strict=True)
    )
