"""Stand-ins for GitHub: a runner that runs the steps of `action.yml`, and the part of the API that has comments."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit

import yaml

ROOT = Path(__file__).parent.parent.parent
ACTION: dict[str, Any] = yaml.safe_load(ROOT.joinpath("action.yml").read_text())
BOT = "github-actions[bot]"


@dataclass
class Comments:
    """The comments of all issues. `forbidden` is a method that is answered with 403, as to the token of a fork."""

    url: str = ""
    comments: list[dict[str, Any]] = field(default_factory=list)
    requests: list[tuple[str, str]] = field(default_factory=list)
    tokens: set[str] = field(default_factory=set)
    forbidden: str = ""
    status: int = 0
    login: str = ""

    def add(self, body: str, login: str = BOT) -> None:
        self.comments.append({"id": len(self.comments) + 1, "body": body, "user": {"login": login}})

    @property
    def bodies(self) -> list[str]:
        return [comment["body"] for comment in self.comments]


@contextmanager
def comments_api() -> Iterator[Comments]:
    state = Comments()

    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            size = int(self.headers.get("content-length") or 0)
            sent = json.loads(self.rfile.read(size) or b"{}")
            url = urlsplit(self.path)
            state.requests.append((self.command, url.path))
            state.tokens.add(self.headers.get("authorization", ""))
            status, body = _answer(state, self.command, url.path, parse_qs(url.query), sent)
            content = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = do_PATCH = answer  # noqa: N815

        def log_message(self, *args: Any) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    state.url = f"http://127.0.0.1:{server.server_port}"
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield state
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _answer(
    state: Comments, method: str, path: str, query: Mapping[str, list[str]], sent: dict[str, Any]
) -> tuple[int, Any]:
    if path == "/user":
        return (200, {"login": state.login}) if state.login else (403, {"message": "not accessible by integration"})
    if state.status:
        return state.status, {"message": "something else"}
    if method == state.forbidden:
        return 403, {"message": "Resource not accessible by integration"}
    if method == "GET" and re.fullmatch(r"/repos/[^/]+/[^/]+/issues/7/comments", path):
        size, page = int(query["per_page"][0]), int(query["page"][0])
        return 200, state.comments[size * (page - 1) : size * page]
    if method == "POST" and re.fullmatch(r"/repos/[^/]+/[^/]+/issues/7/comments", path):
        state.add(sent["body"], state.login or BOT)
        return 201, state.comments[-1]
    if method == "PATCH" and (found := re.fullmatch(r"/repos/[^/]+/[^/]+/issues/comments/(\d+)", path)):
        state.comments[int(found[1]) - 1]["body"] = sent["body"]
        return 200, state.comments[int(found[1]) - 1]
    return 404, {"message": "Not Found"}


@dataclass
class Job:
    """What one run of the action left: the output of all steps, its outputs, and how it ended."""

    log: str = ""
    outputs: dict[str, str] = field(default_factory=dict)
    summary: str = ""
    pip: str = ""
    used: dict[str, dict[str, str]] = field(default_factory=dict)
    exit_code: int = 0

    @property
    def commands(self) -> list[str]:
        """The lines that a runner takes for workflow commands."""
        found, stopped = [], ""
        for line in self.log.splitlines():
            if stopped:
                stopped = "" if line.strip() == f"::{stopped}::" else stopped
            elif line.startswith("::stop-commands::"):
                stopped = line.removeprefix("::stop-commands::")
            elif line.lstrip().startswith("::"):
                found.append(line.lstrip())
        return found


class StandInRunner:
    """Runs `action.yml` in a workspace. Steps that use other actions are noted, and not run."""

    def __init__(self, workspace: Path, files: Path, *, api: str = "", event: Mapping[str, Any] | None = None) -> None:
        self.workspace, self.files, self.api = workspace, files, api
        files.mkdir()
        files.joinpath("event.json").write_text(json.dumps(event or {}))
        self._write_python()

    def run(self, token: str = "the-token-of-the-job", **inputs: str) -> Job:
        given = {name.replace("_", "-"): value for name, value in inputs.items()}
        values = {name: str(about.get("default", "")) for name, about in ACTION["inputs"].items()} | given
        values = {name: value.replace("${{ github.token }}", token) for name, value in values.items()}
        job, steps = Job(), dict[str, dict[str, Any]]()
        self.files.joinpath("summary.md").write_text("")
        for number, step in enumerate(ACTION["runs"]["steps"]):
            context = {"inputs": values, "steps": steps}
            id = step.get("id", f"step-{number}")
            if job.exit_code and "if" not in step:
                continue
            if not evaluated(step.get("if", "true"), context):
                continue
            if "uses" in step:
                job.used[step["uses"]] = {name: filled(value, context) for name, value in step["with"].items()}
                url = "https://github.com/o/r/actions/runs/1/artifacts/2"
                steps[id] = {"outcome": "success", "outputs": {"artifact-url": url}}
                continue
            code, outputs = self._step(step, context, job)
            steps[id] = {"outcome": "success" if code == 0 else "failure", "outputs": outputs}
            job.exit_code = job.exit_code or code
        context = {"inputs": values, "steps": steps}
        job.outputs = {name: filled(output["value"], context) for name, output in ACTION["outputs"].items()}
        job.summary = self.files.joinpath("summary.md").read_text()
        job.pip = self.files.joinpath("pip.log").read_text()
        return job

    def _step(self, step: Mapping[str, Any], context: Mapping[str, Any], job: Job) -> tuple[int, dict[str, str]]:
        output = self.files / "output.txt"
        output.write_text("")
        environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith(("GITHUB_", "PYTEST_"))},
            "PATH": f"{self.files}:{Path(sys.executable).parent}:{os.environ['PATH']}",
            "GITHUB_ACTIONS": "true",
            "GITHUB_ACTION_PATH": str(ROOT),
            "GITHUB_WORKSPACE": str(self.workspace),
            "GITHUB_REPOSITORY": "owner/repo",
            "GITHUB_API_URL": self.api,
            "GITHUB_EVENT_PATH": str(self.files / "event.json"),
            "GITHUB_OUTPUT": str(output),
            "GITHUB_STEP_SUMMARY": str(self.files / "summary.md"),
            "GITHUB_ENV": str(self.files / "env.txt"),
            "ACTIONS_RUNTIME_TOKEN": "the-token-of-the-runner",
            **{name: filled(value, context) for name, value in step.get("env", {}).items()},
        }
        folder = self.workspace / filled(step.get("working-directory", "."), context)
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
        job.log += done.stdout + done.stderr
        return done.returncode, outputs_in(output.read_text())

    def _write_python(self) -> None:
        """`python -m pip` is noted; nothing is installed."""
        log = self.files / "pip.log"
        log.write_text("")
        python = self.files / "python"
        python.write_text(
            f'#!/bin/sh\nif [ "$2" = pip ]; then printf "[%s]" "$@" >> "{log}"; exit 0; fi\n'
            f'exec "{sys.executable}" "$@"\n'
        )
        python.chmod(0o755)


def outputs_in(text: str) -> dict[str, str]:
    """As a runner reads its file: `name=value`, and values between two lines."""
    outputs, lines = {}, iter(text.splitlines())
    for line in lines:
        name, mark, end = line.partition("<<")
        if mark and "=" not in name:
            value = []
            while (inner := next(lines)) != end:
                value.append(inner)
            outputs[name] = "\n".join(value)
        else:
            name, _, value_text = line.partition("=")
            outputs[name] = value_text
    return outputs


def filled(text: Any, context: Mapping[str, Any]) -> str:
    return re.sub(r"\$\{\{ (.+?) \}\}", lambda found: str(_value(found[1], context)), str(text))


def evaluated(condition: str, context: Mapping[str, Any]) -> bool:
    terms = condition.removeprefix("${{").removesuffix("}}").strip().split(" && ")
    return all(_holds(term.strip(), context) for term in terms)


def _holds(term: str, context: Mapping[str, Any]) -> bool:
    if term in ("!cancelled()", "true"):
        return True
    found = re.fullmatch(r"(\S+) (==|!=) '(.*)'", term)
    assert found is not None, f"a condition that the stand-in does not know: {term}"
    return bool((_value(found[1], context) == found[3]) == (found[2] == "=="))


def _value(path: str, context: Mapping[str, Any]) -> Any:
    """Nothing for what a step that did not run would have."""
    value: Any = context
    for name in path.split("."):
        value = value.get(name, {}) if isinstance(value, Mapping) else {}
    return value if isinstance(value, str) else ""
