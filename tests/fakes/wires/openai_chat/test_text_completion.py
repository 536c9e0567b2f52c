"""A reply of text alone has the same bytes as one that is encoded in whole."""

import pytest

from fake_providers import Reply
from fake_providers.http import AS_ESCAPE, compact
from fake_providers.replies.text_events import LONGEST_KEPT
from fake_providers.wires.openai_chat.response import completion, text_completion
from tests.fakes.wires.openai_chat.chat_requests import TOOL, USER, chat, context

REPLIES = (
    Reply(text="It is 7 degrees."),
    Reply(text=""),
    Reply(text='"é" \\ \n \ud800'),
    Reply(text="I cannot.", finish="refusal"),
    Reply(text="It is", finish="length"),
    Reply(text="It is", finish="none"),
    Reply(text="x" * (LONGEST_KEPT + 1)),
)


@pytest.mark.parametrize("model", ["gpt-4.1", "gpt-5", 'a "model" \ud800'])
def test_text_alone_is_encoded_like_any_completion(model: str) -> None:
    for reply in (*REPLIES, *REPLIES):
        assert reply.is_text_alone
        body = chat(USER, model=model, tools=[TOOL])
        expected = compact(completion(reply, context(body))).encode(errors=AS_ESCAPE)
        assert text_completion(reply, context(body)).encode(errors=AS_ESCAPE) == expected
