"""xAI's envelope, `{code: sentence, error: string}`, and its rules. Nearly every shape was recorded as accepted."""

from typing import Any, Final

from fake_providers.providers.shared.chat_reading import MESSAGES, messages, refuse_unread
from fake_providers.providers.shared.chat_types import Dialect, Samples, refuse_wrong_types
from fake_providers.providers.shared.pydantic_words import serde_breach
from fake_providers.rule import Rule
from fake_providers.rulebook import Breach, RequestContext, Rulebook
from fake_providers.rules.model_refusals import ModelRefusal, refuse_by_model, sets
from fake_providers.wires.openai_chat.rules.samples import USER, cite, sample_request

MODEL: Final = "grok-4"
INVALID: Final = "Client specified an invalid argument"


def error_body(message: str, code: str = INVALID) -> dict[str, Any]:
    return {"code": code, "error": message}


def envelope(rule: Rule, found: Breach, _context: RequestContext) -> Any:
    return {"error": found.message} if rule.status == 422 else error_body(found.message)


BOOK = Rulebook(envelope)

refuse_unread(
    BOOK,
    "xai",
    MESSAGES,
    model=MODEL,
    not_json=Breach("body", "Failed to parse the request body as JSON: EOF while parsing a value at line 1 column 0"),
    missing=lambda body: Breach(
        "messages", "Failed to deserialize the JSON body into the target type: missing field `messages` at line 1"
    ),
    source="the envelope of other refusals, with the message of other servers in Rust",
)

ROLES: Final = ("system", "developer", "user", "assistant", "tool", "function")
refuse_wrong_types(
    BOOK,
    "xai",
    Dialect(
        words=lambda found, context: serde_breach(found, context, ROLES),
        source="the sentences of serde, which it has for tools, in the envelope of its Responses",
        roles=ROLES,
        required=("messages[].role", "messages[].tool_calls[].function", "tools[].function.name"),
        known={
            "tools-type": (
                "verbatim",
                cite(
                    "public code that quotes it, with status 422",
                    "tools[0].type: unknown variant `web_search`, expected `function` or `live_search`",
                ),
            ),
            "member-missing": (
                "verbatim",
                cite("public code that quotes it, with status 422", "missing field  name  at line 1 column 52195"),
            ),
        },
    ),
    Samples(MODEL),
    status=422,
)


@BOOK.rule(
    "xai/content-missing",
    why="A message has neither tool calls nor content: its content is missing, null or an empty list.",
    confidence="verbatim",
    evidence=(
        *cite("AstrBotDevs/AstrBot#6447", "Each message must have at least one content element."),
        *cite("charmbracelet/crush#964"),
        *cite("n8n-io/n8n#14797"),
    ),
    breaking=sample_request(USER, {"role": "assistant", "content": []}, USER, model=MODEL),
    accepted=sample_request(USER, {"role": "assistant", "content": "Rain."}, USER, model=MODEL),
    checked="2026-11-21",
)
def _content_missing(context: RequestContext) -> Breach | None:
    for index, message in messages(context):
        if message.get("content") in (None, []) and not message.get("tool_calls"):
            sentence = "Invalid request content: Each message must have at least one content element."
            return Breach(f"messages[{index}].content", sentence)
    return None


ALL_SET: Final = cite("ten public projects, grok-4", "Model grok-4 does not support parameter presencePenalty.")


def _unsupported(name: str, camel: str) -> ModelRefusal:
    return ModelRefusal(
        f"xai/{name.replace('_', '-')}-unsupported",
        "no-penalty",
        sets(name),
        f"Model {{model}} does not support parameter {camel}.",
        why=f"`{name}` is set for a model that reasons.",
        models="grok-4, grok-4.5, grok-code-fast-1",
        confidence="verbatim",
        evidence=ALL_SET,
        breaking=sample_request(model=MODEL, **{name: ["END"] if name == "stop" else 0.5}),
        accepted=sample_request(model=MODEL, **{name: None}),
    )


refuse_by_model(
    BOOK,
    (
        _unsupported("presence_penalty", "presencePenalty"),
        _unsupported("frequency_penalty", "frequencyPenalty"),
        _unsupported("stop", "stop"),
        ModelRefusal(
            "xai/effort-unsupported",
            "no-effort",
            sets("reasoning_effort"),
            "Model {model} does not support parameter reasoningEffort.",
            why="An effort is set for a model that has none.",
            models="grok-code-fast-1",
            confidence="recorded",
            evidence=cite("recording, grok-code-fast-1", "does not support parameter reasoningEffort."),
            breaking=sample_request(model="grok-code-fast-1", reasoning_effort="low"),
            accepted=sample_request(model="grok-code-fast-1"),
        ),
    ),
)
