"""Results as JSON and back, equal bytes for equal results, and the JSON Schema of `results.json`, which is kept in git
for those who read results in another language."""

import json
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from agent_conformance.results.model import FORMAT, Body, CaseLine, CaseRecord, Results, with_cases

RUN, CASE = b'{"run":', b'{"case":'
"""How the lines of ndjson begin: what is known of the run, when it begins and when it ends, and one case."""
EMPTY = b'"cases":[],"bodies":{}}'


class BrokenResults(Exception):
    """Results that cannot be read: one line that says why."""


@cache
def adapter_of(kind: Any) -> TypeAdapter[Any]:
    """Made on first use: most runs write no results."""
    return TypeAdapter(kind)


def encoded(results: Results) -> bytes:
    """`results.json`: a line for what concerns the run, and one for each case and each body."""
    cases = adapter_of(CaseRecord)
    bodies = adapter_of(Body)
    lines = [json.dumps(id).encode() + b":" + bodies.dump_json(body) for id, body in results.bodies.items()]
    return b"".join(
        (
            _run_alone(results).removesuffix(EMPTY),
            b'\n"cases":[\n',
            b",\n".join(cases.dump_json(case) for case in results.cases),
            b'\n],\n"bodies":{\n',
            b",\n".join(lines),
            b"\n}}\n",
        )
    )


def run_line(results: Results) -> bytes:
    """The line of ndjson that says what is known of the run."""
    return RUN + _run_alone(results) + b"}"


def case_line(case: CaseRecord, bodies: dict[str, Body]) -> bytes:
    line: bytes = adapter_of(CaseLine).dump_json(CaseLine(case, bodies))
    return line


def decoded(text: bytes, *, where: str) -> Results:
    """Raises `BrokenResults`."""
    results: Results = _validated(text, Results, where)
    return results


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
            bodies |= read.bodies
    if run is None:
        raise BrokenResults(f"{where}: no line says what run this is. It is not a results.ndjson of --agent-report.")
    return with_cases(run, cases.values(), bodies)


def _run_alone(results: Results) -> bytes:
    alone: bytes = adapter_of(Results).dump_json(replace(results, cases=(), bodies={}))
    return alone


def _validated(text: bytes, kind: Any, where: str) -> Any:
    try:
        return adapter_of(kind).validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"])) or "the beginning"
        raise BrokenResults(
            f"{where}: no results of format {FORMAT}: at {place}: {first['msg']}. "
            "Run the suite again with --agent-report, or use the version of agent-conformance that wrote it."
        ) from None


PATH = Path(__file__).with_name("results.schema.json")


def results_schema() -> dict[str, Any]:
    """The schema of what is written: all fields are there. Others may come, with the same number of the format."""
    schema: dict[str, Any] = adapter_of(Results).json_schema(mode="serialization")
    for kind in (schema, *schema["$defs"].values()):
        kind["required"] = list(kind["properties"])
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Results of agent-conformance: results.json of --agent-report",
        **{key: value for key, value in schema.items() if key != "title"},
    }


def write_schema(path: Path = PATH) -> None:
    path.write_text(json.dumps(results_schema(), indent=2) + "\n", encoding="utf-8")
