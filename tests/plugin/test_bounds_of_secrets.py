"""The summary says where a bound of the search for secrets was met, and what an import prints is printable."""

import pytest

from tests.plugin.conftest import AGENT, Project

pytest_plugins = ["pytester"]

LINE = "the first 1,000,000 characters of .env were looked at for secrets, and not the rest"
LOUD = r"""
import atexit, os, sys, warnings

print("\x1b[2J\n::error::printed\u202e")
print("::error::to stderr", file=sys.stderr)
warnings.warn("a\n::error::warned")
os.system("echo ::error::child")
atexit.register(print, "\n::error::at exit\x1b[2J")
atexit.register(lambda: print("##[error]at exit", file=sys.__stderr__))
"""


@pytest.mark.parametrize("workers", [(), ("-p", "xdist", "-n", "2")])
def test_summary_says_where_a_bound_was_met(project: Project, workers: tuple[str, ...]) -> None:
    project.scenario("shop/greets")
    project.path.joinpath(".env").write_text("TEXT=plain words\n" * 70_000)

    result = project.run_process(*workers)

    assert sum(LINE in line for line in result.outlines) == 1


def test_summary_says_nothing_of_bounds_that_were_not_met(project: Project) -> None:
    project.scenario("shop/greets")

    assert "looked at for secrets" not in project.run().stdout.str()


@pytest.mark.parametrize("agent", ["mymodule:Adapter", "mymodule:Missing"])
def test_output_of_an_import_and_of_the_end_is_printable(project: Project, agent: str) -> None:
    project.scenario("shop/greets")
    project.path.joinpath("mymodule.py").write_text(LOUD + AGENT)

    result = project.run_process(agent=agent)
    lines = [*result.outlines, *result.errlines]

    for text in ("printed\\u202e", "to stderr", "warned", "child", "at exit\\x1b[2J"):
        assert any(line.endswith(rf"\x3a:error::{text}") for line in lines), text
    assert r"\x23#[error]at exit" in lines
    assert not [line for line in lines if line.startswith(("::", "##")) or not line.replace("\t", "").isprintable()]


def test_path_that_cannot_be_used_is_printable(project: Project) -> None:
    project.scenario("shop/greets")

    result = project.run_process("a\x1b[2J\n::error::b.yaml")
    lines = [*result.outlines, *result.errlines]

    assert any("a\\x1b[2J" in line for line in lines)
    assert not [line for line in lines if line.startswith("::") or "\x1b" in line]
