"""What a field says is written beside it once, and read by all that compares, keeps or digests scenarios."""

from collections.abc import Iterator
from typing import Annotated, Any

import pytest

from agent_conformance.fuzz import pinned
from agent_conformance.minimise import TrialTarget
from agent_conformance.minimise.edits import edits_of
from agent_conformance.scenario import versions
from agent_conformance.scenario.base_model import NAME, REMARK, SAYS_NOTHING, WEIGHT, FieldSort
from agent_conformance.scenario.checks.warnings_ import identity_of
from agent_conformance.scenario.loading import digest_of
from agent_conformance.scenario.model import Scenario, fields_of, sorts_of

TEXT = "a text of some length"
DOCUMENT: dict[str, Any] = {
    "description": "a greeting is answered",
    "profile": "core",
    "made_up": TEXT,
    "conversation": [{"user": "Hello.", "model": [{"text": "Hi."}]}],
}
BEHAVIOUR = None


class Remarked(Scenario, frozen=True):
    made_up: Annotated[str, REMARK] = ""


class Named(Scenario, frozen=True):
    made_up: Annotated[str, NAME] = ""


class Weighted(Scenario, frozen=True):
    made_up: Annotated[str, WEIGHT] = ""


class Behaves(Scenario, frozen=True):
    made_up: str = ""


MODELS: dict[FieldSort | None, type[Scenario]] = {
    REMARK: Remarked,
    NAME: Named,
    WEIGHT: Weighted,
    BEHAVIOUR: Behaves,
}
SORTS = list(MODELS)


@pytest.fixture
def made_up(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> FieldSort | None:
    """The sort of the field `made_up`, which a scenario has as long as the test runs."""
    sort: FieldSort | None = request.param
    monkeypatch.setitem(sorts_of(Scenario), "made_up", frozenset() if sort is None else frozenset((sort,)))
    return sort


def changed(text: str = "another text of some length") -> dict[str, Any]:
    return {**DOCUMENT, "made_up": text}


def test_sorts_of_the_fields_that_there_are() -> None:
    assert fields_of(REMARK) == ("description", "source")
    assert fields_of(NAME) == ("formerly",)
    assert fields_of(WEIGHT) == ("profile", "level", "waive")


@pytest.mark.parametrize("made_up", SORTS, indirect=True)
def test_digest_of_a_file_is_that_of_what_counts(made_up: FieldSort | None) -> None:
    same = digest_of(DOCUMENT) == digest_of(changed())

    assert same == (made_up in SAYS_NOTHING)


@pytest.mark.parametrize("sort", SORTS)
def test_digest_in_a_version_is_that_of_what_counts(sort: FieldSort | None) -> None:
    digests = {versions.digest_of(MODELS[sort].read(one)) for one in (DOCUMENT, changed())}

    assert (len(digests) == 1) == (sort in SAYS_NOTHING)


@pytest.mark.parametrize("sort", SORTS)
def test_twins_differ_in_what_is_no_behaviour(sort: FieldSort | None) -> None:
    identities = {identity_of(MODELS[sort].read(one)) for one in (DOCUMENT, changed())}

    assert (len(identities) == 1) == (sort is not BEHAVIOUR)


def smaller() -> Iterator[dict[str, Any]]:
    return (edit(DOCUMENT) for edit in edits_of(DOCUMENT))


@pytest.mark.parametrize("made_up", SORTS, indirect=True)
def test_minimising_keeps_what_is_for_readers_and_shortens_no_name(made_up: FieldSort | None) -> None:
    found = [document.get("made_up") for document in smaller()]

    assert (None in found) == (made_up is not REMARK)
    assert ("a text of" in found) == (made_up not in SAYS_NOTHING)


@pytest.mark.parametrize("made_up", SORTS, indirect=True)
def test_what_is_said_of_a_found_scenario_stands_on_top(made_up: FieldSort | None) -> None:
    keys = list(pinned({"conversation": [], **DOCUMENT}, TrialTarget("openai-chat", "plain", "openai")))

    assert (keys.index("made_up") < keys.index("wires")) == (made_up in (REMARK, WEIGHT))
