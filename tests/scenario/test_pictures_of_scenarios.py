"""Parts and pictures in a scenario: what is read, what they need of an agent, and each mistake at its line."""

import pytest
from scenario_mistakes import RIGHT, Mistake

from agent_conformance.scenario.derived.pictures import doubtful_parts
from agent_conformance.scenario.derived.routes import features_needed
from agent_conformance.scenario.loading import ScenarioFile

RETURNS = "    returns: 7 degrees"
CONTENT = "    content: [{text: a map}, {image: {width: 64, height: 64}}]"
IN_RESULTS = "    results: [7 degrees, {parts: [{image: {width: 64, height: 64}}]}]"
EXPECTED = "tools: [get_weather], added"
IMAGES = "tools: [get_weather], images: 1, added"

MISTAKES = {
    "content beside returns": Mistake(
        RETURNS, f"{RETURNS}\n{CONTENT}", 12, "the tool `get_weather` has `returns`, `content`. Keep one."
    ),
    "a part of two kinds": Mistake(
        RETURNS,
        "    content: [{text: a map, image: {width: 1, height: 1}}]",
        11,
        "a part has exactly one of `text`, `image`.",
    ),
    "no part": Mistake(RETURNS, "    content: []", 11, "`content` is empty; it has at least one entry."),
    "an unknown field of a picture": Mistake(
        RETURNS,
        "    content: [{image: {width: 1, height: 1, format: png}}]",
        11,
        "`format` is no field of a picture. Allowed: `width`, `height`, `media_type`.",
    ),
    "an unknown format": Mistake(
        RETURNS,
        "    content: [{image: {width: 1, height: 1, media_type: bmp}}]",
        11,
        "`media_type` is the text `bmp`. Allowed: `png`, `jpeg`, `gif`, `svg`, `unreadable`.",
    ),
    "a picture that is too wide": Mistake(
        RETURNS,
        "    content: [{image: {width: 20000, height: 1}}]",
        11,
        "`width` is 20000; it is at most 10000.",
    ),
    "a GIF that is too large": Mistake(
        RETURNS,
        "    content: [{image: {width: 3000, height: 3000, media_type: gif}}]",
        11,
        "a GIF has at most 4,000,000 pixels here. Take a PNG or a JPEG.",
    ),
    "a part that is none in a result": Mistake(
        RETURNS, "    results: [{parts: [{picture: 1}]}]", 11, "this is no part of a result. `parts` is a list of"
    ),
    "a part that is none in the history": Mistake(
        "result: 20 degrees", "result: {parts: a map}", 16, "this is no part of a result. `parts` is a list of"
    ),
    "a picture from nowhere": Mistake(
        EXPECTED, IMAGES, 28, "`images` expects pictures, and no tool, user or history of this scenario has one."
    ),
}


@pytest.mark.parametrize("mistake", [pytest.param(mistake, id=name) for name, mistake in MISTAKES.items()])
def test_mistake_in_parts_is_one_sentence_at_its_line(load, mistake: Mistake):
    problems = load(mistake.text)

    assert isinstance(problems, list)
    assert [(problem.line, problem.message.startswith(mistake.message)) for problem in problems] == [
        (mistake.line, True)
    ]


@pytest.mark.parametrize(
    ("found", "put", "needed"),
    [
        (RETURNS, CONTENT, set()),
        ("user: Good morning.", "user: [{text: Good morning.}, {image: {width: 8, height: 8}}]", {"user-images"}),
        ("result: 20 degrees", "result: {parts: [{image: {width: 8, height: 8}}]}", set()),
    ],
)
def test_only_a_picture_of_the_user_needs_a_feature(load, found: str, put: str, needed: set[str]):
    before, after = load(RIGHT), load(RIGHT.replace(found, put), "tools/with-picture.yaml")

    assert features_needed(only_row(after)) - features_needed(only_row(before)) == needed


@pytest.mark.parametrize("put", [CONTENT, IN_RESULTS])
def test_expected_pictures_of_a_tool_need_the_feature(load, put: str):
    loaded = load(RIGHT.replace(RETURNS, put).replace(EXPECTED, IMAGES))

    assert "images" in features_needed(only_row(loaded))


@pytest.mark.parametrize(
    ("returns", "lines"),
    [
        ("[{type: image, data: abc}]", [11]),
        ("{parts: [{image: {width: 1, height: 1}}]}", [11]),
        ("{parts: [wheel, door]}", []),
        ("[{text: rain}]", []),
    ],
)
def test_json_that_looks_like_a_picture_is_doubtful(load, returns: str, lines: list[int]):
    loaded = load(RIGHT.replace(RETURNS, f"    returns: {returns}"))

    assert [loaded.line_of(path) for path, _ in doubtful_parts(only_row(loaded))] == lines


def only_row(loaded: object):
    assert isinstance(loaded, ScenarioFile), loaded
    return loaded.rows[None]
