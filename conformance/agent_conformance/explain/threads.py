"""Where agents had the bugs that break a law, a rule or an expectation: the sources of the mutants that play them."""

import re
from collections.abc import Callable
from functools import cache

from agent_conformance.explain.explanation import Source
from agent_conformance.record.subject import subject_of

MOST = 5


def threads_of_law(law: str) -> tuple[Source, ...]:
    return _threads(lambda finding: subject_of(finding).law == law)


def threads_of_rule(rule: str) -> tuple[Source, ...]:
    return _threads(lambda finding: subject_of(finding).rule == rule)


def threads_of_expectation(kind: str) -> tuple[Source, ...]:
    """Of findings of every turn and level, which a mutant may name by a pattern: `1.requests*`."""
    return _threads(lambda finding: re.search(rf"(?:^|[.*]){kind}\b", finding) is not None)


@cache
def _pairs() -> tuple[tuple[str, Source], ...]:
    """What each mutant is caught by, and its source. Those with an address stand first."""
    from agent_conformance.agents.mutants import MUTANTS  # they load the whole reference agent

    found = [(finding, Source(m.source, says=m.breaks)) for m in MUTANTS for _, finding in m.caught_by]
    return tuple(sorted(found, key=lambda pair: not pair[1].source.startswith("https://")))


def _threads(concerns: Callable[[str], bool]) -> tuple[Source, ...]:
    by_source = {source.source: source for finding, source in reversed(_pairs()) if concerns(finding)}
    return tuple(reversed(by_source.values()))[:MOST]
