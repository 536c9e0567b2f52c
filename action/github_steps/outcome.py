"""What a job on GitHub gets of a run: the outputs, whether it fails, and the comment on the pull request.

A text of an agent in a command is escaped, so that it is no command of its own. While a program prints what nobody
escaped, commands are stopped.
"""

import hashlib
import json
import re
import secrets
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

import httpx2

from agent_conformance.report_data.model import Results
from agent_conformance.report_data.summary import verdict_of
from agent_conformance.transcripts.printing import write_command

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
    write_command(f"::stop-commands::{token}\n", sys.stdout)
    try:
        yield
    finally:
        write_command(f"\n::{token}::\n", sys.stdout)


def write_outputs(path: Path | None, outputs: Mapping[str, str | int]) -> None:
    """Add outputs of the step to the runner's file, each value between two lines that it cannot contain."""
    if path is None:
        return
    with path.open("a", encoding="utf-8") as file:
        for name, value in outputs.items():
            end = f"end-{secrets.token_hex(16)}"
            file.write(f"{name}<<{end}\n{value}\n{end}\n")


MOST_CHARACTERS = 65_000
"""GitHub takes 65,536."""
PAGE, MOST_PAGES = 100, 30
"""As many comments on a page as GitHub gives."""
TIMEOUT = 30.0
ACTIONS_BOT = "github-actions[bot]"


class NotWritten(Exception):
    """Why there is no comment, in one line."""


def mark_of(name: str) -> str:
    """The mark of a comment: one for each agent that the workflow judges. It shows nothing of the name."""
    return f"<!-- agent-conformance {hashlib.sha256(name.encode()).hexdigest()[:16]} -->"


def comment_body(summary: str, *, name: str, report_url: str = "") -> str:
    """The summary with the mark on top, and a link to the report below."""
    link = f"\n\n[The report]({report_url})" if report_url.startswith("https://") else ""
    text = summary if len(summary) <= MOST_CHARACTERS else f"{summary[:MOST_CHARACTERS]}\n\n(cut)"
    return f"{mark_of(name)}\n{text.rstrip()}{link}\n"


def write_comment(runner: Runner, body: str, *, name: str) -> str:
    """Write the comment, or replace it where there is one, and return which. Raises `NotWritten`."""
    number = runner.pull_request
    if number is None:
        raise NotWritten("this run is about no pull request, so there is no comment")
    if not runner.token or not runner.repository:
        raise NotWritten("there is no token, so there is no comment; the summary of the job has the same text")
    headers = {
        "authorization": f"Bearer {runner.token}",
        "accept": "application/vnd.github+json",
        "x-github-api-version": "2022-11-28",
        "user-agent": "agent-conformance",
    }
    try:
        with httpx2.Client(headers=headers, timeout=TIMEOUT, follow_redirects=False) as client:
            return _write(client, runner, number, body, mark_of(name))
    except (httpx2.HTTPError, httpx2.InvalidURL, ValueError) as error:
        raise NotWritten(f"the comment was not written: {type(error).__name__}: {error}") from None


def _write(client: httpx2.Client, runner: Runner, number: int, body: str, mark: str) -> str:
    issues = f"{runner.api}/repos/{runner.repository}/issues"
    # Whose token it is. That of a workflow may not ask.
    response = client.get(f"{runner.api}/user")
    name = _json(response).get("login") if response.status_code == 200 else None
    author = name if isinstance(name, str) else ACTIONS_BOT
    mine = next((one for one in _comments(client, f"{issues}/{number}/comments") if _is_mine(one, author, mark)), None)
    if mine is None:
        _checked(client.post(f"{issues}/{number}/comments", json={"body": body}))
        return "written"
    _checked(client.patch(f"{issues}/comments/{mine['id']}", json={"body": body}))
    return "replaced"


def _comments(client: httpx2.Client, url: str) -> Iterator[dict[str, Any]]:
    for page in range(1, MOST_PAGES + 1):
        found = _checked(client.get(url, params={"per_page": PAGE, "page": page})).json()
        comments = found if isinstance(found, list) else []
        yield from (one for one in comments if isinstance(one, dict))
        if len(comments) < PAGE:
            return


def _is_mine(comment: dict[str, Any], author: str, mark: str) -> bool:
    """Anybody can write the mark into a comment of their own, which is then not ours to replace."""
    user = comment.get("user")
    body = comment.get("body")
    has_mark = isinstance(body, str) and body.startswith(mark)
    return has_mark and type(comment.get("id")) is int and isinstance(user, dict) and user.get("login") == author


def _checked(response: httpx2.Response) -> httpx2.Response:
    if response.status_code in (401, 403, 404):
        raise NotWritten(
            "the token may not write comments, as in pull requests from forks; the summary of the job has the same "
            "text. Elsewhere, give the job `permissions: pull-requests: write`"
        )
    if not response.is_success:
        raise NotWritten(f"the comment was not written: {response.request.url} answered {response.status_code}")
    return response


def _json(response: httpx2.Response) -> dict[str, Any]:
    try:
        value = response.json()
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
