"""`badge.json`, as the endpoint badge of shields.io reads it."""

import json

from conformance.results.model import Results
from conformance.results.summary import counted, profiles_of
from conformance.results.verdict import verdict_of

COLOURS = {"passed": "brightgreen", "failed": "red", "incomplete": "orange"}


def badge(results: Results) -> str:
    """What was judged with which version, how many passed and failed, and how many were not verified."""
    verdict = verdict_of(results)
    known = bool(results.counts.get("known"))
    fields = {
        "schemaVersion": 1,
        "label": f"agent conformance {results.suite.version}".strip(),
        "message": f"{profiles_of(results)}: {_message(results)}",
        "color": "yellowgreen" if verdict.word == "passed" and known else COLOURS[verdict.word],
        "isError": verdict.word == "incomplete",
    }
    return json.dumps(fields, indent=1, ensure_ascii=False) + "\n"


def _message(results: Results) -> str:
    verdict = verdict_of(results)
    return f"{counted(results)} (incomplete)" if verdict.gaps else counted(results)
