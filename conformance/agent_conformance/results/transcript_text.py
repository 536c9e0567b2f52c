"""The transcript of a case as text for a terminal: what happened in neutral words, and the requests as they were sent.

Knows the records of results alone.
"""

import json
from collections.abc import Iterator, Mapping

from agent_conformance.gate.printing import shown_lines
from agent_conformance.results.model import Body, CaseRecord, TurnResult
from fake_providers.neutral_text import printable

MOST_LINES = 400
"""The most lines of one body."""
NOTHING = "there is no transcript: the case was not run to its end"


def case_lines(case: CaseRecord, bodies: Mapping[str, Body], *, raw: bool) -> Iterator[str]:
    """A case on its own: what it is, how it ended, its findings, and its transcript."""
    yield case.id
    yield f"  title     {case.title}"
    yield f"  outcome   {case.outcome}" + (f": {case.reason.splitlines()[0]}" if case.reason else "")
    for finding in case.findings:
        state = "" if finding.state == "new" else f" ({finding.state})"
        yield f"{case.id}#{finding.id}{state}"
        for label, value in finding.facts:
            first, *rest = value.split("\n")
            yield f"  {label:<9} {first}"
            yield from (f"    {line}" for line in rest)
    yield from (f"  source    {source}" for source in case.sources)
    yield f"  rerun     {case.rerun}"
    yield ""
    yield from transcript_lines(case, bodies, raw=raw)


def transcript_lines(case: CaseRecord, bodies: Mapping[str, Body], *, raw: bool) -> Iterator[str]:
    """The narrative; with `raw` also each request and response, where they were kept."""
    if case.cut:
        yield f"text cut: {case.cut}"
    yield from (case.narrative or NOTHING).split("\n")
    if raw:
        for turn in case.turns:
            yield from _requests(turn, bodies)
        if not any(request.request for turn in case.turns for request in turn.requests):
            yield "the requests of this case were not kept: those of failing cases are"
    if raw and case.left_out:
        yield f"{case.left_out} requests or responses are left out, since the case sent very much"


def _requests(turn: TurnResult, bodies: Mapping[str, Body]) -> Iterator[str]:
    for request in turn.requests:
        sent, answer = bodies.get(request.request), bodies.get(request.response)
        if sent is None:
            continue
        yield ""
        kind = "" if request.kind == "reply" else f" ({request.kind})"
        rule = f", refused by {request.violation.rule}" if request.violation is not None else ""
        yield f"turn {turn.number}, request {request.number}{kind}: {sent.method} {sent.path}{rule}"
        yield from _body(sent)
        if answer is not None:
            yield f"response {answer.status}"
            yield from _body(answer)


def _body(body: Body) -> Iterator[str]:
    """Headers, then JSON with its indents; anything else, such as a stream, as it is."""
    yield from (f"  {name}: {value}" for name, value in body.headers)
    try:
        text = json.dumps(json.loads(body.text), indent=2, ensure_ascii=False)
    except (ValueError, RecursionError):
        text = body.text
    yield from (f"  {printable(line)}" for line in shown_lines(text, MOST_LINES))
    if body.cut:
        yield f"  ... ({body.cut} more characters)"
