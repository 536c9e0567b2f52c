"""Azure's chat completions: OpenAI's own checks, with the same messages, under Azure's name.

A deployment in the path names the model, the key is in `api-key`, and content filters report on every text.
"""

from typing import Any
from urllib.parse import unquote, urlsplit

from fake_providers import remedies
from fake_providers.http import Request
from fake_providers.ids import uuid
from fake_providers.models import traits
from fake_providers.replies.documents import ByStatus, Document, Envelope, Failure, headers
from fake_providers.rule import Citation
from fake_providers.rulebook import RenamedBook, Rulebook, bodiless_rule
from fake_providers.wires.openai_chat.provider import Answers, Provider
from fake_providers.wires.openai_chat.response import call_id
from fake_providers.wires.openai_chat.rules import BOOKS
from fake_providers.wires.openai_chat.rules.samples import cite
from fake_providers.wires.openai_shared.provider_errors import (
    Errors,
    bearer,
    context_length_rule,
)
from fake_providers.wires.openai_shared.request_body import body_of, model_of

SAME: tuple[Citation, ...] = (
    *cite("recording, gpt-5-mini on openai.azure.com", "Unsupported parameter: 'max_tokens' is not supported"),
    *cite("recording, gpt-4o through OpenRouter", "Missing required parameter: 'messages[1].content[1]"),
)


OPENAI_BOOKS: tuple[Rulebook, ...] = tuple(RenamedBook(book, "azure", SAME) for book in BOOKS)


DEPLOYMENTS = "/openai/deployments/"
OPENAI_NAMES = ("gpt-3", "gpt-4", "gpt-5", "gpt-6", "gpt-audio", "chatgpt-", "o1", "o3", "o4")
FINGERPRINT = "fp_4a331a0222"
DENIED = (
    "Access denied due to invalid subscription key or wrong API endpoint. Make sure to provide a valid key for an "
    "active subscription and use a correct regional API endpoint for your resource."
)
SAFE = {name: {"filtered": False, "severity": "safe"} for name in ("hate", "self_harm", "sexual", "violence")}

MISSING_KEY = bodiless_rule(
    "azure/missing-key",
    status=401,
    why="The request has no key, neither in `api-key` nor in its Authorization header.",
    recorded={"recording, gpt-4o": "Access denied due to invalid subscription key or wrong API endpoint."},
    remedy=remedies.KEY,
)
CONTEXT_LENGTH = context_length_rule(
    "azure/context-length", reported={"OpenAI's own message": "maximum context length is 128000 tokens"}
)


def _deployment(request: Request) -> str:
    path = urlsplit(request.path).path
    return unquote(path.partition(DEPLOYMENTS)[2].partition("/")[0])


def _model(request: Request) -> str:
    return _deployment(request) or model_of(body_of(request))


def _seen(request: Request) -> Any:
    """The body with the deployment as its model; a search of one's own data is no parameter of OpenAI's."""
    body = body_of(request)
    deployment = _deployment(request)
    if not isinstance(body, dict):
        return body
    known = {key: value for key, value in body.items() if key != "data_sources"}
    return {**known, "model": deployment} if deployment else known


DENIAL = {"error": {"code": "<code>", "message": "<message>"}}
ENVELOPE = Envelope(
    ByStatus(
        {401: DENIAL, 404: DENIAL, 429: DENIAL},
        {"error": {"message": "<message>", "type": "<type>", "param": "<param>", "code": "<code>"}},
    ),
    type=ByStatus({500: "server_error"}, "invalid_request_error"),
    param=None,
    code=ByStatus({401: "401", 404: "DeploymentNotFound", 429: "429"}, None),
)
FAILURES = ByStatus(
    {
        401: DENIED,
        404: "The API deployment for this resource does not exist. If you created the deployment within the last 5 "
        "minutes, please wait a moment and try again.",
        429: "Your requests to {model} have exceeded the token rate limit of your tier. Please retry after {seconds} "
        "seconds.",
        500: "The server had an error while processing your request. Sorry about that!",
    },
    "The request could not be processed.",
)
FILTERED = [{"prompt_index": 0, "content_filter_results": SAFE}]
NAMELESS = {"choices": [], "created": 0, "id": "", "model": "", "object": "", "prompt_filter_results": FILTERED}
"""The first chunk: only the results of the content filter for the prompt."""


PROVIDER = Provider(
    name="azure",
    base_path="/openai/v1",
    errors=Errors(
        ENVELOPE,
        FAILURES,
        window=CONTEXT_LENGTH,
        too_long=Failure(
            "This model's maximum context length is {window} tokens. However, your messages resulted in {tokens} "
            "tokens. Please reduce the length of the messages.",
            {"param": "messages", "code": "context_length_exceeded"},
        ),
        missing_key=MISSING_KEY,
        key=lambda request: request.headers.get("api-key", "").strip() or bearer(request),
        key_path="headers.api-key",
        limits={"x-ratelimit-remaining-requests": "0", "x-ratelimit-remaining-tokens": "0"},
        model=_model,
    ),
    answers=Answers(
        id=lambda ids: ids.make("chatcmpl-", 29),
        call_id=call_id,
        stream_content_type="text/event-stream; charset=utf-8",
        completion=Document(
            "choices created id model object prompt_filter_results system_fingerprint usage?",
            prompt_filter_results=FILTERED,
            system_fingerprint=FINGERPRINT,
        ),
        choice=Document(
            "content_filter_results finish_reason index logprobs:null message",
            content_filter_results=lambda step: SAFE if step.delta["content"] else {},
        ),
        message=Document(
            "annotations content reasoning_content:reasoning? refusal:null role tool_calls?", annotations=[]
        ),
        call=Document("function id? type", function=Document("arguments name")),
        usage=Document(
            "completion_tokens completion_tokens_details prompt_tokens prompt_tokens_details total_tokens",
            completion_tokens_details=lambda rendered: {
                "accepted_prediction_tokens": 0,
                "audio_tokens": 0,
                "reasoning_tokens": rendered.tokens.thinking,
                "rejected_prediction_tokens": 0,
            },
            prompt_tokens_details=lambda rendered: {"audio_tokens": 0, "cached_tokens": rendered.tokens.cached},
        ),
        chunk=Document(
            "choices created id model obfuscation object system_fingerprint usage:usage_or_null?",
            obfuscation=lambda step: step.rendered.ids.make("", 7),
            system_fingerprint=FINGERPRINT,
        ),
        step=Document(
            "content_filter_results delta finish_reason index logprobs:null",
            content_filter_results=lambda step: SAFE if step.delta.get("content") else {},
        ),
        varies=("obfuscation", "content_filter_results"),
        leading=(NAMELESS,),
        opening=Document(
            "content refusal:null role",
            content=lambda said: None if said.rendered.calls and not said.rendered.content else "",
        ),
        opened_call=Document("function id? index type", function=Document("arguments name")),
        continued_call=Document("function index", function=Document("arguments")),
        last=Document(),
    ),
    headers=headers(
        apim_request_id=lambda rendered: uuid(rendered.ids),
        x_ratelimit_limit_requests="300",
        x_ratelimit_limit_tokens="30000",
        x_ratelimit_remaining_requests="299",
        x_ratelimit_remaining_tokens="29671",
    ),
    books=OPENAI_BOOKS,
    # The traits of the model; none for a deployment that is not named after a model of OpenAI's.
    traits=lambda model: traits("openai-chat", model) if model.startswith(OPENAI_NAMES) else frozenset(),
    model=_model,
    body_of=_seen,
)
