"""`badge.json`, as the endpoint badge of shields.io reads it."""

import json

from agent_conformance.results.model import Results
from agent_conformance.results.summary import counted, profiles_of
from agent_conformance.results.verdict import verdict_of

COLOURS = {"passed": "brightgreen", "failed": "red", "incomplete": "orange"}


def badge(results: Results) -> str:
    """What was judged with which version, how many passed and failed, and how many were not verified."""
    verdict = verdict_of(results)
    known = bool(results.counts.get("known"))
    gaps = " (incomplete)" if verdict.gaps else ""
    fields = {
        "schemaVersion": 1,
        "label": f"agent conformance {results.suite.version}".strip(),
        "message": f"{profiles_of(results)}: {counted(results)}{gaps}",
        "color": "yellowgreen" if verdict.word == "passed" and known else COLOURS[verdict.word],
        "isError": verdict.word == "incomplete",
    }
    return json.dumps(fields, indent=1, ensure_ascii=False) + "\n"
