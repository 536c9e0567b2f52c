"""The table of what wires cannot say, held against this encoder."""

from typing import get_args

import pytest
from anthropic_requests import encoded

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
    "error-event": Reply(text="Yes.", fault=Fault(error_event="529")),
}


@pytest.mark.parametrize("mode", ["plain", "stream"])
@pytest.mark.parametrize("feature", REPLIES)
def test_encoder_says_what_the_table_says(feature: Feature, mode: str) -> None:
    if can_express(feature, wire="anthropic-messages", mode=mode):
        assert encoded(REPLIES[feature], stream=mode == "stream").chunks
        return
    with pytest.raises(CannotExpress) as caught:
        encoded(REPLIES[feature], stream=mode == "stream")
    assert caught.value.feature == feature


def test_every_feature_is_tried() -> None:
    assert set(REPLIES) == set(get_args(Feature))


@pytest.mark.parametrize("text", ["", '{"a": NaN}', "{" * 5000])
def test_what_is_no_json_is_said_in_streams_only(text: str) -> None:
    reply = Reply(calls=(Call("f", arguments_text=text),))

    with pytest.raises(CannotExpress) as caught:
        encoded(reply)

    assert caught.value.feature == "arguments-not-json"
    assert encoded(reply, stream=True).chunks
