"""Reads what an incident left, whatever it is: the content says which kind it is. Drafts nothing."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agent_conformance.cassettes import UnknownFormat
from agent_conformance.cassettes.reading import format_of
from agent_conformance.drafts import cassettes, chat_logs, reports, request_bodies, telemetry
from agent_conformance.drafts.evidence import CannotDraft, Evidence
from agent_conformance.drafts.source_file import SourceFile
from agent_conformance.record.redaction import redacted
from agent_conformance.scenario.yaml_files.data_files import LARGEST, read_data

READ = "a request body, a cassette, a chat log, an OpenTelemetry trace or a results.json"


@dataclass(frozen=True, slots=True)
class Kind:
    """`is_it` looks at the value, or at the first value of JSON Lines."""

    is_it: Callable[[Any], bool]
    evidence: Callable[[SourceFile], Evidence]


KINDS: Mapping[str, Kind] = {
    "report": Kind(reports.is_report, reports.evidence_of_report),
    "trace": Kind(telemetry.is_trace, telemetry.evidence_of_trace),
    "cassette": Kind(lambda value: False, cassettes.evidence_of_cassette),
    "chat-log": Kind(chat_logs.is_log, chat_logs.evidence_of_log),
    "request": Kind(request_bodies.is_body, request_bodies.evidence_of_body),
}


def evidence_in(
    path: Path, *, kind: str | None = None, answer: Path | None = None, provider: str = "", case: str = ""
) -> Evidence:
    """Raises `CannotDraft`."""
    file = SourceFile(str(path), _data(path), None if answer is None else _data(answer), provider, case)
    found = KINDS[kind or kind_of(file)].evidence(file)
    if not found.messages:
        raise CannotDraft(f"{path}: it has no message of a conversation. Expected {READ} with at least one.")
    return found


def kind_of(file: SourceFile) -> str:
    """Raises `CannotDraft` for a file of no kind, with what it looks like and where it stops being JSON."""
    try:
        format_of(file.text, file.label)
        return "cassette"
    except UnknownFormat:
        first = _first_value(file)
    found = next((name for name, kind in KINDS.items() if kind.is_it(first)), None)
    if found is None:
        shape = f"an object with {_members(first)}" if isinstance(first, dict) else redacted(json.dumps(first))[:40]
        raise CannotDraft(f"{file.label}: its kind is not known. Expected {READ}; found {shape}. `--kind` names it.")
    return found


def _first_value(file: SourceFile) -> Any:
    text = file.text.lstrip()
    if not text:
        raise CannotDraft(f"{file.label}: it is empty. Expected {READ}.")
    try:
        return json.JSONDecoder().raw_decode(text)[0]
    except json.JSONDecodeError as error:
        raise CannotDraft(f"{file.label}:{error.lineno}: {_why(text, error)} Expected {READ}.") from None
    except RecursionError:
        raise CannotDraft(f"{file.label}: it is nested too deep to be read. Expected {READ}.") from None
    except ValueError as error:
        raise CannotDraft(f"{file.label}: it has a number that cannot be read: {error}. Expected {READ}.") from None


def _why(text: str, error: json.JSONDecodeError) -> str:
    if error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated string"):
        return "the JSON ends in the middle; the file was cut. Nothing of it is used."
    if error.pos == 0:
        return f"this is no JSON and no cassette; it begins with {redacted(text)[:40]!r}."
    return f"this is not JSON from column {error.colno} on: {error.msg}. Nothing of it is used."


def _members(value: Mapping[str, Any]) -> str:
    return ", ".join(f"`{name}`" for name in list(value)[:6]) or "no members"


def _data(path: Path) -> bytes:
    try:
        return read_data(path)
    except OSError as error:
        most = f"At most {LARGEST // 1024 // 1024} MB are read; give the request or the session that failed alone."
        reason = error.strerror or str(error)
        raise CannotDraft(f"{path}: cannot be read: {reason}. {most if 'bytes' in reason else ''}".rstrip()) from None
