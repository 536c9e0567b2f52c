"""Plugins that write reports of their own, in their newest releases: a red, a green and a skipped case through each.

Collected only where they are installed, by `.ci/weekly plugins`.
"""

import json
import re
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest

AGENT = "agent_conformance.mutants:M2a_prune_first_user"
RED = "history/pruned-past-the-user@gemini-generate+plain"
GREEN = "round-trip/result-comes-back@gemini-generate+plain"
SKIPPED = "declarations/offered-whole@gemini-generate+plain"
CASES = (RED, GREEN, SKIPPED)
NEEDS = "import pytest\n\ndef pytest_collection_modifyitems(items):\n    for item in items:\n" + (
    f"        if item.nodeid == {SKIPPED!r}:\n            item.add_marker(pytest.mark.skip(reason='today'))\n"
)


def json_report(folder: Path, printed: str) -> set[tuple[str, str]]:
    tests = json.loads(folder.joinpath(".report.json").read_text())["tests"]
    assert all(test["call"]["crash"]["path"] for test in tests if test["outcome"] == "failed")
    return {(test["nodeid"], test["outcome"]) for test in tests}


def allure(folder: Path, printed: str) -> set[tuple[str, str]]:
    results = [json.loads(path.read_text()) for path in folder.glob("allure/*-result.json")]
    assert len({result["historyId"] for result in results}) == len(results)
    return {(result["name"], result["status"]) for result in results}


def html(folder: Path, printed: str) -> set[tuple[str, str]]:
    data = re.findall(r'data-jsonblob="([^"]*)"', folder.joinpath("report.html").read_text())
    tests = json.loads(data[0].replace("&#34;", '"').replace("&quot;", '"'))["tests"]
    return {(id.partition("::setup")[0], row["result"].lower()) for id, rows in tests.items() for row in rows}


def report_log(folder: Path, printed: str) -> set[tuple[str, str]]:
    lines = map(json.loads, folder.joinpath("log.jsonl").read_text().splitlines())
    calls = [line for line in lines if line.get("when") == "call" or line.get("outcome") == "skipped"]
    return {(line["nodeid"], line["outcome"]) for line in calls if line["nodeid"] in CASES}


def instafail(folder: Path, printed: str) -> set[tuple[str, str]]:
    assert printed.index(f"_ {RED} _") < printed.index("findings by cause")
    return EXPECTED


def junit(folder: Path, printed: str) -> set[tuple[str, str]]:
    text = folder.joinpath("junit.xml").read_text()
    counts = [int(re.search(rf'\b{name}="(\d+)"', text)[1]) for name in ("failures", "errors", "skipped", "tests")]  # type: ignore[index]
    assert counts == [1, 0, 1, 3]
    return EXPECTED


EXPECTED = {(RED, "failed"), (GREEN, "passed"), (SKIPPED, "skipped")}
PLUGINS: dict[str, tuple[str, tuple[str, ...], Callable[[Path, str], set[tuple[str, str]]]]] = {
    "pytest-json-report": ("pytest_jsonreport", ("--json-report",), json_report),
    "allure-pytest": ("allure_pytest", ("--alluredir=allure",), allure),
    "pytest-html": ("pytest_html", ("--html=report.html", "--self-contained-html"), html),
    "pytest-reportlog": ("pytest_reportlog", ("--report-log=log.jsonl",), report_log),
    "pytest-instafail": ("pytest_instafail", ("--instafail",), instafail),
    "junit": ("pytest", ("--junitxml=junit.xml",), junit),
}


@pytest.mark.weekly
@pytest.mark.parametrize("more", [(), ("-n2",)], ids=["alone", "two workers"])
@pytest.mark.parametrize("name", PLUGINS)
def test_report_has_each_case_as_it_ended(name: str, more: tuple[str, ...], tmp_path: Path) -> None:
    module, options, read = PLUGINS[name]
    if find_spec(module) is None:
        pytest.skip(f"{name} is not installed; .ci/weekly plugins installs it")
    tmp_path.joinpath("conftest.py").write_text(NEEDS)

    done = subprocess.run(
        [sys.executable, "-m", "pytest", f"--agent={AGENT}", "-q", *CASES, *options, *more],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )

    assert "INTERNALERROR" not in done.stdout + done.stderr
    assert "1 failed, 1 passed, 1 skipped" in done.stdout
    assert done.returncode == 1
    assert read(tmp_path, done.stdout) == EXPECTED
