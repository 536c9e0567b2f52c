"""The JSON of a plain completion that has a text and no calls, which most have: what is the same in all is not encoded
again. `response.completion` says how a completion looks.
"""

from functools import lru_cache
from typing import Final

from fake_providers.http import compact
from fake_providers.ids import Ids
from fake_providers.reply import Reply
from fake_providers.wire import ReplyContext
from fake_providers.wires.openai_chat.completion_parts import finish_reason, head, message, usage_text

LONGEST_KEPT: Final = 4_000
"""Characters of a text beyond which it is encoded each time."""
NO_IDS: Final = Ids("")
"""For replies without calls, which need none."""


def is_text_alone(reply: Reply) -> bool:
    return reply.text is not None and reply.thinking is None and not reply.calls and not reply.quirks


def text_completion(reply: Reply, context: ReplyContext) -> str:
    """Of a reply that is text alone."""
    first = head(context)
    said = _message(reply.text or "", reply.finish == "refusal")
    # Models that reason have neither.
    logprobs = "" if first["system_fingerprint"] is None else '"logprobs":null,'
    return (
        f'{{"id":"{first["id"]}","object":"chat.completion","created":{first["created"]},'
        f'"model":{compact(first["model"])},"choices":[{{"index":0,"message":{said},{logprobs}'
        f'"finish_reason":{_quoted(finish_reason(reply, context))}}}],"usage":{usage_text(reply, context)},'
        f'"service_tier":{_quoted(first["service_tier"])},"system_fingerprint":{_quoted(first["system_fingerprint"])}}}'
    )


def _message(text: str, is_refusal: bool) -> str:
    return _kept_message(text, is_refusal) if len(text) <= LONGEST_KEPT else _encoded_message(text, is_refusal)


def _encoded_message(text: str, is_refusal: bool) -> str:
    return compact(message(Reply(text=text, finish="refusal" if is_refusal else None), NO_IDS))


_kept_message = lru_cache(maxsize=16)(_encoded_message)
"""Scripts repeat their last text for as long as somebody asks."""


def _quoted(word: str | None) -> str:
    return "null" if word is None else f'"{word}"'
