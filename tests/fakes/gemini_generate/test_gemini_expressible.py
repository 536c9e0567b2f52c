"""The table of what wires cannot say, held against this encoder."""

from typing import get_args

import pytest
from gemini_requests import PLAIN, STREAM, encoded

from fakes import Call, CannotExpress, Fault, Reply
from fakes.expressible import Feature, can_express

REPLIES: dict[Feature, Reply] = {
    "arguments-not-json": Reply(calls=(Call("f", arguments_text='{"a":'),)),
    "arguments-not-object": Reply(calls=(Call("f", arguments_text="[1]"),)),
    "call-id-null": Reply(calls=(Call("f", id=None),)),
    "call-id-verbatim": Reply(calls=(Call("f", id="my-own"),)),
    "thinking": Reply(thinking="Hm.", text="Yes."),
    "finish-refusal": Reply(finish="refusal"),
    "finish-malformed": Reply(finish="malformed"),
    "finish-content-filter": Reply(finish="content_filter"),
    "error-event": Reply(text="Yes.", fault=Fault(error_event="503")),
}


@pytest.mark.parametrize(("mode", "verb"), [("plain", PLAIN), ("stream", STREAM)])
@pytest.mark.parametrize("feature", REPLIES)
def test_encoder_says_what_the_table_says(feature: Feature, mode: str, verb: str) -> None:
    if can_express(feature, wire="gemini-generate", mode=mode):
        assert encoded(REPLIES[feature], verb=verb).chunks
        return
    with pytest.raises(CannotExpress) as caught:
        encoded(REPLIES[feature], verb=verb)
    assert caught.value.feature == feature


def test_every_feature_is_tried() -> None:
    assert set(REPLIES) == set(get_args(Feature))


def test_numbers_that_are_no_json_are_not_json() -> None:
    with pytest.raises(CannotExpress) as caught:
        encoded(Reply(calls=(Call("f", arguments_text='{"a": NaN}'),)))

    assert caught.value.feature == "arguments-not-json"
