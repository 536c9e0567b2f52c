import base64
import json
from collections.abc import Iterator

import pytest

from fake_providers.replies.text_events import FIRST_MARK, LONGEST_KEPT, TIMES, kept_but_for_ids, text_events
from fake_providers.reply import pieces

TEXT = "Oslo has seven degrees and some rain."


def test_given_pieces_are_kept_unless_the_split_is_another():
    assert pieces("Oslo", "given", given=("O", "slo")) == ("O", "slo")
    assert pieces("Oslo", "whole", given=("O", "slo")) == ("Oslo",)


def test_a_text_without_pieces_of_its_own_is_cut_as_the_provider_cuts():
    assert pieces(TEXT, "given", size=5) == pieces(TEXT, "provider", size=5) != (TEXT,)


@pytest.mark.parametrize("text", ['"Rain" \\ <b>\n\u2028\x00é😀', "half a character: \ud800", "", "rain " * 2000])
def test_the_events_of_a_text_have_its_pieces_as_json(text: str) -> None:
    for _ in range(2):  # the second time they are kept
        events = text_events(text, '{"delta":', "}", split="provider", size=7)

        assert [json.loads(event)["delta"] for event in events] == list(pieces(text, "provider", size=7))


@pytest.mark.parametrize(
    "text", ['"Rain" <b>\n\x00é😀', "half a character: \ud800", "", chr(FIRST_MARK), chr(FIRST_MARK + 1)]
)
def test_kept_events_have_the_ids_of_each_time(text: str) -> None:
    def events(text: str, ids: tuple[str, ...], number: int) -> Iterator[str]:
        yield json.dumps({"id": ids[0], "cut": ids[1][2:4], "text": text, "number": number}, ensure_ascii=False)
        yield f"{ids[1]}, {ids[0]}"

    kept = kept_but_for_ids(events)

    for ids in (("call_abc", "padding"), ("call_xyz", "letters"), ("short", "ab"), ("", "")) * (TIMES + 1):
        for number in (1, 2):
            expected = [event.encode(errors="backslashreplace") for event in events(text, ids, number)]
            assert list(kept(text, ids, number)) == expected


def test_short_texts_alone_are_kept():
    made: list[str] = []

    def events(text: str, ids: tuple[str, ...]) -> Iterator[str]:
        made.append(ids[0])
        yield f"{ids[0]}, {ids[1][1:]}: {text}"

    kept = kept_but_for_ids(events)
    for text in ("Rain.", "r" * (LONGEST_KEPT + 1)):
        made.clear()
        for id in ("one",) * TIMES + ("two", "six"):
            assert kept(text, (id, f"-{id}")) == (f"{id}, {id}: {text}".encode(),)
        assert made[:TIMES] == ["one"] * TIMES  # a text that is sent once is made once
        assert ("six" in made) is (len(text) > LONGEST_KEPT)


def test_an_id_that_is_encoded_is_made_anew_each_time():
    @kept_but_for_ids
    def events(text: str, ids: tuple[str, ...]) -> Iterator[str]:
        yield f"{text} {base64.b64encode(ids[0].encode()).decode()} {len(ids[0])}"

    for id in ("one", "two", "six") * TIMES:
        assert events("Rain.", (id,)) == (f"Rain. {base64.b64encode(id.encode()).decode()} 3".encode(),)
