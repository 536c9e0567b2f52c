"""What a terminal shows of failures: one of each cause in full, the causes last, colours, widths and counts."""

import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios

import pytest

from tests.plugin.conftest import PLUGINS

pytest_plugins = ["pytester"]

CAUSES = ("paired", "accepted:openai/tools-empty", "accepted:openai/role", "1.reply", "answers", "once", "offered")
ROWS = ", ".join(f"r{number}: {{a: A}}" for number in range(11))


@pytest.fixture
def failing(project):
    """75 failures of 7 causes: 11 rows of 7 scenarios on one wire and mode, two of which pass."""
    lines = []
    for place, cause in enumerate(CAUSES):
        name = f"history/s{place}"
        project.scenario(name, extra=f"system: $a\nmodes: [plain]\nwires: [openai-chat]\nexamples: {{{ROWS}}}")
        lines.append(f"{name}(* must:{cause}")
    project.verdicts(*lines, "history/s6(r9]* saw:Hi.", "history/s6(r8]* saw:Hi.")
    return project


def blocks(result):
    """The ids whose findings are printed in full."""
    return [line for line in result.outlines if "@" in line and "#" in line and not line.startswith(("FAILED", " "))]


def at(result, line):
    return next(place for place, found in enumerate(result.outlines) if found.startswith(line))


def test_75_failures_of_7_causes_are_well_below_150_lines(failing):
    result = failing.run("-q")

    result.assert_outcomes(failed=75, passed=2)
    assert len(blocks(result)) == len(CAUSES)
    assert len(result.outlines) < 120


def test_first_case_of_a_cause_is_in_full_and_the_others_are_ids_below_it(corpus):
    corpus.verdicts("history/* must:paired")

    result = corpus.run()

    result.assert_outcomes(failed=8)
    assert blocks(result) == ["history/x@gemini-generate+plain#paired"]
    start = at(result, "  same ")
    assert result.outlines[start : start + 3] == [
        "  same      7 more cases of paired",
        "    history/x · 3 cases",
        "    history/y · 4 cases",
    ]


def test_case_with_a_cause_of_its_own_is_in_full(corpus):
    corpus.verdicts("history/* must:paired", "history/y@openai-chat+plain must:paired must:1.reply")

    result = corpus.run()

    ids = [line.partition("#")[0] for line in blocks(result)]
    assert set(ids) == {"history/x@gemini-generate+plain", "history/y@openai-chat+plain"}
    result.stdout.fnmatch_lines(["  same      6 more cases of paired"])


def test_verbose_lists_every_case_and_more_verbose_shows_each_in_full(failing):
    listed, shown = failing.run("-v"), failing.run("-vv")

    assert len(blocks(listed)) == len(CAUSES)
    assert sum(line.startswith("    history/s") for line in listed.outlines) == 75 - len(CAUSES)
    assert len(blocks(shown)) == 75
    assert "  same " not in shown.stdout.str()


def test_many_scenarios_are_cut_with_their_number(project):
    for number in range(12):
        project.scenario(f"history/s{number:02}", extra="modes: [plain]")
    project.verdicts("* must:paired")

    result = project.run()

    rows = [line for line in result.outlines if line.startswith("    ")]
    assert rows[0] == "    history/s00@openai-chat+plain"
    assert rows[1] == "    history/s01 · 2 cases"
    assert rows[-1] == "    ... and 8 cases of 4 more scenarios; -v lists all, -vv shows all"
    assert len(rows) == 9


def test_errors_of_one_reason_are_grouped_and_stale_entries_are_not(corpus, baseline):
    corpus.verdicts("history/x@* error")
    baseline.write_text(
        "".join(f"- finding: history/y@{w}+plain#paired\n  reason: x\n" for w in ("openai-chat", "gemini-generate"))
    )

    result = corpus.run()

    result.assert_outcomes(failed=6, passed=2)
    text = result.stdout.str()
    assert text.count("error (not the agent): the fake received") == 1
    assert "  same      3 more cases of the fake received no request in turn 1" in text
    assert text.count("  delete    agent-baseline.yaml") == 2


def test_short_summary_leaves_cases_out_unless_it_is_asked_for(failing):
    default, asked = failing.run(), failing.run("-rf")

    assert not [line for line in default.outlines if line.startswith("FAILED")]
    assert sum(line.startswith("FAILED history/s") for line in asked.outlines) == 75
    assert "75 failed" in default.outlines[-1]


@pytest.mark.parametrize("style", ["no", "line"])
def test_short_styles_list_every_failure(failing, style):
    result = failing.run(f"--tb={style}")

    assert "  same " not in result.stdout.str()
    if style == "no":
        assert sum(line.startswith("FAILED history/s") for line in result.outlines) == 75
    else:
        assert len(blocks(result)) == 75


def test_foreign_tests_print_as_always(corpus):
    corpus.verdicts("* must:paired")
    corpus.path.joinpath("test_mine.py").write_text("def test_it():\n    print('said')\n    assert 1 == 2\n")

    result = corpus.run("history", "test_mine.py")

    result.assert_outcomes(failed=9)
    result.stdout.fnmatch_lines(
        [
            "*_ test_it _*",
            "*Captured stdout call*",
            "said",
            "*short test summary info*",
            "FAILED test_mine.py::test_it - assert 1 == 2",
            "*agent conformance: mymodule:Adapter*",
            "findings by cause:",
        ]
    )


def test_summary_of_a_run_with_foreign_tests_alone_is_that_of_pytest(corpus):
    corpus.path.joinpath("test_mine.py").write_text("def test_it():\n    assert 1 == 2\n")

    result = corpus.run("test_mine.py")

    result.assert_outcomes(failed=1)
    assert "agent conformance" not in result.stdout.str().partition("collected")[2]
    result.stdout.fnmatch_lines(["FAILED test_mine.py::test_it - assert 1 == 2"])


def test_causes_stand_last_with_the_next_command(failing):
    result = failing.run()

    assert at(result, "ended early") < at(result, "findings by cause:") < at(result, "next: ")
    assert len(result.outlines) - at(result, "findings by cause:") <= len(CAUSES) + 5


def test_command_that_explains_the_first_finding_stands_below_the_next_one(corpus):
    corpus.verdicts("history/* must:1.requests[0]")

    lines = corpus.run().outlines

    place = next(place for place, line in enumerate(lines) if line.startswith("next: "))
    assert lines[place + 1] == "explain: agent-conformance explain '1.requests[0]'"


def test_nothing_is_explained_where_all_pass(corpus):
    assert "explain: " not in corpus.run().stdout.str()


def test_failures_that_a_stop_leaves_are_grouped_too(failing):
    result = failing.run("--maxfail=20")

    result.assert_outcomes(failed=20)
    assert len(blocks(result)) == 2
    result.stdout.fnmatch_lines(["*stopping after 20 failures*"])


@pytest.mark.slow
def test_interrupted_run_shows_its_causes(corpus):
    corpus.verdicts("history/x* must:paired", "history/y@openai-chat+plain interrupt")

    result = corpus.run_process()

    assert result.ret == 2
    result.stdout.fnmatch_lines(["  same      3 more cases of paired", "findings by cause:", "  paired · 4 cases *"])


@pytest.mark.slow
def test_workers_print_the_same(failing):
    alone, workers = failing.run_process("-q"), failing.run_process("-q", "-n", "2")

    def end(result):
        return result.outlines[at(result, "findings by cause:") : -1]

    assert sorted(blocks(alone)) == sorted(blocks(workers))
    assert [line.split(" -n ")[0] for line in end(alone)][:8] == [line.split(" -n ")[0] for line in end(workers)][:8]


def test_colours_are_those_of_pytest(corpus):
    corpus.verdicts("history/x@openai-chat+plain must:paired")

    coloured = corpus.run("history/x", "--color=yes").stdout.str()

    assert "\x1b[1mhistory/x@openai-chat+plain#paired\x1b[0m" in coloured
    assert "\x1b[36m  refused   \x1b[0m\x1b[31m400 Please" in coloured
    assert "\x1b[1mfindings by cause:\x1b[0m" in coloured
    assert "\x1b" not in corpus.run("history/x", "--color=no").stdout.str()


def on_terminal(project, *args, columns, **environment):
    """The output of a run on a terminal of so many columns."""
    parent, child = pty.openpty()
    fcntl.ioctl(child, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    kept = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "NO_COLOR", "PY_COLORS")}
    command = (sys.executable, "-m", "pytest", *PLUGINS, "--agent=mymodule:Adapter", *args)
    run = subprocess.Popen(command, cwd=project.path, stdin=child, stdout=child, stderr=child, env=kept | environment)
    os.close(child)
    written = b""
    while piece := read(parent):
        written += piece
    run.wait()
    os.close(parent)
    return written.decode().replace("\r\n", "\n")


def read(terminal):
    """What comes next; nothing once the program has ended."""
    try:
        return os.read(terminal, 65536)
    except OSError:
        return b""


@pytest.mark.slow
def test_lines_fit_the_terminal_and_no_color_is_honoured(corpus):
    corpus.verdicts("history/x@openai-chat+plain must:paired")

    text = on_terminal(corpus, "history/x", columns=70, TERM="xterm", NO_COLOR="1")

    assert "\x1b[" not in text
    assert "  refused   400 Please ensure" in text
    ours = text.partition("= FAILURES =")[2].split("\n")[1:]
    lines = [line for line in ours if not line.startswith(("  rerun", "  pytest "))]
    assert max(map(len, lines)) <= 70


@pytest.mark.slow
def test_terminal_has_colours(corpus):
    corpus.verdicts("history/x@openai-chat+plain must:paired")

    assert "\x1b[36m  refused   \x1b[0m" in on_terminal(corpus, "history/x", columns=70, TERM="xterm")


@pytest.mark.parametrize(
    ("rows", "configured", "progress"),
    [(51, "", "[204/204]"), (2, "", "[100%]"), (51, "console_output_style = progress", "[100%]")],
)
def test_progress_of_a_long_run_is_counts(project, rows, configured, progress):
    names = ", ".join(f"r{number}: {{a: A}}" for number in range(rows))
    project.scenario("history/long", extra=f"system: $a\nexamples: {{{names}}}")
    project.pytester.makeini(f"[pytest]\n{configured}\n")

    result = project.run()

    result.stdout.fnmatch_lines([f"*{progress.replace('[', '[[]')}"])
