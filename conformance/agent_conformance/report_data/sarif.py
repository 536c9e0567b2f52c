"""`results.sarif`: what was found, as SARIF 2.1.0, which code scanning and editors read."""

import hashlib
import json
import re
from collections.abc import Callable, Iterator
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

from agent_conformance.explain.texts import expectation_texts, without_links
from agent_conformance.report_data.model import FindingResult, Results
from agent_conformance.report_data.summary import Cause, causes

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
FileLine = tuple[str, int]
"""A file and a line; an empty file where there is none."""
PlaceOf = Callable[[FindingResult], FileLine]

_LINK = re.compile(r"\[(?=[^\]]*\]\()")


def place_of_crash(finding: FindingResult) -> FileLine:
    """The line of the agent's own code."""
    return (finding.origin.in_agent.file, finding.origin.in_agent.line) if finding.origin else ("", 0)


def sarif(results: Results, place_of: PlaceOf = place_of_crash) -> str:
    """One result for each cause, as in the summary, at the place in the agent's code, or else at the scenario.

    What is known has a suppression, and advice is a note.
    """
    found = [cause for state in ("new", "known", "advice") for cause in causes(results, (state,))]
    rules = list({cause.first.cause: cause.first for cause in reversed(found)}.values())
    numbers = {rule.cause: number for number, rule in enumerate(rules)}
    errors = [case for case in results.cases if case.outcome == "error"]
    driver: dict[str, Any] = {"name": "agent-conformance", "rules": [_rule(rule, results) for rule in rules]}
    if results.suite.version:
        driver["version"] = results.suite.version
    run = {
        "tool": {"driver": driver},
        "invocations": [
            {
                "executionSuccessful": results.ended == "complete" and not errors and not results.broken_files,
                "toolExecutionNotifications": [
                    {"level": "error", "message": {"text": _text(f"{case.id}: {case.reason}")}} for case in errors
                ],
            }
        ],
        "properties": {"agent": results.agent.name, "command": results.command},
        "results": [_result(cause, numbers[cause.first.cause], place_of) for cause in found],
    }
    document = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def _rule(finding: FindingResult, results: Results) -> dict[str, Any]:
    """What the suite knows of the rule, the law or the expectation: its code is its id, which never changes."""
    rule: dict[str, Any] = {"id": finding.cause, "properties": {"kind": finding.kind}}
    law, broken = results.laws.get(finding.law), results.rules.get(finding.rule)
    text = expectation_texts().get(finding.cause)
    if broken is not None:
        rule["shortDescription"] = {"text": _text(broken.statement)}
        if broken.source.startswith("https://"):
            rule["helpUri"] = broken.source
    elif law is not None:
        rule["shortDescription"] = {"text": _text(law.title)}
        rule["fullDescription"] = {"text": _text(law.demands or law.title)}
        rule["help"] = {"text": _text(law.why or law.title)}
    elif text is not None:
        rule["shortDescription"] = {"text": _text(without_links(text.title))}
        rule["fullDescription"] = {"text": _text(without_links(text.demands))}
        rule["help"] = {"text": _text(text.why)}
    return rule


def _result(cause: Cause, rule: int, place_of: PlaceOf) -> dict[str, Any]:
    finding, case = cause.first, cause.cases[0]
    is_advice = finding.state == "advice" or finding.level == "should"
    file, line = place_of(finding)
    if not file:
        file, line = (finding.scenario.file, finding.scenario.line) if finding.scenario else (case.file, 1)
    logical = {"fullyQualifiedName": case.id, "kind": "case"}
    if finding.place is not None:
        logical["decoratedName"] = f"{case.id}, {finding.place}"
    result: dict[str, Any] = {
        "ruleId": finding.cause,
        "ruleIndex": rule,
        "level": "note" if is_advice else "error",
        "message": {"text": _text("\n".join(_message(cause)))},
        "locations": [{**_physical(file, line), "logicalLocations": [logical]}],
        "occurrenceCount": len(cause.cases),
        "partialFingerprints": {"cause/v2": hashlib.sha256(_root(finding).encode()).hexdigest()},
        "properties": {"state": finding.state, "cases": [each.id for each in cause.cases]},
    }
    if finding.scenario is not None:
        line = finding.scenario.demand or finding.scenario.line
        described = {"message": {"text": "the scenario"}, **_physical(finding.scenario.file, line)}
        result["relatedLocations"] = [{"id": 1, **described}]
    if finding.state == "known":
        result["suppressions"] = [{"kind": "external", "justification": _text(finding.known)}]
    return result


def _root(finding: FindingResult) -> str:
    """What is the same in each run: of a crash the file, the error and the line's text, since its number moves."""
    if finding.origin is None:
        return "\n".join(finding.root)
    place = finding.origin.in_agent
    lines = [line.strip() for line in finding.trace.splitlines()]
    code = next((line.partition(": ")[2] for line in lines if line.startswith(f"{place.file}:{place.line} in ")), "")
    error = re.split(r"[: ]", finding.got or lines[-1])[0]
    return f"{place.file}\n{error}\n{code}"


def _message(cause: Cause) -> Iterator[str]:
    finding, case = cause.first, cause.cases[0]
    cases = "1 case" if len(cause.cases) == 1 else f"{len(cause.cases)} cases"
    yield f"{cause.label} in {cases}, such as {case.id}#{finding.id}"
    said = {"at": finding.at, "refused": finding.refused, "expected": finding.expected, "got": finding.got}
    yield from (f"{label}: {text}" for label, text in said.items() if text)
    if case.rerun:
        yield f"rerun: {case.rerun}"


def _physical(file: str, line: int) -> dict[str, Any]:
    path = PurePath(file)
    uri = path.as_uri() if path.is_absolute() else quote(path.as_posix())
    return {"physicalLocation": {"artifactLocation": {"uri": uri}, "region": {"startLine": max(line, 1)}}}


def _text(text: str) -> str:
    """SARIF reads `[word](address)` as a link: an agent's text is none."""
    return _LINK.sub(r"\\[", text) or "-"
