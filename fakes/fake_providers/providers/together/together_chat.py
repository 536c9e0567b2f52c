"""Together AI: its gateway says little, `Input validation error`; what its engines say is pydantic's.

Its answers have `metadata` after the usage, and the seed of each choice.
"""

from typing import Any, Final

from fake_providers import remedies
from fake_providers.models import families_of
from fake_providers.providers.shared.chat_reading import MESSAGES, PART, refuse_unread
from fake_providers.providers.shared.chat_types import MISSING, TOOLS, Dialect, Samples, WrongType, refuse_wrong_types
from fake_providers.providers.shared.chat_values import FORMATS, Values, pydantic_outside, refuse_values
from fake_providers.providers.shared.pydantic_words import printed, pydantic_breach
from fake_providers.replies.documents import ABSENT, ByStatus, Document, Envelope, Failure, headers
from fake_providers.rule import Remedy
from fake_providers.rulebook import ANY_PARAMETER, Breach, RequestContext, Rulebook
from fake_providers.wires.openai_chat.provider import Answers, Provider
from fake_providers.wires.openai_chat.rules.samples import USER, cite, sample_request
from fake_providers.wires.openai_shared.provider_errors import (
    Errors,
    context_length_rule,
    missing_key_rule,
)

MODEL: Final = "openai/gpt-oss-120b"
QWEN: Final = "Qwen/Qwen3-235B-A22B-Instruct-2507-tput"
VISION: Final = "meta-llama/Llama-4-Maverick-17B-128E-Instruct-FP8"
CHECKED: Final = "2026-11-23"
INVALID: Final = "Input validation error"
UNREAD_FLAG: Final = "Input should be a valid boolean, unable to interpret input"


CODES: Final = {401: "invalid_api_key", 404: "model_not_available", 429: "dynamic_request_limited"}
error_body = Envelope(
    {
        "id": "oConform-28Eivz-9780000000000000",
        "error": {"message": "<message>", "type": "invalid_request_error", "param": None, "code": "<code>"},
    },
    code=ByStatus(CODES, None),
)


BOOK = Rulebook(error_body.but(code=None).refusal)
refuse_unread(BOOK, "together", MESSAGES, model=MODEL, not_json=Breach("body", INVALID),
    missing=lambda body: Breach("messages", INVALID),
    source="the sentence of its gateway for bodies of the wrong form")  # fmt: skip


def _wrong_type(found: WrongType, context: RequestContext) -> Breach:
    """The gateway looks at the conversation, the engine at the rest."""
    if found.path[0] in ("messages", "tools", "model") or found.value is MISSING:
        return Breach(found.at, INVALID)
    return pydantic_breach(found, context)


refuse_wrong_types(BOOK, "together",
    Dialect(words=_wrong_type, source="the sentences of its gateway and of its engines",
        types={"logprobs": "boolean|integer"}, required=("messages[].role", *TOOLS),
        known={"content-part-type": ("recorded", cite("recordings, Llama-4-Scout, gemma-3-27b-it", INVALID)),
            "parameter-type": ("reported", cite("the refusal of `logprobs`, and pydantic's own sentences")),
            "member-missing": ("reported", cite("mozilla-ai/any-llm#714", INVALID))}), Samples(MODEL))  # fmt: skip
refuse_values(BOOK, "together",
    Values(words=lambda found, _: pydantic_outside(found),
        source="docs.together.ai, API reference; pydantic's sentences", formats=(*FORMATS, "regex")),
    Samples(MODEL))  # fmt: skip


def _without_eyes(context: RequestContext, at: str) -> Breach:
    """The engine's own error, which names the model as it was loaded; where it is streamed, the gateway's for some."""
    loaded = next((LOADED.format(folder) for name, folder in FOLDERS.items() if name in context.model), "")
    if context.stream and not loaded:
        return Breach(at, INVALID)
    sentence = f"{loaded or context.model.removesuffix('-tput') + '-FP8'} is not a multimodal model None"
    if not loaded and "Instruct" not in context.model:
        return Breach(at, sentence)
    error = {"message": sentence, "type": "BadRequestError", "param": None, "code": 400}
    return Breach(at, sentence, {"message": error})


FOLDERS: Final = {
    "trinity": "arcee-trinity-mini-rc",
    "rnj-1": "EssentialAI-RNJ-1-Instruct",
    "cogito": "cogito-671b-v2.1-chkp-2-FP8",
}
LOADED: Final = "/data/modelpreload/huggingface/models--togethercomputer--{}/snapshots/" + "0" * 40


def _picture(part: dict[str, Any], context: RequestContext, place: str) -> Breach | None:
    return _without_eyes(context, place) if part.get("type") == "image_url" else None


def _wrong_video(part: dict[str, Any], context: RequestContext, place: str) -> Breach | None:
    if part.get("type") != "video_url":
        return None
    if "no-pictures" in context.traits:
        return _without_eyes(context, place)
    gemma = "gemma-3" in context.model and not context.stream
    return Breach(place, "Unknown video model type: gemma3" if gemma else INVALID)


def _shown(model: str, kind: str, name: str) -> dict[str, Any]:
    part = {"type": kind, kind: {"url": f"https://example.com/{name}"}}
    return sample_request({**USER, "content": [part]}, model=model)


NO_KEY = "Missing API key. You can find your API key at https://api.together.ai/settings/api-keys."
FAILURES = ByStatus(
    {
        401: "Invalid API key provided. You can find your API key at https://api.together.ai/settings/api-keys.",
        404: "Unable to access model. Please visit https://api.together.ai/models to view the list of supported "
        "models.",
        429: "You have reached the rate limit specific to this model.",
        500: "Internal server error",
        503: "The server is overloaded or not ready yet.",
    },
    INVALID,
)


# A table: two rows are to be compared.
# fmt: off
BOOK.row("together/part-unknown", "A part of a content has an unknown type, such as `input_text`.",
    PART, lambda part: part.get("type") not in ("text", "image_url", "video_url", "audio_url", "input_audio"), INVALID,
    ".type", checked=CHECKED,
    remedy=Remedy("content",
        "Write the parts of a content as `text` and `image_url`; `input_text` and the like are of the Responses API."),
    wrong=sample_request({**USER, "content": [{"type": "input_text", "text": "Hello"}]}, model=MODEL),
    right=sample_request({**USER, "content": [{"type": "text", "text": "Hello"}]}, model=MODEL),
    recorded={"recordings, Qwen3-235B, Llama-4-Maverick": INVALID})
BOOK.row("together/pictures-unsupported", "A message has a picture, and the model takes none.",
    PART, _picture, trait="no-pictures", models="Qwen3-235B, cogito, trinity, rnj-1", checked=CHECKED,
    about="picture", remedy=remedies.MEDIA_OF_MODEL,
    wrong=_shown(QWEN, "image_url", "oslo.png"), right=_shown(VISION, "image_url", "oslo.png"),
    recorded={"recordings, trinity-mini, rnj-1-instruct, cogito-v2-1-671b": "is not a multimodal model None",
        "recordings, Qwen3-235B-A22B, instruct and thinking":
        "Qwen/Qwen3-235B-A22B-Instruct-2507-FP8 is not a multimodal model None"})
BOOK.row("together/video-unsupported", "A message has a video, and the model takes text, or pictures alone.",
    PART, _wrong_video, trait=("no-video", "no-pictures"),
    models="gemma-3, Llama 4, Llama-Vision, Qwen3-235B, cogito, trinity, rnj-1",
    checked="2026-11-27",
    remedy=Remedy("pictures", "Leave the video out for this model, or send some of its frames as pictures."),
    wrong=_shown(VISION, "video_url", "oslo.mp4"), right=_shown("deepseek-ai/DeepSeek-V4-Pro", "video_url", "oslo.mp4"),
    recorded={"recordings, gemma-3-27b-it": "Unknown video model type: gemma3",
        "recordings, Llama-4-Scout, Llama-4-Maverick, Llama-Vision-Free": INVALID,
        "recordings, trinity-mini, rnj-1-instruct, cogito-v2-1-671b": "is not a multimodal model None"})
BOOK.row("together/logprobs-type", "`logprobs` is a number, for a model of an engine that wants a boolean.",
    ANY_PARAMETER, lambda body: type(body.get("logprobs")) is int and body["logprobs"] not in (0, 1)
        and printed("bool_parsing", ("logprobs",), UNREAD_FLAG, body["logprobs"]), "{found}", "logprobs",
    trait="boolean-logprobs", models="gemma-3", checked="2026-11-29", remedy=remedies.VALUE,
    wrong=sample_request(model="google/gemma-3-27b-it", logprobs=2),
    right=sample_request(model="openai/gpt-oss-20b", logprobs=2),
    recorded={"recording, gemma-3-27b-it; gpt-oss-20b was recorded to accept it": UNREAD_FLAG})
BOOK.row("together/model-not-serverless", "The model runs only on an endpoint of one's own.",
    ANY_PARAMETER, lambda body, context: context.model.endswith("-Reference") or "not-serverless" in context.traits,
    "Unable to access non-serverless model {model}. Please visit https://api.together.ai/models/{model} to create and "
        "start a new dedicated endpoint for the model.", "model",
    models="those that end in -Reference, and some older ones", checked=CHECKED, extra={"code": "model_not_available"},
    remedy=Remedy("models", "Use a model that is served to all, or begin an endpoint of your own for this one."),
    wrong=sample_request(model="meta-llama/Meta-Llama-3.1-70B-Instruct-Reference"), right=sample_request(model=MODEL),
    recorded={"recordings, Meta-Llama-3.1-70B-Instruct-Reference": "Unable to access non-serverless model",
        "recordings, Meta-Llama-3-8B-Instruct, Llama-3.1-405B-Instruct, Qwen2.5-72B-Instruct and others": "",
        "HeyPuter/puter#3168": ""})
# fmt: on


DELTA: Final = Document("token_id:null role content", content="")
"""Each delta has a role and a text, and stands beside the text as completions have it: recorded of six models."""

PROVIDER = Provider(
    name="together",
    base_path="/v1",
    errors=Errors(
        error_body,
        FAILURES,
        window=context_length_rule("together/context-length", reported={"the words of its engine, vLLM": ""}),
        too_long="This model's maximum context length is {window} tokens. However, you requested {tokens} tokens in "
        "the messages. Please reduce the length of the messages.",
        missing_key=missing_key_rule("together/missing-key", reported={"recordings of a wrong key": "Invalid API key"}),
        no_key=Failure(NO_KEY, {"code": "missing_api_key"}),
        content_type=lambda status, body: "application/json; charset=utf-8",
    ),
    answers=Answers(
        id=lambda ids: f"{ids.make('o', 7)}-28Eivz-{ids.make('', 16, '0123456789abcdef')}",
        call_id=lambda ids: ids.make("call_", 24, "0123456789abcdef"),
        completion=Document(
            "id object created model choices usage? metadata prompt", metadata={"weight_version": "default"}, prompt=[]
        ),
        choice=Document("index message finish_reason logprobs:null seed:null"),
        message=Document(
            "role content:text tool_calls reasoning?",
            tool_calls=lambda said: [] if said.tool_calls is ABSENT else said.tool_calls,
        ),
        chunk=Document("id object created choices model usage?"),
        step=Document("index text logprobs:null finish_reason delta", text=lambda step: step.delta["content"]),
        opening=DELTA,
        thought=Document("token_id:null role content reasoning", content=""),
        text=Document("token_id:null role content"),
        calling=Document("token_id:null role content tool_calls", content=""),
        last=DELTA,
        usage_comes="always_apart",
        varies=("text",),
        content_type="application/json; charset=utf-8",
        stream_content_type="text/event-stream;charset=utf-8",
    ),
    books=(BOOK,),
    traits=families_of("openai-chat", "together"),
    headers=headers(
        x_ratelimit="false",
        x_ratelimit_limit="0.1666666667",
        x_ratelimit_limit_tokens="1000",
        x_ratelimit_remaining="0",
        x_ratelimit_remaining_tokens="1000",
        x_ratelimit_reset="6",
    ),
)
