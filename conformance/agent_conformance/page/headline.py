"""What stands at the top of every page: the verdict, the facts of the run, and what is missing in it."""

from collections.abc import Iterator
from typing import Any

from agent_conformance.results.causes import causes
from agent_conformance.results.model import Results
from agent_conformance.results.summary import profiles_of
from agent_conformance.results.verdict import verdict_of, wrote_baseline


def headline_of(results: Results) -> dict[str, Any]:
    """By the names that the template has for them."""
    verdict = verdict_of(results)
    broken = (f"Broken scenario file: {broken.path}: {broken.headline}" for broken in results.broken_files)
    return {
        "title": f"agent conformance: {results.agent.name}",
        "version": results.suite.version,
        "verdict": verdict.word,
        "verdict_words": f"{verdict.word}: {', '.join(_found(results))}",
        "facts": list(_facts(results)),
        "problems": [*verdict.gaps, *broken, *results.stray_exits],
    }


def _found(results: Results) -> Iterator[str]:
    new = causes(results)
    cases = len({case.id for cause in new for case in cause.cases})
    of = _counted(len(results.cases), "case")
    yield f"{_counted(len(new), 'new cause')} in {cases:,} of {of}" if new else f"no new finding in {of}"
    if fixed := sum(len(case.stale) for case in results.cases):
        yield f"{fixed:,} fixed and still in the baseline"
    if wrote_baseline(results):
        yield "and this run wrote the baseline"


def _facts(results: Results) -> Iterator[str]:
    yield f"suite {results.suite.version}"
    if results.agent.version:
        yield f"agent {results.agent.version}"
    yield f"profile {profiles_of(results)}"
    yield f"level {results.options.level}"
    if results.environment.python:
        yield f"Python {results.environment.python}"
    yield from (part for part in (results.environment.platform, results.started) if part)
    yield f"{results.seconds:.0f} s"


def _counted(count: int, word: str) -> str:
    return f"{count:,} {word}" + ("" if count == 1 else "s")
