"""A scenario is read by msgspec, and a walk says what is wrong with it: both take and refuse the same."""

import copy
import random
from collections.abc import Iterator
from typing import Any

import pytest
from msgspec import ValidationError

from agent_conformance.scenario.base_model import ImageSpec, PartSpec
from agent_conformance.scenario.files import bundled_scenarios
from agent_conformance.scenario.loading import scenario_paths
from agent_conformance.scenario.model import (
    CallSpec,
    HistoryMessage,
    RequestExpectation,
    Scenario,
    TextExpectation,
    ToolSpec,
    Turn,
)
from agent_conformance.scenario.yaml_files.examples import fill_in, write_out
from agent_conformance.scenario.yaml_files.reading import read, read_data
from agent_conformance.scenario.yaml_files.repetitions import write_out_repetitions
from agent_conformance.scenario.yaml_files.validation_messages import flaws_in, messages_of

OTHERS: tuple[Any, ...] = (
    None,
    True,
    0,
    -1,
    7,
    1.0,
    1.5,
    10**30,
    "x",
    "first",
    "\ud800",
    [],
    {},
    ["x"],
    {"x": 1},
    [{}],
)


def documents() -> Iterator[Any]:
    for path in scenario_paths(bundled_scenarios()):
        for data in fill_in(write_out_repetitions(read(read_data(path)))).data.values():
            write_out(data)
            yield data
            break


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Each container in the value, with a key of it."""
    for key in value if isinstance(value, dict) else range(len(value)):
        yield value, key
        if isinstance(value[key], dict | list):
            yield from places(value[key])


def wrong(document: Any, source: random.Random) -> Any:
    """The document with another value, one field less, or one more."""
    other = copy.deepcopy(document)
    holder, key = source.choice(list(places(other)))
    change = source.randrange(6)
    if change == 0 and isinstance(holder, dict):
        del holder[key]
    elif change == 1 and isinstance(holder, dict):
        holder[source.choice(["name", "text", "made_up"])] = source.choice(OTHERS)
    else:
        holder[key] = source.choice(OTHERS)
    return other


def is_read(data: Any, kind: Any) -> bool:
    try:
        kind.read(data)
    except ValidationError:
        return False
    return True


def test_both_refuse_the_same_of_changed_scenarios() -> None:
    source = random.Random(7)
    changed = [wrong(document, source) for document in documents() for _ in range(4)]
    differing = [one for one in changed if is_read(one, Scenario) != (not list(flaws_in(one, Scenario)))]

    assert not differing
    assert 0.2 < sum(is_read(one, Scenario) for one in changed) / len(changed) < 0.8


@pytest.mark.parametrize(
    ("kind", "data", "said"),
    [
        (PartSpec, {"text": "Look.", "image": {"width": 1, "height": 1}}, "exactly one of"),
        (ImageSpec, {"width": 9_999, "height": 9_999, "media_type": "gif"}, "a GIF has at most"),
        (CallSpec, {"name": "f", "arguments": {}, "arguments_text": "{}"}, "both given"),
        (HistoryMessage, {"user": "Hello.", "system": None}, "exactly one of"),
    ],
)
def test_what_fields_must_agree_on_is_said_by_both(kind: Any, data: Any, said: str) -> None:
    with pytest.raises(ValidationError, match=said) as raised:
        kind.read(data)

    ((_, sentence),) = messages_of(raised.value, data, kind)
    assert said in sentence


def test_a_text_with_half_a_character_is_none_of_the_words() -> None:
    data = {"at": "last", "thinking": "\ud800"}

    with pytest.raises(ValidationError) as raised:
        RequestExpectation.read(data)

    assert messages_of(raised.value, data, RequestExpectation) == [
        (("thinking",), "`thinking` is the text `\ud800`. Allowed: `kept`, `absent`.")
    ]


def test_fields_are_known_as_written_also_where_they_say_the_default() -> None:
    tool = ToolSpec.read({"name": "f", "description": "Does.", "returns": None})

    assert tool.given == {"name", "description", "returns"}
    assert tool.data(only_given=True) == {"name": "f", "description": "Does.", "returns": None}
    assert tool.changed({"delay": 0}).given == tool.given | {"delay"}
    assert TextExpectation(contains=["x"], lacks=[]).given == {"contains"}


def test_parts_within_parts_know_what_was_written() -> None:
    turn = Turn.read({"user": "Go.", "model": [{"calls": [{"name": "f", "id": None}]}]})

    assert turn.model[0].calls[0].given == {"name", "id"}
    assert turn.expect.given == set()
