"""Bedrock's Responses, at `/openai/v1`: GPT-5.4 and newer, by OpenAI's rules, behind the service's gateway.

The gateway reads the items and the tools itself, and knows fewer of them than OpenAI. Recorded: GPT-5.6 Luna by
pydantic/pydantic-ai, and gpt-oss-120b, whose answers differ: reasoning in plain text, and no items for it.
"""

from functools import partial
from typing import Any, Final

from msgspec.structs import replace

from fake_providers.http import compact
from fake_providers.models import traits
from fake_providers.providers.bedrock.bedrock_chat import CHECKED, MISSING_KEY, error_body
from fake_providers.providers.bedrock.bedrock_chat import PROVIDER as CHAT
from fake_providers.providers.shared import chat_reading as chat
from fake_providers.providers.shared.pydantic_words import UNREADABLE
from fake_providers.rule import Remedy, Violation
from fake_providers.rulebook import ANY_TOOL, RenamedBook, RequestContext, Rulebook, RuleFilter
from fake_providers.values.lenient import listed
from fake_providers.wires.openai_chat.rules.samples import cite
from fake_providers.wires.openai_responses.provider import Provider
from fake_providers.wires.openai_responses.rules import FIELDS, WHOLE
from fake_providers.wires.openai_responses.rules.samples import USER, sample_request
from fake_providers.wires.openai_shared.provider_errors import context_length_rule

MODEL: Final = "openai.gpt-5.6-luna"
OPEN: Final = "gpt-oss"
UNKNOWN_ITEMS: Final = (
    "agent_message", "compaction", "compaction_trigger", "context_compaction", "local_shell_call", "tool_search_call",
    "tool_search_output",
)  # fmt: skip
RESERVED: Final = ("functions", "web", "image_gen", "browser", "python")
SAME = cite("recording of GPT-5.6 Luna by pydantic/pydantic-ai, whose request and answer have OpenAI's members")
DONE: Final = {"role": "user", "content": [{"type": "input_text", "text": "Done."}]}
EXEC: Final = {"type": "function", "name": "exec", "parameters": {"type": "object", "properties": {}}}
bedrock = partial(sample_request, model=MODEL)
BOOK = Rulebook(error_body.refusal)
SERVER_BOOK = Rulebook(error_body.refusal)
"""Of the server of gpt-oss."""


class OpenAIsModels(RenamedBook):
    """OpenAI's rules, which hold for its models and not for gpt-oss."""

    def judge(self, context: RequestContext, reads: RuleFilter | None = None) -> Violation | None:
        return None if OPEN in context.model else super().judge(context, reads)


def _renamed(books: tuple[Rulebook, ...]) -> tuple[Rulebook, ...]:
    return tuple(OpenAIsModels(book, "bedrock", SAME) for book in books)


def _traits(model: str) -> frozenset[str]:
    return frozenset((OPEN,)) if OPEN in model else traits("openai-responses", model.removeprefix("openai."))


def _is_object(context: RequestContext) -> bool:
    return isinstance(context.body, dict)


def _unknown_tool(tool: dict[str, Any], context: RequestContext) -> dict[str, Any] | None:
    kind = tool.get("type")
    return None if kind in ("function", "mcp") else {"kind": kind, "column": len(compact(context.body))}


def _reserved(body: Any) -> Any:
    tools = (one for one in listed(body.get("tools")) if isinstance(one, dict) and one.get("type") == "namespace")
    return next((one["name"] for one in tools if one.get("name") in RESERVED), None)


def _namespace(name: str) -> dict[str, Any]:
    return {"type": "namespace", "name": name, "description": "Code.", "tools": [EXEC]}


# A table: two rows are to be compared.
# fmt: off
BOOK.row("bedrock/responses-item-unknown-to-gateway", "An item of the input has a type that the gateway does not know.",
    chat.ITEM, lambda item: item.get("type") in UNKNOWN_ITEMS,
    "invalid request body: Invalid 'input': value did not match any expected variant", models="all; seen with GPT-5.6",
    given=_is_object, checked=CHECKED, remedy=Remedy("content",
        "Send messages, calls, results and reasoning alone; write what another agent said as a message."),
    wrong=bedrock({**DONE, "type": "agent_message"}), right=bedrock({**DONE, "type": "message"}),
    verbatim={"BerriAI/litellm#36528, #36546 and #38227": "..."})
BOOK.row("bedrock/responses-namespace-reserved", "A namespace of tools has the name of one of the service's own.",
    ANY_TOOL, _reserved,
    "Invalid Value: 'tools.namespace'. User-defined namespace '{found}' collides with an existing tool namespace.",
    "tools", models="all; seen with GPT-5.6", given=_is_object, checked=CHECKED,
    remedy=Remedy("declarations", "Give the namespace another name, and map it back where a call has it."),
    wrong=bedrock(USER, tools=[_namespace("functions")]), right=bedrock(USER, tools=[_namespace("code")]),
    verbatim={"BerriAI/litellm#36182 and #36545; maximhq/bifrost#7039 has the other names":
        "User-defined namespace 'functions' collides with an existing tool namespace."})
SERVER_BOOK.row("bedrock/responses-tool-type-unknown", "The server of an open model knows functions and MCP alone.",
    chat.TOOL, _unknown_tool,
    f"{UNREADABLE}?[{{i}}]: Invalid 'tools': unknown variant `{{kind}}`, expected `function` or `mcp` at line 1 "
    "column {column}", ".type", trait=OPEN, models="gpt-oss", given=_is_object, checked=CHECKED,
    remedy=Remedy("declarations", "Send functions to this model, without a namespace around them."),
    wrong=bedrock(USER, model="openai.gpt-oss-120b", tools=[{**EXEC, "type": "custom"}]),
    right=bedrock(USER, model="openai.gpt-oss-120b", tools=[EXEC]),
    verbatim={"openai/codex#25034":
        "?[13]: Invalid 'tools': unknown variant `namespace`, expected `function` or `mcp` at line 1 column 107773"})
# fmt: on

PROVIDER = Provider(
    name="bedrock",
    base_path="/openai/v1",
    errors=replace(
        CHAT.errors,
        window=context_length_rule("bedrock/responses-context-length", reported=SAME),
        missing_key=replace(MISSING_KEY, id="bedrock/responses-missing-key"),
        path="input",
    ),
    answers=None,
    books=(BOOK, SERVER_BOOK, *_renamed(FIELDS)),
    conversation_books=_renamed(WHOLE),
    traits=_traits,
    stores_responses=True,
)
