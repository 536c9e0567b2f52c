"""The one comment of a pull request: written, replaced where it is ours, and said where it cannot be."""

import json
from dataclasses import replace

import pytest

from github_steps.outcome import NotWritten, Runner, comment_body, mark_of, write_comment

NAME = "my agent --> <b>"


@pytest.fixture
def runner(api, tmp_path):
    event = tmp_path / "event.json"
    event.write_text(json.dumps({"pull_request": {"number": 7}}))
    return Runner(tmp_path, event=event, repository="owner/repo", api=api.url, token="secret-token")


def write(runner, text, name=NAME):
    return write_comment(runner, comment_body(text, name=name), name=name)


def test_comment_is_written_once_and_then_replaced(api, runner) -> None:
    assert [write(runner, text) for text in ("one", "two", "three")] == ["written", "replaced", "replaced"]

    assert api.bodies == [f"{mark_of(NAME)}\nthree\n"]
    assert api.tokens == {"Bearer secret-token"}


def test_each_name_has_a_comment_of_its_own(api, runner) -> None:
    write(runner, "one", "a")
    write(runner, "two", "b")

    assert len(api.bodies) == 2
    assert mark_of("a") != mark_of("b")


def test_comment_on_a_later_page_is_found(api, runner) -> None:
    for number in range(250):
        api.add(f"comment {number}", "somebody")
    write(runner, "one")

    assert write(runner, "two") == "replaced"
    assert len(api.bodies) == 251


def test_comment_of_somebody_else_with_the_mark_is_not_touched(api, runner) -> None:
    api.add(f"{mark_of(NAME)}\nmine, says somebody", "somebody")
    api.add(f"a quote of {mark_of(NAME)}")

    assert write(runner, "one") == "written"
    assert api.bodies[0].endswith("mine, says somebody")


def test_token_of_a_person_replaces_the_comment_of_that_person(api, runner) -> None:
    api.login = "mara"
    write(runner, "one")

    assert write(runner, "two") == "replaced"
    assert api.comments[0]["user"]["login"] == "mara"


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_token_of_a_fork_that_may_not_write_is_said(api, runner, method) -> None:
    api.forbidden = method

    with pytest.raises(NotWritten, match="pull requests from forks"):
        write(runner, "one")


def test_replacing_that_is_forbidden_is_said(api, runner) -> None:
    write(runner, "one")
    api.forbidden = "PATCH"

    with pytest.raises(NotWritten, match="pull requests from forks"):
        write(runner, "two")


@pytest.mark.parametrize("status", [500, 302, 422])
def test_other_answers_are_said(api, runner, status) -> None:
    api.status = status

    with pytest.raises(NotWritten, match=f"answered {status}"):
        write(runner, "one")


def test_server_that_is_not_there_is_said(runner) -> None:
    with pytest.raises(NotWritten, match="ConnectError"):
        write(replace(runner, api="http://127.0.0.1:1"), "one")


def test_without_a_token_or_a_pull_request_nothing_is_sent(api, runner) -> None:
    with pytest.raises(NotWritten, match="there is no token"):
        write(replace(runner, token=""), "one")
    with pytest.raises(NotWritten, match="no pull request"):
        write(replace(runner, event=None), "one")
    assert api.requests == []


def test_mark_shows_nothing_of_the_name() -> None:
    assert mark_of(NAME).count("-->") == 1
    assert "<b>" not in mark_of(NAME)


def test_body_is_no_longer_than_github_takes_and_links_to_the_report() -> None:
    long = comment_body("x" * 100_000, name=NAME, report_url="https://github.com/o/r/1")

    assert len(long) < 65_536
    assert "\n\n(cut)\n\n[The report](https://github.com/o/r/1)\n" in long
    assert "javascript" not in comment_body("x", name=NAME, report_url="javascript:alert(1)")
