"""Results as JSON and back, equal bytes for equal results, and the JSON Schema of `results.json`, which is kept in git
for those who read results in another language."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from inspect import cleandoc
from pathlib import Path
from typing import Any, TypeVar, get_args

import msgspec

from agent_conformance.baseline.case_report import CaseOutcome
from agent_conformance.judge.shortened_texts import same_at_end, same_at_start
from agent_conformance.report_data.model import FORMAT, Body, CaseLine, CaseRecord, Results, with_cases

T = TypeVar("T")
RUN, CASE = b'{"run":', b'{"case":'
"""How the lines of ndjson begin: what is known of the run, when it begins and when it ends, and one case."""
EMPTY = b'"cases":[],"bodies":{}}'


class BrokenResults(Exception):
    """Results that cannot be read: one line that says why."""


def encoded(results: Results) -> bytes:
    """`results.json`: a line for what concerns the run, and one for each case and each body."""
    bodies = _shared(results.cases, results.bodies)
    lines = [json.dumps(id).encode() + b":" + msgspec.json.encode(body) for id, body in bodies.items()]
    return b"".join(
        (
            _run_alone(results).removesuffix(EMPTY),
            b'\n"cases":[\n',
            b",\n".join(map(msgspec.json.encode, results.cases)),
            b'\n],\n"bodies":{\n',
            b",\n".join(lines),
            b"\n}}\n",
        )
    )


def run_line(results: Results) -> bytes:
    """The line of ndjson that says what is known of the run."""
    return RUN + _run_alone(results) + b"}"


def case_line(case: CaseRecord, bodies: Mapping[str, Body]) -> bytes:
    return msgspec.json.encode(CaseLine(case, _shared((case,), bodies)))


def decoded(text: bytes, *, where: str) -> Results:
    """Raises `BrokenResults`."""
    results = _validated(text, Results, where)
    return replace(results, bodies=dict(sorted(_whole(results.bodies, where).items())))


def gathered(lines: Iterable[bytes], *, where: str) -> Results:
    """The results that lines of ndjson tell; the last one may be half written. Raises `BrokenResults`."""
    run: Results | None = None
    cases: dict[str, CaseRecord] = {}
    bodies: dict[str, Body] = {}
    for number, line in enumerate(lines, 1):
        if not line.endswith(b"}"):
            continue
        if line.startswith(RUN):
            run = _validated(line.removeprefix(RUN)[:-1], Results, f"{where}:{number}")
        elif line.startswith(CASE):
            read = _validated(line, CaseLine, f"{where}:{number}")
            cases[read.case.id] = read.case
            bodies |= _whole(read.bodies, f"{where}:{number}")
    if run is None:
        raise BrokenResults(f"{where}: no line says what run this is. It is not a results.ndjson of --agent-report.")
    return with_cases(run, cases.values(), bodies)


LEAST_SHARED = 100
"""Characters that two bodies have in common so that the second one refers to the first."""
MOST_UNPACKED = 1_000_000_000
"""Characters of the bodies of one file: a small file made for it could ask for any number."""


def _shared(cases: Iterable[CaseRecord], bodies: Mapping[str, Body]) -> dict[str, Body]:
    """The bodies in the order of the cases. A conversation's requests grow by a message each: of each there is what it
    does not have in common with the request before.
    """
    shared: dict[str, Body] = {}
    base = ""
    for request in (request for case in cases for turn in case.turns for request in turn.requests):
        if request.request in bodies and request.request not in shared:
            body = bodies[request.request]
            shared[request.request] = _after(bodies[base].text, base, body) if base else body
            base = request.request
        if request.response in bodies:
            shared.setdefault(request.response, bodies[request.response])
    return shared | {id: body for id, body in bodies.items() if id not in shared}


def _after(before: str, base: str, body: Body) -> Body:
    text = body.text
    start = same_at_start(before, text)
    end = same_at_end(before[start:], text[start:])
    if start + end < LEAST_SHARED:
        return body
    return replace(body, text=text[start : len(text) - end], base=base, start=start, end=end)


def _whole(bodies: Mapping[str, Body], where: str) -> dict[str, Body]:
    """Raises `BrokenResults`."""
    whole: dict[str, Body] = {}
    characters = 0
    for id, body in bodies.items():
        whole[id] = body
        if body.base:
            before = whole[body.base].text if body.base in whole and body.base != id else ""
            if min(body.start, body.end) < 0 or body.start + body.end > len(before):
                raise BrokenResults(f"{where}: body {id} has no text: that of its base is not before it, or too short.")
            text = before[: body.start] + body.text + before[len(before) - body.end :]
            whole[id] = replace(body, text=text, base="", start=0, end=0)
        characters += len(whole[id].text)
        if characters > MOST_UNPACKED:
            raise BrokenResults(f"{where}: its bodies have more than {MOST_UNPACKED:,} characters.")
    return whole


def _run_alone(results: Results) -> bytes:
    return msgspec.json.encode(replace(results, cases=(), bodies={}))


def _validated(text: bytes, kind: type[T], where: str) -> T:
    try:
        return msgspec.json.decode(text, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        said, at, place = str(error).partition(" - at `$")
        found = f"at {place.strip('.`') or 'the beginning'}: {said}" if at else said
        raise BrokenResults(
            f"{where}: no results of format {FORMAT}: {found}. "
            "Run the suite again with --agent-report, or use the version of agent-conformance that wrote it."
        ) from None


PATH = Path(__file__).with_name("results.schema.json")


def results_schema() -> dict[str, Any]:
    """The schema of what is written: all fields are there. Others may come, with the same number of the format."""
    _, kinds = msgspec.json.schema_components([Results], ref_template="#/$defs/{name}")
    for kind in kinds.values():
        kind["required"] = list(kind["properties"])
        if "description" in kind:
            kind["description"] = cleandoc(kind["description"])
    kinds["Results"]["properties"]["counts"]["propertyNames"] = {"enum": [*get_args(CaseOutcome)]}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **kinds.pop("Results"),
        "title": "Results of agent-conformance: results.json of --agent-report",
        "$defs": kinds,
    }


def write_schema(path: Path = PATH) -> None:
    path.write_text(json.dumps(results_schema(), indent=2) + "\n", encoding="utf-8")
