"""The versions of the corpus that are frozen can be read, and say what was in them."""

import pytest

from agent_conformance.judge.laws import LAWS
from agent_conformance.scenario.versions import parsed, version_named, version_names, written
from fake_providers.registry import rule_ids
from tests.bundled import bundled_files


@pytest.mark.parametrize("name", version_names())
def test_version_has_laws_rules_and_both_profiles(name: str) -> None:
    version = version_named(name)

    assert len(version.laws) > 20
    assert len(version.rules) > 600
    assert {profile for profile, _ in version.rows.values()} == {"core", "hardened"}


def test_text_of_a_version_is_read_as_it_was_written() -> None:
    files = bundled_files()
    laws, rules = {law.id for law in LAWS}, rule_ids()

    version = parsed("today", written(files, laws=laws, rules=rules))

    assert (version.laws, version.rules) == (laws, rules)
    assert len(version.rows) == sum(len(file.rows) for file in files)


def test_unknown_version_is_an_error_that_names_those_that_there_are() -> None:
    with pytest.raises(LookupError, match=r"there is no version 1999\.1 of the corpus; there are 2026\.12"):
        version_named("1999.1")
