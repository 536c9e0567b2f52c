"""Requests as tests: a file `requests/NAME.json` has a body that its provider must accept, in each run.

It needs no agent. It is for an incident that a scenario cannot have: a field that the agent sets, and no message.
"""

import json
from collections.abc import Iterator
from json import JSONDecodeError
from pathlib import Path
from typing import Any

import pytest

from agent_conformance.baseline.case_report import Row, labelled
from agent_conformance.pytest.collection import FailureText, Headline
from agent_conformance.recorded_cases.request_files import FOLDER, KEYS, REQUIRED, is_request, meant_member, paths_of
from agent_conformance.scenario.files.selection import Selection
from agent_conformance.scenario.yaml_files import shown_path
from agent_conformance.scenario.yaml_files.reading import read_data
from agent_conformance.transcripts.shown_texts import shown
from fake_providers.registry import PROVIDERS, judge
from fake_providers.values.json_texts import read_json


def request_files(*folders: Path) -> Iterator[str]:
    """Those of these projects, each once."""
    for folder in dict.fromkeys(folder.resolve() for folder in folders):
        yield from (str(path) for path in sorted(folder.glob(f"{FOLDER}/*.json")) if is_request_file(path))


def is_request_file(path: Path) -> bool:
    """A JSON file of a folder `requests` with a provider and a body; also one that was meant to be such a file."""
    if path.suffix != ".json" or path.parent.name != FOLDER:
        return False
    try:
        text = read_data(path)
    except OSError:
        return False
    try:
        return is_request(read_json(text))
    except ValueError:
        return all(f'"{name}"'.encode() in text for name in REQUIRED)


def collect_request(path: Path, parent: pytest.Collector, selection: Selection) -> pytest.Collector | None:
    """None for another file. It is empty where filters or ids say what runs, unless the file itself was typed."""
    if not is_request_file(path):
        return None
    is_left_out = selection.filters or (selection.patterns and not parent.session.isinitpath(path))
    return RequestFile.from_parent(parent, path=path, is_left_out=bool(is_left_out))


class RequestFile(pytest.File):
    """One file with one request."""

    def __init__(self, *, is_left_out: bool, **kw: Any) -> None:
        super().__init__(**kw)
        self.is_left_out = is_left_out

    def collect(self) -> Iterator[pytest.Item]:
        if not self.is_left_out:
            yield RequestItem.from_parent(self, name=self.path.stem, text=read_data(self.path))


def _problem(text: bytes) -> str:
    """The line of the file and what is wrong there; "" for nothing."""
    try:
        value = read_json(text)
    except JSONDecodeError as error:
        return f"{error.lineno}: this is not JSON from column {error.colno} on: {error.msg}."
    except ValueError as error:
        return f"1: this is not JSON: {error}."
    unknown = next((key for key in value if key not in KEYS), "")
    if unknown:
        line = text[: max(0, text.find(json.dumps(unknown, ensure_ascii=False).encode()))].count(b"\n") + 1
        meant = meant_member(unknown)
        right = f"Did you mean `{meant}`? " if meant and meant not in value else ""
        return f"{line}: `{unknown}` is no member of a request. {right}Expected {', '.join(KEYS)}."
    problem = _problem_of_members(value)
    return problem and f"1: {problem}"


def _problem_of_members(value: dict[str, Any]) -> str:
    if not isinstance(value["provider"], str) or value["provider"] not in PROVIDERS:
        return f"there is no provider `{value['provider']}`. Expected one of {', '.join(PROVIDERS)}."
    if not isinstance(value["body"], dict):
        return "`body` is no object. Expected the JSON body of a request, as it is sent."
    if not paths_of(value):
        where = f"at {value['path']}" if value.get("path") else "that this body looks like"
        return f"{value['provider']} has no wire {where}. Name another provider, or its `path`."
    return ""


class Refused(Exception):
    """The rows that say why the body is not accepted, or cannot be judged."""

    def __init__(self, rows: list[Row]) -> None:
        super().__init__(rows[0].value)
        self.rows = rows


class RequestItem(pytest.Item):
    """This body must be accepted by this provider."""

    def __init__(self, *, text: bytes, **kw: Any) -> None:
        super().__init__(**kw)
        self.text = text

    def reportinfo(self) -> tuple[Path, int | None, str]:
        return self.path, 0, f"{FOLDER}/{self.name}"

    def runtest(self) -> None:
        place = shown_path(self.path)
        problem = _problem(self.text)
        if problem:
            raise Refused([Row(value=shown(f"{place}:{problem}"))])
        value = read_json(self.text)
        provider, body = value["provider"], json.dumps(value["body"]).encode()
        violation = judge(provider, paths_of(value)[0], body, {"content-type": "application/json"})
        if violation is None:
            return
        title = shown(f"{FOLDER}/{self.name}: {provider} refuses this body by {violation.rule}")
        rows = [
            Row(value=title, is_heading=True),
            labelled("at", violation.at or "the body"),
            labelled("refused", f"{violation.status} {violation.message.strip()}"),
            Row("fix", f"agent-conformance check-request {place} shows the smallest change; then send such a body"),
        ]
        source = value.get("source")
        raise Refused([*rows, labelled("source", str(source))] if source else rows)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        if isinstance(excinfo.value, Refused):
            rows = excinfo.value.rows
            return FailureText(rows, Headline(rows[0].value, shown_path(self.path)))
        return super().repr_failure(excinfo)
