"""Snapshots of the suite beside syrupy's own: one option, two stores, and neither touches the other's files."""

import importlib.util
import re

import pytest

pytestmark = pytest.mark.slow

pytest_plugins = ["pytester"]

PLUGINS = ("-p", "stand_in", "-p", "no:hypothesispytest", "-p", "no:anyio", "-p", "no:respx")
THEIRS = """\
# serializer version: 1
# name: test_it
  'as it was'
# ---
# name: test_that_is_gone
  'unused'
# ---
"""


@pytest.fixture
def both(project, monkeypatch):
    """A project with a snapshot of syrupy's that does not match, and one of the agent's that does not match."""
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)  # of the run that this test is in
    project.scenario("history/x")
    project.path.joinpath("tests/__snapshots__").mkdir(parents=True)
    project.path.joinpath("tests/test_mine.py").write_text("def test_it(snapshot): assert 'as it is' == snapshot\n")
    project.path.joinpath("tests/__snapshots__/test_mine.ambr").write_text(THEIRS)
    project.path.joinpath("tests/__snapshots__/of_nobody.ambr").write_text(THEIRS)
    project.verdicts("* saw:Hi.")
    project.run("--snapshot-update")
    project.verdicts("* saw:Howdy.")
    return project


def run(project, *args):
    return project.pytester.runpytest_subprocess(*PLUGINS, *args)


def files(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("workers", [(), ("-n2",)], ids=["", "workers"])
def test_recording_the_agent_leaves_syrupys_snapshots_as_they_are(both, workers):
    before = files(both.path / "tests/__snapshots__")

    result = run(both, "--agent=mymodule:Adapter", "--snapshot-update", *workers)

    assert result.ret == 0
    result.stdout.fnmatch_lines(["snapshots: 1 file written in agent-snapshots"])
    assert "reply: Howdy." in both.path.joinpath("agent-snapshots/history/x.ambr").read_text()
    assert files(both.path / "tests/__snapshots__") == before


@pytest.mark.parametrize("configured", ["", "[pytest]\nagent = mymodule:Adapter\n"], ids=["", "configured"])
@pytest.mark.parametrize("args", [(), ("tests/test_mine.py",)], ids=["", "one-file"])
def test_syrupys_update_leaves_the_agents_snapshots_as_they_are(both, configured, args):
    both.path.joinpath("pytest.ini").write_text(configured or "[pytest]\n")
    before = files(both.path / "agent-snapshots")

    result = run(both, "--snapshot-update", *args)

    assert result.ret == 0
    result.stdout.fnmatch_lines(["*snapshot updated*"])
    assert "'as it is'" in both.path.joinpath("tests/__snapshots__/test_mine.ambr").read_text()
    assert files(both.path / "agent-snapshots") == before


def test_a_run_of_both_updates_both(both):
    result = run(both, "--agent=mymodule:Adapter", "--snapshot-update", "tests/test_mine.py", "history/x")

    assert result.ret == 0
    result.stdout.fnmatch_lines(["*snapshot updated*", "snapshots: 1 file written in agent-snapshots"])


def test_snapshots_in_a_folder_that_syrupy_cleans_are_a_usage_error(both):
    result = both.run("--agent-snapshots=tests/__snapshots__", "--snapshot-update")

    assert result.ret == 4
    result.stderr.fnmatch_lines(["ERROR: --agent-snapshots=*: syrupy deletes files that it does not know from *"])


def test_a_file_of_syrupys_among_ours_is_an_error_and_is_not_overwritten(both):
    path = both.path.joinpath("agent-snapshots/history/x.ambr")
    path.write_text(THEIRS)

    result = both.run("--snapshot-update")

    assert result.ret == 3
    result.stdout.fnmatch_lines(["error (not the agent): agent-snapshots/history/x.ambr:1: `# serializer version: 1`*"])
    assert path.read_text() == THEIRS


def test_a_file_of_the_earliest_format_is_to_re_record_and_the_next_update_replaces_it(both):
    path = both.path.joinpath("agent-snapshots/history/x.ambr")
    now = path.read_text()
    earlier = now.replace("serializer version: agent-conformance-3", "agent-conformance snapshot: history/x")
    path.write_text(re.sub(r"  digest: (\w+) \w+", r"# digest: \1", earlier.replace("  same", "# name")))
    both.verdicts("* saw:Hi.")

    compared = both.run()
    both.run("--snapshot-update")

    compared.stdout.fnmatch_lines(["snapshots: 4 to re-record, their files have an earlier format; record: *"])
    assert compared.ret == 0
    assert path.read_text() == now


def without_syrupy(monkeypatch):
    found = importlib.util.find_spec
    without = lambda name, *args: None if name == "syrupy" else found(name, *args)  # noqa: E731
    monkeypatch.setattr("agent_conformance.pytest.options.find_spec", without)


@pytest.mark.parametrize("args", [("--snapshot-update",), ()], ids=["recording", "comparing"])
def test_without_the_extra_snapshots_are_a_usage_error_that_says_what_to_install(both, monkeypatch, args):
    without_syrupy(monkeypatch)

    result = both.run(*args)

    assert result.ret == 4
    result.stderr.fnmatch_lines(["ERROR: *needs syrupy: pip install 'syrupy>=*'"])


def test_without_the_extra_a_project_without_snapshots_runs(project, monkeypatch):
    without_syrupy(monkeypatch)
    project.scenario("history/x")

    result = project.run()

    assert result.ret == 0
    result.stdout.no_fnmatch_line("snapshots: *")


def test_syrupy_is_imported_by_a_run_that_has_a_snapshot_and_by_no_other(both):
    both.scenario("history/y")
    both.path.joinpath("conftest.py").write_text(
        "import sys\n\ndef pytest_unconfigure(): print('syrupy:', 'syrupy' in sys.modules)\n"
    )

    for case, imported in (("history/x", True), ("history/y", False)):
        result = run(both, "-p", "no:syrupy", "-s", "--agent=mymodule:Adapter", case)
        result.stdout.fnmatch_lines([f"syrupy: {imported}"])


def test_the_option_of_pytest_snapshot_records_as_well(project):
    """pytest-snapshot cannot be installed beside syrupy's plugin, whose option has the same name."""
    project.scenario("history/x")
    project.pytester.makepyfile(
        like_pytest_snapshot="def pytest_addoption(parser):\n"
        "    parser.getgroup('snapshot').addoption('--snapshot-update', action='store_true')"
    )
    project.pytester.syspathinsert()

    result = project.run("-p", "like_pytest_snapshot", "--snapshot-update")

    assert result.ret == 0
    assert project.path.joinpath("agent-snapshots/history/x.ambr").is_file()
