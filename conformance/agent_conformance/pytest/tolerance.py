"""Which rules of providers this run tolerates, by the option and by entries of the baseline, and whether all rules that
the baseline names exist. Knows no case."""

from collections.abc import Iterable
from datetime import date
from difflib import get_close_matches

import pytest

from agent_conformance.record.subject import subject_of
from agent_conformance.report.baseline import Baseline, Entry
from agent_conformance.scenario.versions import CorpusVersion
from fake_providers.registry import rule_ids

BY_OPTION = "tolerated by --agent-tolerate"


def tolerated_rules(typed: Iterable[str], baseline: Baseline, *, today: date) -> dict[str, Entry]:
    """Each rule that is tolerated with the entry that says why.

    Raises `pytest.UsageError` for a rule that no provider has, also for one whose findings the baseline only knows.
    """
    typed = [subject_of(rule).code for rule in typed]
    places = {rule: baseline.place_of(entry) for rule, entry in baseline.tolerated.items()}
    places |= {rule: baseline.place_of(entry) for rule, entry in baseline.rules.items()}
    places |= {rule: f"--agent-tolerate={rule}" for rule in typed}
    known = rule_ids() if places else frozenset()
    for rule, where in places.items():
        if rule not in known:
            raise pytest.UsageError(f"{where}: {_no_rule(rule, known)}")
    valid = {rule: entry for rule, entry in baseline.tolerated.items() if not entry.expired(today)}
    return {rule: Entry(rule, BY_OPTION) for rule in typed} | valid


def later_rules(version: CorpusVersion | None) -> frozenset[str]:
    """The rules that a version of the corpus does not have: what breaks them is accepted, so that the case goes on."""
    return rule_ids() - version.rules if version is not None else frozenset()


def _no_rule(rule: str, known: Iterable[str]) -> str:
    """Near are rules of the same name at another provider, then those that are spelled alike."""
    name = rule.rpartition("/")[2]
    same = sorted(id for id in known if id.endswith(f"/{name}"))
    near = list(dict.fromkeys([*same, *get_close_matches(rule, sorted(known), n=3)]))[:3]
    hint = f" Did you mean {' or '.join(near)}?" if near else ""
    return f"there is no rule {rule}.{hint} `agent-conformance rules` lists them."
