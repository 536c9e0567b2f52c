"""Plugins of others: what takes cases out of a run is told, and what writes a report finds what it reads of a case."""

import sys
from types import ModuleType, SimpleNamespace

import pytest

from agent_conformance.baseline.case_report import Row
from agent_conformance.pytest.collection import FailureText, Headline, relocated
from agent_conformance.pytest.other_plugins import id_with_function, name_in_allure

pytest_plugins = ["pytester"]

DROPS = """
def pytest_collection_modifyitems(items):
    items[:] = [item for item in items if "history/x" not in item.nodeid]
"""
DESELECTS = """
def pytest_collection_modifyitems(config, items):
    config.hook.pytest_deselected(items=[item for item in items if "history/x" in item.nodeid])
    items[:] = [item for item in items if "history/x" not in item.nodeid]
"""
PASSES_OVER = """
def pytest_runtest_protocol(item, nextitem):
    return True if "history/x" in item.nodeid else None
"""
SKIPS = """
import pytest

def pytest_collection_modifyitems(items):
    for item in items:
        if "history/x" in item.nodeid:
            item.add_marker(pytest.mark.skip(reason="flaky"))
"""
INTERRUPTS = """
import pytest

def pytest_runtest_setup(item):
    if "history/y" in item.nodeid:
        raise KeyboardInterrupt
"""
REMOVED = "removed: 4 cases were removed by a plugin or a conftest"


@pytest.mark.parametrize("conftest", [DROPS, DESELECTS], ids=["without a word", "deselected"])
def test_cases_that_a_conftest_removes_are_told(corpus, conftest):
    corpus.path.joinpath("conftest.py").write_text(conftest)

    result = corpus.run("-q")

    assert result.ret == 0
    result.stdout.fnmatch_lines(["4 cases: 4 passed", REMOVED])


@pytest.mark.parametrize("conftest", [DROPS, DESELECTS], ids=["without a word", "deselected"])
def test_cases_that_a_conftest_removes_from_each_worker_are_told(corpus, conftest):
    corpus.path.joinpath("conftest.py").write_text(conftest)

    result = corpus.run_process("-q", "-n2")

    assert result.ret == 0
    result.stdout.fnmatch_lines(["4 cases: 4 passed", REMOVED])


def test_run_whose_every_case_is_removed_says_so(corpus):
    corpus.path.joinpath("conftest.py").write_text("def pytest_collection_modifyitems(items):\n    items.clear()\n")

    result = corpus.run("-q")

    assert result.ret != 0
    result.stdout.fnmatch_lines(["removed: 8 cases were removed by a plugin or a conftest"])


@pytest.mark.parametrize(
    "typed",
    [("-k", "not x"), ("-m", "openai-chat"), ("--deselect=history/x",), ("--agent-shard=1/2",), ("history/y",), ()],
    ids=" ".join,
)
def test_what_an_option_leaves_out_is_not_removed(corpus, typed):
    result = corpus.run("-q", *typed)

    assert result.ret == 0
    result.stdout.no_fnmatch_line("removed:*")
    result.stdout.no_fnmatch_line("not run:*")


@pytest.mark.parametrize("conftest", [PASSES_OVER, SKIPS], ids=["passed over", "skipped"])
def test_cases_that_a_conftest_does_not_run_are_told(corpus, conftest):
    corpus.path.joinpath("conftest.py").write_text(conftest)

    result = corpus.run("-q")

    result.stdout.fnmatch_lines(
        ["4 of 8 cases: 4 passed", "not run: 4 cases were skipped or passed over by a plugin or a conftest"]
    )


def test_interrupted_run_says_of_how_many_cases(corpus):
    corpus.path.joinpath("conftest.py").write_text(INTERRUPTS)

    result = corpus.run_process("-q")

    assert result.ret == 2
    result.stdout.fnmatch_lines(["4 of 8 cases: 4 passed"])
    result.stdout.no_fnmatch_line("not run:*")


def test_run_that_stops_at_its_first_failure_says_of_how_many_cases(corpus):
    corpus.verdicts("history/x@openai-chat+plain must:paired")

    result = corpus.run("-q", "-x")

    result.stdout.fnmatch_lines(["1 of 8 cases: 0 passed, 1 failed"])
    result.stdout.no_fnmatch_line("not run:*")


def test_failure_has_what_json_reports_read_of_it():
    """pytest-json-report writes these three; without them it ends pytest with an internal error."""
    failure = FailureText([Row(value="found")], Headline("a headline", "scenarios/x.yaml"))
    moved = relocated("found\nmore", "a headline", "scenarios/x.yaml")

    for one in (failure, moved):
        crash = one.reprcrash
        assert (crash.path, crash.lineno, crash.message) == ("scenarios/x.yaml", 1, "a headline")


def test_red_case_is_a_failed_assertion_and_an_error_is_none(corpus):
    """Allure and its like call a test that raises something else a broken one."""
    corpus.verdicts("history/x@openai-chat+plain must:paired", "history/y@openai-chat+plain error")
    corpus.path.joinpath("conftest.py").write_text(
        "def pytest_exception_interact(node, call):\n"
        "    print('raised', node.name, isinstance(call.excinfo.value, AssertionError))\n"
    )

    result = corpus.run("-q", "-s", "--agent-wire=openai-chat", "--agent-mode=plain")

    result.stdout.fnmatch_lines(
        ["*raised history/x@openai-chat+plain True", "*raised history/y@openai-chat+plain False"]
    )


@pytest.mark.parametrize(
    ("id", "named"),
    [
        ("history/x@openai-chat+plain", "history/x::@openai-chat+plain"),
        ("history/x[a-row]@openai-chat:groq+plain", "history/x::a-row@openai-chat:groq+plain"),
    ],
)
def test_case_has_a_name_of_its_own_in_allure(id, named):
    assert id_with_function(id) == named


def test_allure_reads_the_ids_of_cases_and_of_tests_until_the_end(monkeypatch):
    utils = ModuleType("allure_pytest.utils")
    utils.ParsedPytestNodeId = lambda nodeid: nodeid.split("::")  # type: ignore[attr-defined]
    before = utils.ParsedPytestNodeId
    monkeypatch.setitem(sys.modules, "allure_pytest.utils", utils)
    cleanups = []

    name_in_allure(SimpleNamespace(add_cleanup=cleanups.append))  # type: ignore[arg-type]

    assert utils.ParsedPytestNodeId("history/x@openai-chat+plain") == ["history/x", "@openai-chat+plain"]
    assert utils.ParsedPytestNodeId("tests/test_x.py::test_y") == ["tests/test_x.py", "test_y"]
    for cleanup in cleanups:
        cleanup()
    assert utils.ParsedPytestNodeId is before


@pytest.mark.parametrize("there", [False, True], ids=["no allure", "another allure"])
def test_without_allures_name_nothing_is_changed(monkeypatch, there):
    utils = ModuleType("allure_pytest.utils") if there else None
    monkeypatch.setitem(sys.modules, "allure_pytest.utils", utils)

    name_in_allure(SimpleNamespace())  # type: ignore[arg-type]
