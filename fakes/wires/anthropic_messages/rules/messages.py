"""Rules on `messages` and on each message's own fields. Knows no block and no conversation."""

from fakes.rule import Citation
from fakes.rulebook import Breach, RequestContext, Rulebook
from fakes.wires.anthropic_messages import conversation
from fakes.wires.anthropic_messages.errors import envelope
from fakes.wires.anthropic_messages.rules import values
from fakes.wires.anthropic_messages.rules.tool_examples import ask, measured, user

BOOK = Rulebook(envelope)

ROLES = ("user", "assistant", "system")
KEYS = frozenset({"role", "content"})
SYSTEM_KEYS = KEYS | {"output_config", "clear_at"}
OLD_WORDS = "words-of-2025"
"""The trait of models whose recorded refusals, all older, use the words of that time."""


@BOOK.rule(
    "anthropic/messages-missing",
    why="every request has messages",
    confidence="recorded",
    evidence=measured("messages: Field required"),
    breaking=ask(messages=...),
    accepted=ask(),
)
def messages_missing(context: RequestContext) -> Breach | None:
    return None if "messages" in context.body else Breach("messages", "messages: Field required")


@BOOK.rule(
    "anthropic/messages-type",
    why="`messages` is a list",
    confidence="recorded",
    evidence=measured("messages: Input should be a valid array"),
    breaking=ask(messages="a"),
    accepted=ask(),
)
def messages_type(context: RequestContext) -> Breach | None:
    listed = isinstance(context.body.get("messages"), list)
    return None if listed else Breach("messages", "messages: Input should be a valid array")


@BOOK.rule(
    "anthropic/messages-empty",
    why="there is at least one message; history pruned to nothing is a common way here",
    confidence="recorded",
    evidence=measured("messages: at least one message is required"),
    breaking=ask(messages=[]),
    accepted=ask(),
)
def messages_empty(context: RequestContext) -> Breach | None:
    return None if context.body["messages"] else Breach("messages", "messages: at least one message is required")


@BOOK.rule(
    "anthropic/message-type",
    why="a message is an object",
    confidence="recorded",
    evidence=(
        Citation(
            "DataDog/dd-trace-py tests/contrib/anthropic/cassettes/anthropic_completion_error.yaml",
            "messages.0: Input does not match the expected shape.",
        ),
    ),
    breaking=ask("a"),
    accepted=ask(user("a")),
)
def message_type(context: RequestContext) -> Breach | None:
    for index, message in enumerate(context.body["messages"]):
        if not isinstance(message, dict):
            return Breach(f"messages.{index}", f"messages.{index}: {values.SHAPE}")
    return None


@BOOK.rule(
    "anthropic/role-missing",
    why="every message has a role",
    confidence="recorded",
    evidence=measured("messages.0.role: Field required"),
    breaking=ask({"content": "a"}),
    accepted=ask(user("a")),
)
def role_missing(context: RequestContext) -> Breach | None:
    for index, message in conversation.messages(context):
        if "role" not in message:
            return Breach(f"messages.{index}.role", f"messages.{index}.role: {values.REQUIRED}")
    return None


@BOOK.rule(
    "anthropic/role-unknown",
    why="roles are user and assistant; results are blocks of a user message, not messages of a role `tool`",
    confidence="recorded",
    evidence=measured('messages: Unexpected role "bogus". Allowed roles are "user" or "assistant"'),
    breaking=ask({"role": "tool", "content": "a"}),
    accepted=ask(user("a")),
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
    why="every message has content",
    confidence="recorded",
    evidence=measured("messages.0.content: Field required"),
    breaking=ask({"role": "user"}),
    accepted=ask(user("a")),
)
def content_missing(context: RequestContext) -> Breach | None:
    for index, message in conversation.messages(context):
        if "content" not in message:
            return Breach(f"messages.{index}.content", f"messages.{index}.content: {values.REQUIRED}")
    return None


@BOOK.rule(
    "anthropic/content-type",
    why="content is a text or a list of blocks, never null; OpenAI's messages with calls have null",
    confidence="recorded",
    evidence=(
        *measured("messages.0.content: Input should be a valid array"),
        Citation(
            "crmne/ruby_llm chat_real_error_scenarios (claude-3-5-haiku)",
            "messages.0.content: Input should be a valid list",
        ),
    ),
    breaking=ask(user(None)),
    accepted=ask(user("a")),
)
def content_type(context: RequestContext) -> Breach | None:
    for index, message in conversation.messages(context):
        if not isinstance(message["content"], str | list):
            kind = "list" if OLD_WORDS in context.traits else "array"
            return Breach(f"messages.{index}.content", f"messages.{index}.content: Input should be a valid {kind}")
    return None


@BOOK.rule(
    "anthropic/message-extra-key",
    why="a message has a role and content and nothing else: no name, no id, no tool_calls",
    confidence="recorded",
    evidence=measured("messages.0.bogus: Extra inputs are not permitted"),
    breaking=ask(user("a") | {"name": "b"}),
    accepted=ask(user("a")),
)
def message_extra_key(context: RequestContext) -> Breach | None:
    for index, message in conversation.messages(context):
        key = values.unknown(message, SYSTEM_KEYS if message["role"] == "system" else KEYS)
        if key is not None:
            return Breach(f"messages.{index}.{key}", f"messages.{index}.{key}: {values.EXTRA}")
    return None
