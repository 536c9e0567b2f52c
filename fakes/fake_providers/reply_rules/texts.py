"""What providers never send as text or reasoning: the dialects of other makers' models, reasoning where none is shown,
answers that do not fit the schema of the request."""

from collections.abc import Mapping
from typing import Any

from fake_providers.provider_facts import facts_by_provider
from fake_providers.replies.call_validation import mismatches
from fake_providers.reply import Reply
from fake_providers.reply_rules.book import ReplyBook, Sample, Sending, Where
from fake_providers.values.json_texts import read_json

BOOK = ReplyBook()

MAKERS = {
    "claude": "anthropic",
    "gemini": "gemini",
    "gpt-oss": "open-models",
    "gpt-": "openai",
    "chatgpt": "openai",
    "codex": "openai",
    "o1": "openai",
    "o3": "openai",
    "o4": "openai",
}
"""Whose a model is, by the first of these that its name begins with; of any other name the provider says it."""


def makers_of(provider: str, wire: str, model: str = "") -> frozenset[str]:
    """Whose models answer: those of the model's maker, where a provider serves several makers, or Claude's."""
    facts = facts_by_provider()[provider]
    bare = model.rsplit("/", 1)[-1].removeprefix("us.").removeprefix("anthropic.")
    named = next((maker for name, maker in MAKERS.items() if bare.startswith(name)), None)
    if wire == "anthropic-messages" and named == "anthropic":
        return frozenset({named})
    makers = frozenset(facts.makers)
    return frozenset({named}) if named in makers else makers


def _of_others(sending: Sending) -> Any:
    if sending.makers is None:
        return None
    own = makers_of(sending.provider, sending.wire, sending.model)
    return not own & sending.makers and " and ".join(sorted(sending.makers))


EVERYWHERE: Where = {
    wire: tuple(name for name, facts in facts_by_provider().items() if wire in facts.wires)
    for wire in dict.fromkeys(wire for facts in facts_by_provider().values() for wire in facts.wires)
}
BOOK.row(
    "text-of-other-models",
    "A call or a thought as text is written by those models alone of which it is known: `written_by` of a scenario.",
    EVERYWHERE,
    _of_others,
    "such a text is known of models of {found}, and {provider} serves no such model here",
    instead="A call or a thought as the wire has it.",
    wrong=Sample(Reply(text="<tool_call>{}</tool_call>"), makers=frozenset({"cohere"})),
    right=Sample(Reply(text="<tool_call>{}</tool_call>")),
    elsewhere=True,
    reported={"docs/dialects.md": "Each dialect has a source that names its models."},
)

OPENAI: Where = {"openai-chat": ("openai", "azure")}
BOOK.row(
    "reasoning-in-chat-completions",
    "OpenAI shows no reasoning in chat completions.",
    OPENAI,
    lambda sending: "reasoning-content" in sending.reply.quirks,
    "{provider} shows no reasoning in chat completions",
    instead="The same reply without its reasoning.",
    wrong=Sample(Reply(text="A pear.", thinking="It is a fruit.", quirks=("reasoning-content",))),
    right=Sample(Reply(text="A pear.", thinking="It is a fruit.")),
    elsewhere=True,
    recorded={"https://developers.openai.com/api/docs/guides/reasoning": "we don't expose the raw reasoning tokens"},
)


def _format(sending: Sending) -> Any:
    """The schema that the answer is made to fit: None where there is none, or where it is only a hint."""
    body = sending.body
    text = body.get("text")
    format_ = body.get("response_format") if sending.wire == "openai-chat" else None
    if sending.wire == "openai-responses" and isinstance(text, dict):
        format_ = text.get("format")
    if isinstance(format_, dict) and sending.wire in ("openai-chat", "openai-responses"):
        written = format_.get("json_schema", format_)
        return written.get("schema") if isinstance(written, dict) and written.get("strict") is True else None
    return sending.view.schema if sending.view is not None and sending.wire == "anthropic-messages" else None


def _unfitting(sending: Sending) -> Any:
    reply = sending.reply
    if reply.calls or reply.server_calls or reply.fault is not None or not reply.text or sending.ends_early:
        return None
    schema = _format(sending)
    if schema is None:
        return None
    try:
        return mismatches(schema, read_json(reply.text, strict=True)) and "does not fit it"
    except ValueError:
        return "is no JSON"


def _wants(**schema: Any) -> Mapping[str, Any]:
    format_ = {"type": "json_schema", "json_schema": {"name": "fruit", "strict": True, "schema": schema}}
    return {"model": "gpt-4.1", "messages": [{"role": "user", "content": "Which?"}], "response_format": format_}


FRUIT = {"type": "object", "properties": {"fruit": {"type": "string"}}, "required": ["fruit"]}
BOOK.row(
    "answer-against-its-schema",
    "An answer fits the strict schema that the request has for it, unless it is cut off or declined.",
    {
        "openai-chat": ("openai", "azure"),
        "openai-responses": ("openai", "azure"),
        "anthropic-messages": ("anthropic",),
    },
    _unfitting,
    "{provider} makes each answer fit the schema of the request, and this one {found}",
    instead="An answer that fits it, or a refusal.",
    wrong=Sample(Reply(text="A pear."), _wants(**FRUIT, additionalProperties=False)),
    right=Sample(Reply(text='{"fruit": "pear"}'), _wants(**FRUIT, additionalProperties=False)),
    elsewhere=True,
    documented={
        "https://developers.openai.com/api/docs/guides/structured-outputs": "Structured Outputs is a feature that "
        "ensures the model will always generate responses that adhere to your supplied JSON Schema",
        "https://platform.claude.com/docs/en/build-with-claude/structured-outputs": "Structured outputs guarantee "
        "schema-compliant responses through constrained decoding",
    },
)
