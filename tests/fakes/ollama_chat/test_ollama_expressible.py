"""The table of what wires cannot say, held against this encoder."""

from typing import get_args

import pytest
from ollama_requests import answered, chat

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


@pytest.mark.parametrize("mode", ["plain", "stream"])
@pytest.mark.parametrize("feature", REPLIES)
def test_encoder_says_what_the_table_says(feature: Feature, mode: str) -> None:
    body = chat(stream=mode == "stream")
    if can_express(feature, wire="ollama-chat", mode=mode):
        assert answered(REPLIES[feature], body).chunks
        return
    with pytest.raises(CannotExpress) as caught:
        answered(REPLIES[feature], body)
    assert caught.value.feature == feature


def test_every_feature_is_tried() -> None:
    assert set(REPLIES) == set(get_args(Feature))
