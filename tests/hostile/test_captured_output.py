"""What SECURITY.md says of what an agent prints, sentence by sentence."""

import os
import re
import sys
from pathlib import Path

import pytest

from agent_conformance.attach.isolated.processes import Output
from agent_conformance.machine.platform_features import POLLS_PIPES
from agent_conformance.pytest.terminal_text import LINE, LINES, MOST, bounded_sections, sections_in_brief
from fake_providers.wire_neutral_lines import printable_output
from tests.hostile.agents_output import COMMANDS, CONTROLS
from tests.hostile.right_agent import HERE, KINDS
from tests.hostile.runs import run, write_scenarios

SECURITY = " ".join((HERE.parents[1] / "SECURITY.md").read_text(encoding="utf-8").split())
PRINTABLE = "Text from models and agents is made printable before it reaches a terminal or a file."
NO_COMMAND = "No line of it is a command to GitHub Actions or Azure Pipelines."
BOUNDED = "Of what an agent prints in one case, the first 10 MB are shown, and how much was left out"
ITS_END = "of an agent in a process of its own the last 64 KB."
AS_IT_IS = "With `-s`, `log_cli` or `log_file`, pytest passes on what an agent prints as it is."


def obeyed(text: str) -> list[str]:
    """The lines that a runner would take for a command."""
    lines = re.split(r"[\r\n]", text)
    return [line for line in lines if re.match(r"\s*::[^:].*?::", line) or "##[" in line or "##vso[" in line]


def unprintable(text: str) -> set[str]:
    return {char for char in text if not char.isprintable()} - {"\n", "\t"}


def output_of(folder: Path, name: str, *options: str) -> str:
    write_scenarios(folder)
    agent = next(kind.agent for kind in KINDS if kind.name == f"agents_output.py:{name}")
    return run(folder, agent, "-vv", "--color=no", *options).output


@pytest.mark.parametrize("sentence", [PRINTABLE, NO_COMMAND, BOUNDED, ITS_END, AS_IT_IS])
def test_sentence_is_in_the_document(sentence: str) -> None:
    assert sentence in SECURITY


@pytest.mark.parametrize("text", [*COMMANDS, CONTROLS, "a\r\n::error::b\r\n", "\x1b[31mred\x1b[0m", "\ud800"])
def test_output_is_printable_and_no_command(text: str) -> None:
    shown = printable_output(f"before\n{text}\nafter")

    assert (obeyed(shown), unprintable(shown)) == ([], set())
    assert shown.startswith("before\n")
    assert shown.endswith("\nafter")


@pytest.mark.parametrize(
    "text", ["::1 is an address\n", "std::vector and a::b::c\n", "# [x]\n## [link](y)\n", "\tgot é 日本 😀\n", ":: a\n"]
)
def test_other_text_is_shown_as_it_is(text: str) -> None:
    assert printable_output(text) == text


def test_search_for_commands_costs_no_more_than_the_length_of_the_text() -> None:
    for text in ("::" + ":" * 300_000, " " * 300_000 + ":", "::a" * 100_000, "##" * 150_000, "\t\n" * 150_000):
        assert len(printable_output(text)) <= 1.5 * len(text) + 4


def test_first_part_of_all_captured_output_is_kept() -> None:
    sections = [("Captured stdout call", "a" * 9_000_000), ("transcript", "t"), ("Captured stderr call", "b" * MOST)]

    (_, first), own, (_, second) = bounded_sections(sections, {"stderr": 5})

    assert (first, own) == ("a" * 9_000_000, ("transcript", "t"))
    assert second == "b" * 1_000_000 + "\n... (9,000,005 more characters left out)\n"


def test_terminal_shows_captured_output_in_brief() -> None:
    whole = "".join(f"line {number}\n" for number in range(LINES))
    long = f"{'x' * 5_000}\n{whole}"

    brief = sections_in_brief([("Captured log call", long), ("Captured stdout call", whole), ("transcript", long)])

    (_, log), (_, stdout), (_, transcript) = brief
    assert log.startswith(f"{'x' * LINE} ... (4,701 more characters; -v shows them)\nline 0\n")
    assert log.endswith("line 39\n")
    assert (stdout, transcript) == (whole, long)
    (_, many), *_ = sections_in_brief([("Captured stderr setup", whole * 2)])
    assert "line 19\n... (40 more lines; -v shows them)\nline 20\n" in many


@pytest.mark.skipif(not POLLS_PIPES, reason="only the thread that reads the pipe knows what is in it")
def test_what_is_still_in_the_pipe_of_an_isolated_agent_is_shown() -> None:
    interval = sys.getswitchinterval()
    sys.setswitchinterval(0.5)  # the thread that reads the pipe comes late
    shown = []
    try:
        for _ in range(100):
            output = Output()
            end = os.dup(output.handle)
            output.opened()
            os.write(end, b"said\n")
            shown.append(output.news())
            os.close(end)
            output.close()
    finally:
        sys.setswitchinterval(interval)

    assert set(shown) == {"said\n"}


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        *("PrintsCommands", "PrintsCommandsIsolated", "LogsCommands", "WarnsWithCommands", "RaisesCommands"),
        *("ItsTracebackHasCommands", "RepliesWithCommands", "WritesCommandsToTheDescriptor", "ItsChildPrintsCommands"),
    ],
)
def test_text_of_an_agent_is_printable_and_no_command(name: str, tmp_path: Path) -> None:
    isolated = ("--agent-isolate",) if "Isolated" in name else ()

    shown = output_of(tmp_path, name, "--agent-show", *isolated)

    assert "forged" in shown
    assert (obeyed(shown), unprintable(shown)) == ([], set())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "least", "most", "says"),
    [
        ("PrintsTooMuch", 9_999_000, 10_100_000, r"\n\.\.\. \(50,000,000 more characters left out\)\n"),
        ("PrintsTooMuchIsolated", 64_000, 80_000, r"\n\.\.\. \(59,93\d,\d{3} bytes left out\)\nx{999}\n"),
    ],
)
def test_shown_output_is_bounded(name: str, least: int, most: int, says: str, tmp_path: Path) -> None:
    isolated = ("--agent-isolate",) if "Isolated" in name else ()

    shown = output_of(tmp_path, name, *isolated)

    assert least < len(shown) < most
    assert re.search(says, shown)


@pytest.mark.slow
@pytest.mark.parametrize("options", [("-s",), ("-o", "log_cli=true")], ids=" ".join)
def test_output_is_passed_on_as_it_is_where_that_was_asked_for(options: tuple[str, ...], tmp_path: Path) -> None:
    name = "PrintsCommands" if "-s" in options else "LogsCommands"

    assert "::error file=agent.py,line=1::forged" in output_of(tmp_path, name, *options).splitlines()
