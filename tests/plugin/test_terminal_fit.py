"""A failure on a terminal: what is wider than a line is broken, but for what is copied."""

import io

from _pytest._io import TerminalWriter

from agent_conformance.baseline.case_report import Row
from agent_conformance.pytest.terminal_text import write_failure

LONG = "x" * 100


def shown(*rows: Row) -> list[str]:
    file = io.StringIO()
    file.isatty = lambda: True  # type: ignore[method-assign]
    writer = TerminalWriter(file)
    writer.hasmarkup, writer.fullwidth = False, 60
    write_failure(writer, rows)
    return file.getvalue().splitlines()


def test_word_that_is_wider_than_the_terminal_is_broken() -> None:
    lines = shown(Row("got", LONG))

    assert max(map(len, lines)) <= 60
    assert "".join(lines).count("x") == 100


def test_address_and_command_stay_whole() -> None:
    assert LONG in shown(Row("source", f"a.yaml:3   https://{LONG}"))[-1]
    assert shown(Row("rerun", f"pytest {LONG}"))[0].endswith(f"pytest {LONG}")


def test_lines_of_a_traceback_are_broken_and_those_of_ids_are_not() -> None:
    assert max(map(len, shown(Row("trace", below=(f"a.py:3 in send: return {LONG}",))))) <= 60
    assert shown(Row("same", "1 more case", below=(f"area/{LONG}",)))[-1] == f"    area/{LONG}"
