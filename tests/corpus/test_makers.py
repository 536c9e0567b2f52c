"""Whose models write what a case is about: where an agent can fail for the text of a reply, `written_by` says it."""

import re
from collections.abc import Iterator

import pytest

from agent_conformance.scenario.loading import ScenarioFile
from agent_conformance.scenario.model import CallSpec, ReplySpec, Scenario
from fake_providers.values.json_texts import read_json
from tests.bundled import bundled_files
from tests.docs.dialects import dialects
from tests.tables import rows

FILES = bundled_files()
EACH = rows("file", FILES, ids=lambda file: file.id, group=lambda file: file.area)
LINK = re.compile(r"https://[^\s,;]+[^\s,;.]")
MARKERS = frozenset(marker for dialect in dialects() for marker in dialect.markers)


def odd_texts(scenario: Scenario) -> Iterator[str]:
    """What stands in the model's replies and is neither prose to show nor a call in the words of the wire.

    A text of which nothing is said is prose where the case demands some reply of its turn.
    """
    for turn in scenario.conversation:
        for reply in turn.model:
            if reply.means is not None and reply.means.handling != "show":
                yield f"a text to {reply.means.handling}: {reply.text!r}"
            elif reply.means is None and turn.expect.reply is None and is_like_a_call(reply.text or ""):
                yield f"a text in the form of a call: {reply.text!r}"
            for call in reply.calls:
                yield from odd_call(call, reply)


def is_like_a_call(text: str) -> bool:
    return any(marker in text for marker in MARKERS)


def odd_call(call: CallSpec, reply: ReplySpec) -> Iterator[str]:
    if "id" in call.given and not call.id:
        yield f"a call with the id {call.id!r}"
    # A text that the token limit has cut off is no fault of the model: it cuts each one's.
    if call.arguments_text is not None and reply.finish != "length" and not is_object(call.arguments_text):
        yield f"arguments that are no object: {call.arguments_text!r}"


def is_object(text: str) -> bool:
    try:
        return isinstance(read_json(text, strict=True), dict)
    except ValueError:
        return False


@EACH
def test_who_writes_an_odd_text_is_named(file: ScenarioFile) -> None:
    unnamed = [
        (row, text)
        for row, scenario in file.rows.items()
        if not (scenario.written_by or scenario.providers)
        for text in odd_texts(scenario)
    ]

    assert unnamed == [], "name in `written_by` whose models write this, or `providers` that send it"


@EACH
def test_each_who_is_named_has_a_source(file: ScenarioFile) -> None:
    """A link for each: the example's `source`, and those in the comment on top."""
    lacking = [
        (row, scenario.written_by)
        for row, scenario in file.rows.items()
        if len({*LINK.findall(file.comment), *filter(None, [scenario.source])}) < len(scenario.written_by or ())
    ]

    assert lacking == [], "say in the comment, with a link, who has seen such a text of each"


@pytest.mark.parametrize(
    ("text", "is_one"), [('{"city": "Oslo"}', True), ('{"city": NaN}', False), ("[]", False), ("", False)]
)
def test_object_is_told_from_other_arguments(text: str, is_one: bool) -> None:
    assert is_object(text) is is_one
