"""Each known failure has scenarios that catch it, or a reason why it has none."""

from fnmatch import fnmatchcase

from tests.docs.known_failures import (
    Row,
    behaviour_lines,
    behaviours,
    failing,
    incident_lines,
    incidents,
    mutants_of,
    scenario_ids,
    scenarios_of,
)

ROWS = [*incidents(), *behaviours()]


def test_each_row_is_played_or_says_why_not() -> None:
    assert [row.what for row in ROWS if not row.scenarios and not row.missing] == []


def test_each_incident_has_a_thread() -> None:
    assert [row.what for row in incidents() if not row.area or not all("#" in t for t in row.threads or ("",))] == []


def test_every_name_of_a_scenario_is_one() -> None:
    named = {glob for row in ROWS for glob in row.scenarios}

    assert [glob for glob in named if not any(fnmatchcase(id, glob) for id in scenario_ids())] == []


def test_every_scenario_that_covers_a_row_fails_an_agent() -> None:
    assert {id for row in ROWS for id in scenarios_of(row) if not failing(id)} == set()


def test_a_row_says_what_plays_it_and_who_fails_it() -> None:
    played = Row("A call is lost.", "streaming", ("a/b#1",), ("finish/cut-off-call",))
    missing = Row("Agents call agents.", missing="out of scope")
    link = "[a/b#1](https://github.com/a/b/issues/1)"

    assert incident_lines([played]) == [
        ("streaming", f"A call is lost. ({link})", "`finish/cut-off-call`", f"`{mutants_of('finish/cut-off-call')[0]}`")
    ]
    assert behaviour_lines([missing]) == [("Agents call agents.", "out of scope", "")]
