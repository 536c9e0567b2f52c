import json

import pytest

from fake_providers.replies import text_events
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
