"""Files and folders: ids, areas, short forms, lines and clashes."""

from pathlib import Path

import pytest
from scenario_mistakes import RIGHT

from agent_conformance.scenario.loading import ScenarioFile, find_clashes, load_file, load_folder

SMALL = "# why\ndescription: a fact\nprofile: core\nconversation:\n  - user: Hello.\n    model: [{text: Hi.}]\n"


def write(root: Path, name: str, text: str = SMALL) -> Path:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_id_is_area_and_file_name(load):
    loaded = load(RIGHT, "tool-names/invented-name.yaml")

    assert (loaded.id, loaded.area) == ("tool-names/invented-name", "tool-names")


def test_comment_on_top_is_kept_without_the_line_for_editors(load):
    assert load(RIGHT).comment == "A comment that argues."


def test_short_forms_are_written_out(load):
    scenario = load(RIGHT).rows[None]
    expect = scenario.conversation[0].expect

    assert scenario.tools[0].parameters == {
        "type": "object",
        "properties": {"city": {"type": "string"}},
        "required": ["city"],
    }
    assert expect.reply.equals == "It is 7 degrees in Oslo."
    assert expect.executed.in_order == []


def test_number_of_requests_is_a_range(load):
    scenario = load(RIGHT.replace("executed: []", "request_count: 2")).rows[None]

    assert (scenario.conversation[0].expect.request_count.min, scenario.conversation[0].expect.request_count.max) == (
        2,
        2,
    )


@pytest.mark.parametrize(
    "schema",
    [
        "{type: object, properties: {city: {type: string}}}",
        "{type: object, properties: {city: true}}",
        "{type: object}",
        "{type: object, additionalProperties: false}",
        "{properties: {city: {type: string}}}",
        "{$ref: '#/$defs/x', $defs: {x: {type: object}}}",
        "{anyOf: [{type: object}]}",
    ],
)
def test_json_schema_is_left_as_it_is(load, schema: str):
    parameters = load(RIGHT.replace("{city: string}", schema)).rows[None].tools[0].parameters

    assert "required" not in parameters
    assert set(parameters) <= {"type", "properties", "additionalProperties", "$ref", "$defs", "anyOf"}


@pytest.mark.parametrize(
    "short", ["{type: string}", "{properties: object}", "{city: true}", "{city: {type: string, enum: [Oslo]}}"]
)
def test_short_form_may_name_a_parameter_like_a_keyword(load, short: str):
    parameters = load(RIGHT.replace("{city: string}", short)).rows[None].tools[0].parameters

    assert len(parameters["properties"]) == 1
    assert parameters["required"] == list(parameters["properties"])


def test_tool_without_parameters_takes_none(load):
    parameters = load(RIGHT.replace("    parameters: {city: string}\n", "")).rows[None].tools[0].parameters

    assert parameters == {"type": "object", "properties": {}}


def test_result_in_the_history_is_named_after_its_call(load):
    assert load(RIGHT).rows[None].history[2].tool.name == "get_weather"


def test_orphan_result_in_the_history_stays_unnamed(load):
    assert load(RIGHT.replace("- tool: {id: c1", "- tool: {id: c2")).rows[None].history[2].tool.name is None


def test_line_of_a_path_passes_over_what_a_short_form_left_unwritten(load):
    loaded = load(RIGHT)

    assert loaded.line_of(("conversation", 0, "expect", "executed", "in_order")) == 26
    assert loaded.line_of(("conversation", 0, "expect", "reply", "equals")) == 27
    assert loaded.line_of(("conversation", 0, "model", 1, "text")) == 23
    assert loaded.line_of(()) == 3


def test_digest_changes_with_what_is_played_alone(load):
    digest = load(RIGHT).digest

    assert (
        load(RIGHT.replace("that argues", "that says more").replace("example.com/1", "example.com/2")).digest == digest
    )
    assert load(RIGHT.replace("blank: false", "blank: true")).digest != digest


def test_broken_file_leaves_the_others_intact(tmp_path: Path):
    write(tmp_path, "finish/a.yaml")
    write(tmp_path, "finish/b.yaml", "description: [\n")
    write(tmp_path, "loops/c.yaml")

    files, problems = load_folder(tmp_path)

    assert [file.id for file in files] == ["finish/a", "loops/c"]
    assert [Path(problem.file).name for problem in problems] == ["b.yaml"]


def test_file_that_cannot_be_read_is_a_problem(tmp_path: Path):
    (tmp_path / "finish" / "a.yaml").mkdir(parents=True)

    [problem] = load_file(tmp_path / "finish" / "a.yaml", root=tmp_path)

    assert problem.message == "the file cannot be read: Is a directory."


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("a.yaml", "the file lies in no area. Put it into a folder below: the folder is its area."),
        ("finish/deep/a.yaml", "the file lies 2 folders deep (finish/deep); an area is one folder."),
        ("finish/a.yml", "the file ends in `.yml`. Rename it to `a.yaml`."),
        (
            "finish/A_b.yaml",
            "the file is named `A_b`. A name has lower-case words or digits, with dashes: `parallel-calls`.",
        ),
        (
            "My Area/a.yaml",
            "the folder is named `My Area`. A name has lower-case words or digits, with dashes: `parallel-calls`.",
        ),
    ],
)
def test_misplaced_file_is_a_problem(tmp_path: Path, name: str, message: str):
    write(tmp_path, name)

    files, problems = load_folder(tmp_path)

    assert not files
    assert [problem.message for problem in problems] == [message]


def test_hidden_files_and_other_files_are_left_out(tmp_path: Path):
    write(tmp_path, "finish/.a.yaml", "broken: [")
    write(tmp_path, ".git/a.yaml", "broken: [")
    write(tmp_path, "finish/README.md", "broken: [")

    assert load_folder(tmp_path) == ((), ())


def test_area_outside_the_list_is_a_problem_where_there_is_a_list(tmp_path: Path):
    write(tmp_path, "finsh/a.yaml")

    _, problems = load_folder(tmp_path, areas=("finish", "loops"))

    assert [problem.message for problem in problems] == [
        "`finsh` is no area. Did you mean `finish`? Allowed: `finish`, `loops`."
    ]
    assert load_folder(tmp_path)[1] == ()


def test_two_files_with_one_id_are_a_problem(tmp_path: Path):
    one = load_file(write(tmp_path / "ours", "finish/a.yaml"), root=tmp_path / "ours")
    two = load_file(write(tmp_path / "theirs", "finish/a.yaml"), root=tmp_path / "theirs")
    assert isinstance(one, ScenarioFile)
    assert isinstance(two, ScenarioFile)

    [problem] = find_clashes([one, two])

    assert problem.file.endswith("theirs/finish/a.yaml")
    assert problem.message.startswith("the id `finish/a` is also that of ")
    assert problem.message.endswith("ours/finish/a.yaml. Rename one.")


def test_former_id_of_another_file_is_a_problem_at_its_line(tmp_path: Path):
    write(tmp_path, "finish/a.yaml")
    write(tmp_path, "finish/b.yaml", SMALL.replace("profile: core", "profile: core\nformerly:\n  - finish/a"))

    files, [problem] = load_folder(tmp_path)

    assert [file.id for file in files] == ["finish/a"]
    assert problem.line == 5
    assert problem.message.startswith("the former id `finish/a` is that of ")
