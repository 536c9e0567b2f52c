"""What pytest's own JUnit file has of cases: names by scenario, and properties that tell outcomes and findings."""

from collections.abc import Iterator

import pytest

from agent_conformance.pytest.items import CaseItem
from agent_conformance.report.case_report import CaseReport
from agent_conformance.report.comparison import CaseResult
from agent_conformance.report.printing import shown

Property = tuple[str, object]


def is_wanted(config: pytest.Config) -> bool:
    return bool(config.getoption("xmlpath", None))


def name_in_junit(config: pytest.Config, report: pytest.TestReport, about: CaseReport) -> None:
    """`history.x` and `gemini-generate+stream`: pytest would make one long name of an id without `::`."""
    from _pytest.junitxml import xml_key

    xml = config.stash.get(xml_key, None)
    if xml is not None:
        reporter = xml.node_reporter(report)
        reporter.add_attribute("classname", about.scenario.replace("/", "."))
        reporter.add_attribute("name", about.case.removeprefix(about.scenario).removeprefix("@"))


def properties(item: CaseItem, result: CaseResult) -> Iterator[Property]:
    """Those of the case, then those of each finding in turn, beginning with its id."""
    case = item.case
    yield "outcome", result.outcome
    yield "wire", case.wire
    yield "provider", case.provider
    yield "mode", case.mode
    yield "profile", case.scenario.profile
    if case.scenario.source:
        yield "source", shown(case.scenario.source)
    yield from _findings(result)


def _findings(result: CaseResult) -> Iterator[Property]:
    for state, finding in result.findings:
        subject = finding.subject
        yield "finding", shown(finding.id)
        yield "state", state
        yield "level", finding.level
        if subject.law:
            yield "law", subject.law
        if subject.rule:
            yield "rule", shown(subject.rule)
