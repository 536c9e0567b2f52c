"""Results are the same after the way through their files, and what cannot be read says why."""

import json
from dataclasses import fields, replace

import jsonschema_rs
import pytest

from agent_conformance.report_data import encoding
from agent_conformance.report_data.encoding import (
    PATH,
    BrokenResults,
    case_line,
    decoded,
    encoded,
    gathered,
    results_schema,
    run_line,
)
from agent_conformance.report_data.folder import ResultsLog, read_results, write_report
from agent_conformance.report_data.model import Body, RequestResult, Results, TurnResult, with_cases
from tests.report_data.made import BODIES, SHARD, case, results


def test_results_are_the_same_after_the_way_through_json():
    made = results(shard=SHARD)

    assert decoded(encoded(made), where="x") == made


def test_equal_results_give_equal_bytes_whatever_the_order_of_the_cases():
    made = results()

    assert encoded(results(*reversed(made.cases))) == encoded(made)


def test_counts_are_those_of_the_cases():
    assert results().counts == {"pass": 1, "fail": 2, "known": 1, "not-verified": 1}


def test_every_case_has_a_line_of_its_own():
    lines = encoded(results()).decode().splitlines()

    assert next(line for line in lines if '"id":"history/x@openai-chat+plain"' in line).startswith('{"id":')


def test_schema_is_the_committed_one():
    """`./dev python -m tests.docs.regenerate --figures=documents` writes it."""
    assert json.loads(PATH.read_text(encoding="utf-8")) == json.loads(json.dumps(results_schema()))


def test_what_is_written_fits_the_schema_and_what_lacks_a_field_does_not():
    schema = jsonschema_rs.validator_for(results_schema())
    written = json.loads(encoded(results(shard=SHARD)))

    assert list(schema.iter_errors(written)) == []
    assert set(written) == {field.name for field in fields(Results)}
    del written["cases"][0]["outcome"]
    assert not schema.is_valid(written)


def test_field_of_a_later_version_is_passed_over():
    written = json.loads(encoded(results()))
    written["cases"][0]["later"] = written["later"] = 1

    assert decoded(json.dumps(written).encode(), where="x") == results()


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (b"", "Input data was truncated"),
        (b"[]", "Expected `object`, got `array`"),
        (b'{"format": 1}', "at format: Invalid enum value 1"),
        (b'{"suite": {"version": "1"}, "agent": {"name": 7}}', "at agent.name: Expected `str`, got `int`"),
        (b'{"suite": {"version": "1"}, "agent": {"name": "a"}, "seconds": NaN}', "JSON is malformed"),
        (b'{"suite": {"version": "1"}, "agent": {"name": "a"}, "seconds": 1e999}', "at seconds: Number out of range"),
        (b'{"suite": {"version": "1"}, "agent": {"name": "a"}, "options": {"timeout": Infinity}}', "malformed"),
        (b'{"suite": {"version": "\xed\xa0"}}', "can't decode byte 0xed"),
        (b'{"later": ' + b"[" * 100_000, "recursion"),
    ],
)
def test_what_is_no_result_says_where(text, problem):
    with pytest.raises(BrokenResults, match=r"^here: no results of format 2: ") as broken:
        decoded(text, where="here")

    assert problem in str(broken.value)
    assert "\n" not in str(broken.value)


def grown(count: int) -> Results:
    """A case whose requests grow by a message each."""
    bodies = {
        f"{n:04}": Body(json.dumps({"messages": [f"message {i} " + "x" * 300 for i in range(n)], "stream": False}))
        for n in range(count)
    }
    requests = tuple(RequestResult(number, "reply", 200, request=id) for number, id in enumerate(bodies, 1))
    return with_cases(results(), (case(turns=(TurnResult(1, "Hello.", requests=requests),)),), bodies)


def test_what_a_request_shares_with_the_one_before_is_written_once():
    made = grown(20)
    written = json.loads(encoded(made))["bodies"]

    assert len(encoded(made)) < len(encoded(grown(0))) + 20 * 700 < sum(len(one.text) for one in made.bodies.values())
    assert (written["0003"]["base"], written["0003"]["text"][:15]) == ("0002", ', "message 2 xx')
    assert decoded(encoded(made), where="x") == made
    assert gathered([run_line(made), case_line(made.cases[0], made.bodies)], where="x") == made


@pytest.mark.parametrize(
    "change", [{"base": "none"}, {"base": "0003"}, {"base": "0004"}, {"start": 9_999}, {"end": -1}], ids=str
)
def test_body_whose_base_does_not_give_its_text_is_refused(change):
    written = json.loads(encoded(grown(5)))
    written["bodies"]["0003"] |= change

    with pytest.raises(BrokenResults, match=r"^x: body 0003 has no text"):
        decoded(json.dumps(written).encode(), where="x")


def test_file_that_unpacks_to_more_than_any_run_sends_is_refused(monkeypatch):
    monkeypatch.setattr(encoding, "MOST_UNPACKED", 5_000)

    with pytest.raises(BrokenResults, match="more than 5,000 characters"):
        decoded(encoded(grown(20)), where="x")


def test_lines_tell_the_same_as_the_file(tmp_path):
    made = results()
    log = ResultsLog(tmp_path)
    log.begin(replace(made, cases=(), bodies={}, counts={}, ended="killed", exit_code=None))
    for one in made.cases:
        log.add(case_line(one, dict(BODIES) if one.turns else {}))

    assert log.end(made) == made
    assert read_results(tmp_path / "results.ndjson") == made
    write_report(made, tmp_path)
    assert read_results(tmp_path) == made
    assert not (tmp_path / "results.ndjson").exists()


def test_a_run_that_was_killed_has_all_but_the_case_that_was_being_written(tmp_path):
    made = results()
    first, second = (case_line(one, {}) for one in made.cases[:2])
    begun = run_line(replace(made, ended="killed", exit_code=None))
    (tmp_path / "results.ndjson").write_bytes(begun + b"\n" + first + b"\n" + second[:100])

    read = read_results(tmp_path)

    assert (read.ended, read.cases, read.counts) == ("killed", made.cases[:1], {"pass": 1})


def test_case_that_ran_twice_counts_as_it_ended():
    begun = run_line(results())

    lines = [begun, case_line(case(outcome="error"), {}), case_line(case(), {})]

    assert gathered(lines, where="x").cases == (case(),)


def test_folder_without_results_is_named(tmp_path):
    with pytest.raises(BrokenResults, match=r"has no results.json. Name a folder that --agent-report="):
        read_results(tmp_path)
    with pytest.raises(BrokenResults, match="No such file or directory"):
        read_results(tmp_path / "none.json")


def test_lines_without_a_run_are_no_results(tmp_path):
    (tmp_path / "results.ndjson").write_bytes(b"\n\n")

    with pytest.raises(BrokenResults, match="no line says what run this is"):
        read_results(tmp_path)


def test_file_that_is_no_report_is_not_removed(tmp_path):
    (tmp_path / "index.html").write_text("mine")
    log = ResultsLog(tmp_path)

    log.begin(results())
    log.end(results())

    assert str(log.problem) == f"[Errno 17] is no file of a report; name another folder: '{tmp_path / 'index.html'}'"
    assert [path.name for path in tmp_path.iterdir()] == ["index.html"]
    assert (tmp_path / "index.html").read_text() == "mine"


def test_beginning_removes_what_an_earlier_run_wrote(tmp_path):
    write_report(results(), tmp_path)
    log = ResultsLog(tmp_path)

    log.begin(results())
    log.end(results())

    assert sorted(path.name for path in tmp_path.iterdir()) == ["results.ndjson"]
