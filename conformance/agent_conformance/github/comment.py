"""The one comment of a pull request that says how the agent is: found by a mark that nobody sees, written or replaced.

What keeps it from being written is said, and fails nothing.
"""

import hashlib
from collections.abc import Iterator
from typing import Any

import httpx2

from agent_conformance.github.outcome import Runner

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
