"""What a request asks of the choices of a completion: how many there are, and the log probabilities of their tokens."""

import json
from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import Any

from fake_providers.http import AS_ESCAPE, Response, compact
from fake_providers.values.tokens import likely_tokens
from fake_providers.wires.openai_shared.request_body import Chunk, event, parsed_event

MOST_CHOICES = 128
"""OpenAI's limit; providers whose own is not known get as many at most."""


def choices_asked(body: Any) -> int:
    """How many choices: one, where the request does not say."""
    asked = body.get("n") if isinstance(body, dict) else None
    return min(asked, MOST_CHOICES) if isinstance(asked, int) and asked > 1 else 1


def alternatives_asked(body: Any) -> int | None:
    """How many of the likeliest tokens stand beside each token; None where no log probabilities are asked for."""
    if not isinstance(body, dict) or body.get("logprobs") is not True:
        return None
    most = body.get("top_logprobs")
    return max(0, min(most, MOST_CHOICES)) if isinstance(most, int) else 0


def logprobs_of(text: str, alternatives: int, *, size: int) -> list[dict[str, Any]]:
    """One entry for each piece of the text of `size` characters."""
    return [
        {**_entry(found.token, found.logprob), "top_logprobs": [_entry(*other) for other in found.likeliest]}
        for found in likely_tokens(text, alternatives, size=size)
    ]


def _entry(token: str, logprob: float) -> dict[str, Any]:
    return {"token": token, "logprob": logprob, "bytes": list(token.encode(errors="replace"))}


def joined(responses: Sequence[Response], *, streamed: bool) -> Response:
    """One response with a choice of each of these, which are right and have one choice each."""
    first = responses[0]
    if not streamed:
        bodies = [json.loads(response.body) for response in responses]
        choices = [{**body["choices"][0], "index": index} for index, body in enumerate(bodies)]
        body = {**bodies[0], "choices": choices, **_summed(bodies)}
        return Response(first.status, first.headers, (compact(body).encode(errors=AS_ESCAPE),))
    lists = [[parsed_event(chunk) for chunk in response.chunks] for response in responses]
    last = [max((at for at, one in enumerate(each) if _has_choice(one)), default=-1) for each in lists]
    events: list[Chunk] = []
    for step in zip_longest(*(each[: end + 1] for each, end in zip(lists, last, strict=True))):
        for index, one in enumerate(step):
            if _has_choice(one):
                events.append({**one, "id": _id_of(lists[0]), "choices": [{**one["choices"][0], "index": index}]})
            elif index == 0 and one is not None:
                events.append(one)
    for at, one in enumerate(lists[0][last[0] + 1 :], last[0] + 1):
        tails = [each[end + 1 + at - last[0] - 1] for each, end in zip(lists, last, strict=True)]
        events.append({**one, **_summed(tails)} if isinstance(one, dict) else one)
    return Response(first.status, first.headers, tuple(event(one) for one in events))


def _has_choice(one: Any) -> bool:
    return isinstance(one, dict) and bool(one.get("choices"))


def _id_of(events: Sequence[Any]) -> Any:
    return next((one["id"] for one in events if _has_choice(one) and one.get("id")), None)


def _summed(bodies: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The usage of all: the prompt is counted once."""
    usages = [body.get("usage") for body in bodies]
    if not all(isinstance(usage, dict) and "completion_tokens" in usage for usage in usages):
        return {}
    written = sum(usage["completion_tokens"] for usage in usages if usage)
    first = usages[0] or {}
    return {"usage": {**first, "completion_tokens": written, "total_tokens": first.get("prompt_tokens", 0) + written}}
