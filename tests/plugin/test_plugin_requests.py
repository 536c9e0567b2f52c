"""`requests/NAME.json` is a test: its provider must accept the body, in each run."""

import json

import pytest

pytest_plugins = ["pytester"]

RIGHT = {"model": "gpt-4.1", "messages": [{"role": "user", "content": "Hi."}]}
WRONG = {**RIGHT, "tools": []}


def put(project, name: str, **members: object) -> None:
    path = project.path / "requests" / f"{name}.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(members, indent=0))
    project.scenario("area/greeting")


def test_accepted_body_passes_and_refused_body_fails(project):
    put(project, "right", provider="openai", body=RIGHT)
    put(project, "wrong", provider="openai", body=WRONG, source="https://example.com/7")

    result = project.run()

    result.assert_outcomes(passed=5, failed=1)
    result.stdout.fnmatch_lines(
        [
            "requests/wrong: openai refuses this body by openai/tools-empty",
            "  at        tools",
            "  refused   400 *",
            "  source    https://example.com/7",
        ]
    )


@pytest.mark.parametrize(
    ("members", "expected"),
    [
        ({"provider": "opnai", "body": RIGHT}, "there is no provider `opnai`"),
        ({"provider": "openai", "body": [1]}, "`body` is no object"),
        ({"provider": ["openai"], "body": RIGHT}, "there is no provider `['openai']`"),
        ({"provider": "openai", "body": RIGHT, "bdy": 1}, "`bdy` is no member of a request. Expected"),
        (
            {"providr": "openai", "body": WRONG},
            "broken.json:2: `providr` is no member of a request. Did you mean `provider`?",
        ),
        ({"provider": "openai", "Body": WRONG}, "`Body` is no member of a request. Did you mean `body`?"),
        ({"porvider": "openai", "boddy": WRONG}, "`porvider` is no member of a request. Did you mean `provider`?"),
        (
            {"provider": "openai", "body": WRONG, "paht": "/v1"},
            "`paht` is no member of a request. Did you mean `path`?",
        ),
        ({"provider": "groq", "body": {"contents": []}}, "groq has no wire that this body looks like"),
        ({"provider": "openai", "body": RIGHT, "path": "/v9"}, "openai has no wire at /v9"),
    ],
)
def test_file_that_cannot_be_judged_says_why(project, members, expected):
    put(project, "broken", **members)

    result = project.run("requests")

    result.assert_outcomes(failed=1)
    assert expected in result.stdout.str()


def test_file_that_is_no_json_any_more_is_an_error(project):
    put(project, "cut", provider="openai", body=WRONG)
    path = project.path / "requests" / "cut.json"
    path.write_text(path.read_text()[:-1])

    result = project.run("requests")

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*requests/cut.json:13: this is not JSON from column [0-9]* on: *"])


def test_files_of_other_people_are_left_alone(project):
    put(project, "theirs", url="https://example.com", method="GET")
    put(project, "posted", url="https://example.com", body={"a": 1}, path="/a")
    put(project, "bare", **WRONG)
    put(project, "provided", providers=["a"], model="b")
    (project.path / "requests" / "broken.json").write_text('{"body": ')

    project.run().assert_outcomes(passed=4)


def test_ids_and_filters_choose_no_request(project):
    put(project, "wrong", provider="openai", body=WRONG)

    project.run("area/greeting").assert_outcomes(passed=4)
    project.run("--agent-case=area/greeting").assert_outcomes(passed=4)


def test_typed_file_is_the_only_test(project):
    put(project, "wrong", provider="openai", body=WRONG)

    project.run("requests/wrong.json").assert_outcomes(failed=1)
