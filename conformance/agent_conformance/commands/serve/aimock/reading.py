"""Reads aimock's files of fixtures. What has no counterpart in a fake is said with its file and line, and left out."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agent_conformance.cassettes.json_items import CutShort, items_of
from agent_conformance.commands.serve.aimock.fixture import Fixture, Match
from agent_conformance.commands.serve.aimock.response import reply_of
from agent_conformance.commands.serve.aimock.unmapped import Unmapped
from agent_conformance.scenario.data_files import read_data
from agent_conformance.scenario.problems import did_you_mean
from fake_providers.call_arguments import arguments_object
from fake_providers.inexpressible import refuse_inexpressible
from fake_providers.reply import CannotExpress, Reply
from fake_providers.wire_capabilities import limits_of

MOST_FILES = 1000
CONDITIONS: Mapping[str, type | tuple[type, ...]] = {
    "userMessage": str,
    "systemMessage": (str, list),
    "toolName": str,
    "toolCallId": str,
    "toolResultContains": str,
    "hasToolResult": bool,
    "model": str,
    "responseFormat": str,
    "sequenceIndex": int,
    "turnIndex": int,
    "endpoint": str,
}
CANNOT = {
    "inputText": "it is about embeddings, which the server answers without a script",
    "context": "requests of a fake have no context. Use `systemMessage` or `model`, or a server of its own",
}


@dataclass(frozen=True, slots=True)
class Fixtures:
    """`notices` say what was left out, each in one line with its place."""

    fixtures: tuple[Fixture, ...]
    notices: tuple[str, ...]


def is_aimock(path: Path) -> bool:
    """Whether it is a folder, or a file of JSON with `fixtures`, as aimock takes both."""
    if path.is_dir():
        return True
    if path.suffix != ".json":
        return False
    return re.search(rb'^\s*\{.*?"fixtures"\s*:\s*\[', read_data(path)[:65536], re.DOTALL) is not None


def read_fixtures(path: Path, *, wire: str) -> Fixtures:
    """Raises `ValueError` with file and line where nothing can be read, and `OSError`."""
    files = list(_files(path)) if path.is_dir() else [path]
    fixtures: list[Fixture] = []
    notices: list[str] = []
    for file in files[:MOST_FILES]:
        text = read_data(file).decode("utf-8", errors="replace")
        try:
            for line, entry in items_of(text, ("fixtures",)):
                _add(entry, f"{file}:{line}", wire, fixtures, notices)
        except CutShort as cut:
            raise ValueError(f"{file}:{cut.line}: {cut}") from None
    if not fixtures:
        told = "\n".join(["", *notices])
        raise ValueError(f"{path}: it has no fixture that a fake of {wire} can answer from.{told}")
    return Fixtures(tuple(fixtures), tuple(notices))


def _files(folder: Path) -> Iterator[Path]:
    """The files of a folder by their names, then those of its folders, as aimock reads them."""
    entries = sorted(folder.iterdir())
    yield from (entry for entry in entries if entry.suffix == ".json" and entry.is_file())
    for entry in entries:
        if entry.is_dir() and not entry.is_symlink():
            yield from _files(entry)


def _add(entry: Any, place: str, wire: str, fixtures: list[Fixture], notices: list[str]) -> None:
    try:
        match, response = _parts(entry)
        condition = _match_of(match)
        reply, ignored = reply_of(entry, response, wire=wire)
        _check_for(reply, wire)
    except Unmapped as reason:
        notices.append(f"{place}: this fixture is left out: {reason}")
        return
    fixtures.append(Fixture(condition, reply, place))
    notices += [f"{place}: {text}" for text in ignored]


def _check_for(reply: Reply, wire: str) -> None:
    """Raises `Unmapped` for a reply that the wire cannot express."""
    limits = limits_of(wire)
    try:
        refuse_inexpressible(reply, limits)
        for call in reply.calls:
            if "arguments-not-json" in limits.cannot_say:
                arguments_object(call)
    except CannotExpress as cannot:
        raise Unmapped(f"{wire} cannot express it ({cannot.feature}). Serve another wire, or change it.") from None


def _parts(entry: Any) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    match, response = (entry.get(name) if isinstance(entry, Mapping) else None for name in ("match", "response"))
    if not isinstance(match, Mapping) or not isinstance(response, Mapping):
        raise Unmapped("it has no `match` and `response`, each with members in braces.")
    return match, response


def _match_of(match: Mapping[str, Any]) -> Match:
    for name, value in match.items():
        if name in CANNOT:
            raise Unmapped(f"`match.{name}`: {CANNOT[name]}.")
        if name not in CONDITIONS:
            raise Unmapped(f"`match.{name}` is no condition of aimock.{did_you_mean(name, CONDITIONS)}")
        if not isinstance(value, CONDITIONS[name]):
            raise Unmapped(f"`match.{name}` is {json.dumps(value)}, which aimock does not take there.")
    if match.get("endpoint", "chat") != "chat":
        raise Unmapped(f"`match.endpoint` is {match['endpoint']!r}; a fake answers chat requests alone.")
    system = match.get("systemMessage", ())
    return Match(
        user=match.get("userMessage"),
        system=(system,) if isinstance(system, str) else tuple(map(str, system)),
        tool=match.get("toolName"),
        tool_call_id=match.get("toolCallId"),
        result=match.get("toolResultContains"),
        has_tool_result=match.get("hasToolResult"),
        model=match.get("model"),
        has_schema=_has_schema(match.get("responseFormat")),
        sequence=match.get("sequenceIndex"),
        turn=match.get("turnIndex"),
    )


def _has_schema(wanted: str | None) -> bool | None:
    if wanted in (None, "json_schema"):
        return None if wanted is None else True
    raise Unmapped(f"`match.responseFormat` is {wanted!r}; only `json_schema` can be told from other requests.")
