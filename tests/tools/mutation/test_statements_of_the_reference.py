from pathlib import Path

import pytest

from tools.mutation.coverage_map import CoverageMap
from tools.mutation.statements import fewest, known_cases, missing, statements_in_functions

TEXT = '''"""A module."""
LIMIT = 3


class Reader:
    """Reads."""

    done: bool = False

    def feed(self, text: str) -> str:
        """Takes a text."""
        left: int
        if text:
            return text

        def none() -> str:
            return ""

        return none()

    def name(self) -> str: ...
'''


@pytest.mark.slow
def test_every_statement_of_the_reference_agent_runs_in_a_case() -> None:
    """Add a case that runs it, or delete it. After other changes, `./dev python -m tools.mutation.statements`."""
    assert missing(known_cases()) == []


def test_statements_are_those_in_functions_that_python_executes(tmp_path: Path) -> None:
    file = tmp_path / "reader.py"
    file.write_text(TEXT)

    lines = sorted(line for _, line in statements_in_functions(str(file)))

    assert [TEXT.splitlines()[line - 1].strip() for line in lines] == [
        "if text:",
        "return text",
        "def none() -> str:",
        'return ""',
        "return none()",
    ]


def test_few_cases_run_what_all_run() -> None:
    lines = {1: [0], 2: [1, 2], 3: [2], 4: [0, 1, 2]}

    assert fewest(CoverageMap([0.1, 0.1, 0.1], [], {"a.py": lines}), {("a.py", line) for line in lines}) == [0, 2]


def test_statement_that_no_case_runs_needs_none() -> None:
    assert fewest(CoverageMap([0.1], [], {"a.py": {1: [0]}}), {("a.py", 1), ("a.py", 2)}) == [0]
