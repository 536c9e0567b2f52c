"""What the action hands on: its outputs, and whether the job fails.

A text of an agent in a command is escaped, so that it is no command of its own. While a program prints what nobody
escaped, commands are stopped.
"""

import json
import re
import secrets
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from agent_conformance.results.model import Results
from agent_conformance.results.verdict import verdict_of

FailOn = Literal["findings", "errors", "nothing"]
FAIL_ON: tuple[FailOn, ...] = get_args(FailOn)
"""`errors` lets findings pass, and what keeps a run from judging fails; `nothing` lets both pass."""

ONLY_FINDINGS = 1
"""pytest's exit code where there are findings and nothing else."""


def outputs_of(results: Results | None) -> dict[str, int]:
    """Numbers of cases. All are 0 where there are no results."""
    counts = results.counts if results is not None else {}
    return {
        "passed": counts.get("pass", 0),
        "failed": counts.get("fail", 0) + counts.get("stale", 0),
        "known": counts.get("known", 0),
        "not-verified": counts.get("not-verified", 0),
        "errors": counts.get("error", 0),
    }


UNJUDGED = 3
"""pytest's exit code where an error kept the run from judging."""


def judged_exit_code(code: int, results: Results | None) -> int:
    """The exit code of a run whose process ended with this one, which an agent in that process may have chosen.

    It is not below that in the results, nor below what their cases say. A run that has not written at its end how it
    ended is not judged.
    """
    written = None if results is None else results.exit_code
    if results is not None and written is not None and verdict_of(results).word == "failed":
        written = max(written, ONLY_FINDINGS)
    return max(code, written) if written is not None else code or UNJUDGED


def exit_code_of_job(code: int, fail_on: FailOn) -> int:
    """From the exit code of the run."""
    if fail_on == "nothing" or (fail_on == "errors" and code == ONLY_FINDINGS):
        return 0
    return code


def reason_of_end(code: int, fail_on: FailOn, results: Results | None) -> str:
    """Why the job fails, or passes all the same; empty where there is nothing to say."""
    if code == 0:
        return ""
    whys = []
    if code == ONLY_FINDINGS and results is not None:
        if any(finding.state == "new" for case in results.cases for finding in case.findings):
            whys.append("there are new findings")
        if any(case.stale for case in results.cases):
            whys.append("the baseline has entries of what is fixed")
        if results.fewer:
            whys.append("less is judged than when the baseline was written")
    what = ", and ".join(whys) or f"the run ended with exit code {code}, and judged not all"
    return f"{what}; fail-on is `{fail_on}`"


RUNNER_FILES = ("GITHUB_OUTPUT", "GITHUB_ENV", "GITHUB_PATH", "GITHUB_STATE", "GITHUB_STEP_SUMMARY")
_REPOSITORY = re.compile(r"[\w.-]+/[\w.-]+")
API = "https://api.github.com"


@dataclass(frozen=True, slots=True)
class Runner:
    """Files are None where the runner names none, texts empty. `workspace` is where the repository lies."""

    workspace: Path
    output: Path | None = None
    summary: Path | None = None
    event: Path | None = None
    repository: str = ""
    api: str = API
    token: str = ""

    @property
    def pull_request(self) -> int | None:
        """The number of the pull request that the event is about."""
        event = _event(self.event)
        issue = event.get("issue")
        numbers = [
            event.get("pull_request"),
            event.get("issue") if isinstance(issue, dict) and isinstance(issue.get("pull_request"), dict) else None,
        ]
        found = (one.get("number") for one in numbers if isinstance(one, dict))
        return next((number for number in found if type(number) is int and number > 0), None)


def runner_of(environment: Mapping[str, str]) -> Runner:
    repository = environment.get("GITHUB_REPOSITORY", "")
    return Runner(
        workspace=Path(environment.get("GITHUB_WORKSPACE") or Path.cwd()),
        output=_path(environment, "GITHUB_OUTPUT"),
        summary=_path(environment, "GITHUB_STEP_SUMMARY"),
        event=_path(environment, "GITHUB_EVENT_PATH"),
        repository=repository if _REPOSITORY.fullmatch(repository) else "",
        api=environment.get("GITHUB_API_URL", "").rstrip("/") or API,
        token=environment.get("GITHUB_TOKEN", ""),
    )


def environment_of_agent(environment: Mapping[str, str]) -> dict[str, str]:
    """Without the files that steer a runner, and its own tokens: an agent under test has no use for them."""
    return {
        name: value
        for name, value in environment.items()
        if name not in RUNNER_FILES and not name.startswith("ACTIONS_")
    }


def _path(environment: Mapping[str, str], name: str) -> Path | None:
    return Path(environment[name]) if environment.get(name) else None


def _event(path: Path | None) -> dict[str, Any]:
    """Empty where there is none, or none that can be read."""
    try:
        value = json.loads(path.read_bytes()) if path is not None else {}
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}


Severity = Literal["error", "warning", "notice"]


def command(name: Severity, message: str, properties: Mapping[str, str | int]) -> str:
    """One workflow command, such as `::error file=agent.py,line=3::text`. Properties that are empty are left out."""
    given = ",".join(f"{key}={escaped_property(str(value))}" for key, value in properties.items() if value)
    return f"::{name} {given}::{escaped(message)}" if given else f"::{name}::{escaped(message)}"


def escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def escaped_property(text: str) -> str:
    return escaped(text).replace(":", "%3A").replace(",", "%2C")


@contextmanager
def commands_stopped() -> Iterator[None]:
    """No line that is printed within is a command: only one with a token that nobody can guess starts them again."""
    token = secrets.token_hex(32)
    print(f"::stop-commands::{token}", flush=True)
    try:
        yield
    finally:
        sys.stdout.flush()
        print(f"\n::{token}::", flush=True)


def write_outputs(path: Path | None, outputs: Mapping[str, str | int]) -> None:
    """Add outputs of the step to the runner's file, each value between two lines that it cannot contain."""
    if path is None:
        return
    with path.open("a", encoding="utf-8") as file:
        for name, value in outputs.items():
            end = f"end-{secrets.token_hex(16)}"
            file.write(f"{name}<<{end}\n{value}\n{end}\n")
