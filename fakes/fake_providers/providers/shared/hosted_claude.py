"""Claude under the roof of another cloud: Anthropic's own rules and responses, on its paths and with its keys."""

import json
from collections.abc import Callable
from typing import Any

from fake_providers import remedies
from fake_providers.http import Request
from fake_providers.models import families_of
from fake_providers.rule import Citation, Violation
from fake_providers.rulebook import ANY_PARAMETER, RenamedBook, Rulebook, bodiless_rule
from fake_providers.wires.anthropic_messages.errors import envelope
from fake_providers.wires.anthropic_messages.provider import Answers, Provider, as_it_is
from fake_providers.wires.anthropic_messages.response import call_id
from fake_providers.wires.anthropic_messages.rules import CONVERSATION, FIELDS
from fake_providers.wires.openai_shared.provider_errors import context_length_rule
from fake_providers.wires.openai_shared.request_body import body_of

LEFT_OUT = frozenset(("stop_details", "caller", "inference_geo", "output_tokens_details"))


def hosted(
    name: str,
    evidence: tuple[Citation, ...],
    *,
    base_path: str,
    id_prefix: str,
    request_ids: str,
    key_sentence: str,
    path: str = "",
    own_request: Callable[[Request], Request | None] = as_it_is,
) -> Provider:
    """`id_prefix` begins the ids of messages, `request_ids` those of requests in refusals.
    `path` is that of a request where it has the model, which the body needs not have then."""

    def renamed(found: Violation) -> Any:
        return {**found.body, "request_id": str(found.body["request_id"]).replace("req_", request_ids, 1)}

    first = Rulebook(lambda rule, found, context: {**envelope(rule, found, context.about({})), "request_id": ""})
    sample = {"max_tokens": 16, "messages": [{"role": "user", "content": "Hello"}], "model": "claude-sonnet-4-6"}

    first.row(
        f"{name}/claude-not-json",
        "The body is not a JSON object.",
        ANY_PARAMETER,
        lambda body: not isinstance(body, dict),
        "The request body is not valid JSON: unexpected end of data: line 1 column 2 (char 1)",
        "body",
        path=path,
        remedy=remedies.JSON_LIBRARY,
        wrong=b"{",
        right=json.dumps(sample).encode(),
        inferred=evidence,
    )
    never = ("model-missing",) if path else ()
    books = (
        RenamedBook(book, name, evidence, envelope=renamed, prefix="claude-", path=path, never=never)
        for book in (*FIELDS, *CONVERSATION)
    )

    return Provider(
        name=name,
        base_path=base_path,
        books=(first, *books),
        traits=families_of("anthropic-messages", name),
        answers=Answers(id=lambda ids: ids.make(id_prefix, 22), call_id=call_id, left_out=LEFT_OUT, pings=True),
        window=context_length_rule(f"{name}/claude-prompt-too-long", reported=evidence),
        too_long=lambda tokens, window: f"prompt is too long: {tokens} tokens > {window} maximum",
        body_of=body_of,
        missing_key=bodiless_rule(
            f"{name}/claude-missing-key",
            status=401,
            why="The request has no key.",
            remedy=remedies.KEY,
            reported=evidence,
        ),
        key_sentence=key_sentence,
        own_request=own_request,
    )
