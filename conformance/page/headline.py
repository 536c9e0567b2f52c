"""What stands at the top of a page: the verdict, the facts of the run, and what is missing in it."""

from collections.abc import Iterator
from typing import Any

from conformance.results.model import Results

ENDINGS = {
    "stopped": "The run was stopped after the first failures (-x or --maxfail): the cases after them are not here.",
    "interrupted": "The run was interrupted: the cases after that are not here.",
    "terminated": "The run was terminated: the cases after that are not here.",
    "killed": "The run was killed: the cases after that are not here.",
}


def headline_of(results: Results) -> dict[str, Any]:
    new = sum(finding.state == "new" for case in results.cases for finding in case.findings)
    failed = sum(results.counts.get(outcome, 0) for outcome in ("fail", "stale", "error"))
    judged = sum(results.counts.get(outcome, 0) for outcome in ("pass", "fail", "known", "stale"))
    problems = list(_problems(results))
    return {
        "verdict": "fail" if failed or problems or not judged else "pass",
        "verdict_words": _words(results, new=new, failed=failed, judged=judged),
        "facts": list(_facts(results)),
        "problems": problems,
    }


def _words(results: Results, *, new: int, failed: int, judged: int) -> str:
    cases = _counted(len(results.cases), "case")
    if not judged:
        return f"Nothing was judged: {cases}."
    if not failed:
        return f"No new finding in {cases}."
    return f"{_counted(new, 'new finding')}: {failed:,} of {cases} failed."


def _facts(results: Results) -> Iterator[str]:
    suite = results.suite
    yield f"suite {suite.version}" + (f", corpus {suite.corpus}" if suite.corpus else "")
    if results.agent.version:
        yield f"agent {results.agent.version}"
    if results.options.profiles:
        yield f"profile {', '.join(results.options.profiles)}"
    yield f"level {results.options.level}"
    if results.environment.python:
        yield f"Python {results.environment.python}"
    yield from (part for part in (results.environment.platform, results.started) if part)
    yield f"{results.seconds:.0f} s"


def _problems(results: Results) -> Iterator[str]:
    if results.ended in ENDINGS:
        yield ENDINGS[results.ended]
    if results.shard is not None and results.shard.missing:
        missing = ", ".join(map(str, results.shard.missing))
        yield f"Of {results.shard.of} shards these are missing: {missing}. Their cases are not here."
    for broken in results.broken_files:
        yield f"Broken scenario file: {broken.path}: {broken.headline}"
    yield from results.stray_exits


def _counted(count: int, word: str) -> str:
    return f"{count:,} {word}" + ("" if count == 1 else "s")
