"""Rules on `messages` and on the fields of each message. Knows no block and no conversation."""

from fake_providers.rule import Citation
from fake_providers.rulebook import Breach, RequestContext, Rulebook
from fake_providers.wires.anthropic_messages import conversation
from fake_providers.wires.anthropic_messages.errors import envelope
from fake_providers.wires.anthropic_messages.newer_betas import uses_newer_beta
from fake_providers.wires.anthropic_messages.rules import values
from fake_providers.wires.anthropic_messages.rules.samples import measured, sample_request, user

BOOK = Rulebook(envelope)

ROLES = ("user", "assistant", "system")
KEYS = frozenset({"role", "content"})
SYSTEM_KEYS = KEYS | {"output_config", "clear_at"}
OLD_WORDS = "words-of-2025"
"""The trait of models whose recorded refusals, all of them older, have the sentences of that time."""


@BOOK.rule(
    "anthropic/messages-missing",
    why="The request has no `messages`.",
    confidence="recorded",
    evidence=measured("messages: Field required"),
    breaking=sample_request(messages=...),
    accepted=sample_request(),
)
def messages_missing(context: RequestContext) -> Breach | None:
    return None if "messages" in context.body else Breach("messages", "messages: Field required")


@BOOK.rule(
    "anthropic/messages-type",
    why="`messages` is not a list.",
    confidence="recorded",
    evidence=measured("messages: Input should be a valid array"),
    breaking=sample_request(messages="a"),
    accepted=sample_request(),
)
def messages_type(context: RequestContext) -> Breach | None:
    listed = isinstance(context.body.get("messages"), list)
    return None if listed else Breach("messages", "messages: Input should be a valid array")


@BOOK.rule(
    "anthropic/messages-empty",
    why="`messages` is empty, which is often the result of pruning the history.",
    confidence="recorded",
    evidence=measured("messages: at least one message is required"),
    breaking=sample_request(messages=[]),
    accepted=sample_request(),
)
def messages_empty(context: RequestContext) -> Breach | None:
    return None if context.body["messages"] else Breach("messages", "messages: at least one message is required")


@BOOK.rule(
    "anthropic/message-type",
    why="A message is not an object.",
    confidence="recorded",
    evidence=(
        Citation(
            "DataDog/dd-trace-py tests/contrib/anthropic/cassettes/anthropic_completion_error.yaml",
            "messages.0: Input does not match the expected shape.",
        ),
    ),
    breaking=sample_request("a"),
    accepted=sample_request(user("a")),
)
def message_type(context: RequestContext) -> Breach | None:
    for index, message in enumerate(context.body["messages"]):
        if not isinstance(message, dict):
            return Breach(f"messages.{index}", f"messages.{index}: {values.SHAPE}")
    return None


@BOOK.rule(
    "anthropic/role-missing",
    why="A message has no role.",
    confidence="recorded",
    evidence=measured("messages.0.role: Field required"),
    breaking=sample_request({"content": "a"}),
    accepted=sample_request(user("a")),
)
def role_missing(context: RequestContext) -> Breach | None:
    for index, message in conversation.messages(context):
        if "role" not in message:
            return Breach(f"messages.{index}.role", f"messages.{index}.role: {values.REQUIRED}")
    return None


@BOOK.rule(
    "anthropic/role-unknown",
    why="A message has an unknown role; results are blocks of a user message, not messages of a role `tool`.",
    confidence="recorded",
    evidence=measured('messages: Unexpected role "bogus". Allowed roles are "user" or "assistant"'),
    breaking=sample_request({"role": "tool", "content": "a"}),
    accepted=sample_request(user("a")),
)
def role_unknown(context: RequestContext) -> Breach | None:
    for index, message in conversation.messages(context):
        if message["role"] not in ROLES:
            return Breach(
                f"messages.{index}.role",
                f'messages: Unexpected role "{message["role"]}". Allowed roles are "user" or "assistant"',
            )
    return None


@BOOK.rule(
    "anthropic/content-missing",
    why="A message has no content.",
    confidence="recorded",
    evidence=measured("messages.0.content: Field required"),
    breaking=sample_request({"role": "user"}),
    accepted=sample_request(user("a")),
)
def content_missing(context: RequestContext) -> Breach | None:
    for index, message in conversation.messages(context):
        if "content" not in message:
            return Breach(f"messages.{index}.content", f"messages.{index}.content: {values.REQUIRED}")
    return None


@BOOK.rule(
    "anthropic/content-type",
    why="The content is neither a string nor a list of blocks; null, as in OpenAI's messages with calls, is refused.",
    confidence="recorded",
    evidence=(
        *measured("messages.0.content: Input should be a valid array"),
        Citation(
            "crmne/ruby_llm chat_real_error_scenarios (claude-3-5-haiku)",
            "messages.0.content: Input should be a valid list",
        ),
    ),
    breaking=sample_request(user(None)),
    accepted=sample_request(user("a")),
)
def content_type(context: RequestContext) -> Breach | None:
    for index, message in conversation.messages(context):
        if not isinstance(message["content"], str | list):
            kind = "list" if OLD_WORDS in context.traits else "array"
            return Breach(f"messages.{index}.content", f"messages.{index}.content: Input should be a valid {kind}")
    return None


@BOOK.rule(
    "anthropic/message-extra-key",
    why="A message has a key other than `role` and `content`, such as `name`, `id` or `tool_calls`.",
    confidence="recorded",
    evidence=measured("messages.0.bogus: Extra inputs are not permitted"),
    breaking=sample_request(user("a") | {"name": "b"}),
    accepted=sample_request(user("a")),
)
def message_extra_key(context: RequestContext) -> Breach | None:
    if uses_newer_beta(context.headers):
        return None
    for index, message in conversation.messages(context):
        key = values.unknown_key(message, SYSTEM_KEYS if message["role"] == "system" else KEYS)
        if key is not None:
            return Breach(f"messages.{index}.{key}", f"messages.{index}.{key}: {values.EXTRA}")
    return None
