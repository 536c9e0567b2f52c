"""vLLM's `/v1/messages`: its models of pydantic, with the envelope and the ids of its chat completions."""

from typing import Any, Final

from fake_providers import remedies
from fake_providers.models import families_of
from fake_providers.providers.shared import member_types_other_wires as elsewhere
from fake_providers.providers.shared.chat_reading import PART, refuse_unread
from fake_providers.providers.shared.chat_types import Dialect, WrongType, refuse_wrong_types
from fake_providers.providers.shared.pydantic_words import printed, pydantic_breach, unread
from fake_providers.providers.vllm.vllm_chat import GEMMA, MODEL, NO_PARSER, error_body
from fake_providers.replies.documents import ByStatus
from fake_providers.rule import Remedy
from fake_providers.rulebook import ANY_PARAMETER, Breach, RequestContext, Rulebook
from fake_providers.wires.anthropic_messages.provider import Answers, Provider
from fake_providers.wires.openai_shared.provider_errors import context_length_rule
from fake_providers.wires.openai_shared.request_body import body_of

CHECKED: Final = "2026-11-23"
SOURCE: Final = "vllm-project/vllm vllm/entrypoints/anthropic/protocol.py"
TOOLS: Final = [{"name": "get_weather", "input_schema": {"type": "object"}}]
ROLES: Final = ("user", "assistant", "system", "ctx", "msg")
"""The last two are Claude Code's, and count as `user`."""
KINDS: Final = ("text", "image", "tool_use", "tool_result", "tool_reference", "thinking", "redacted_thinking")
SAMPLES: Final = elsewhere.samples(MODEL)
BOOK = Rulebook(error_body.refusal)
refuse_unread(BOOK, "vllm", elsewhere.CONVERSATION, model=MODEL, source=SOURCE, max_tokens=16, **unread("messages"))


def _literal(at: tuple[Any, ...], value: Any, known: tuple[str, ...]) -> str:
    expected = ", ".join(f"'{one}'" for one in known[:-1]) + f" or '{known[-1]}'"
    return printed("literal_error", at, f"Input should be {expected}", value, ctx={"expected": expected})


def _wrong_type(found: WrongType, context: RequestContext) -> Breach:
    if found.rule == "role-unknown":
        return Breach(found.at, _literal(found.path, found.value, ROLES[:3]))
    return pydantic_breach(found, context)


refuse_wrong_types(BOOK, "vllm",
    Dialect(words=_wrong_type, source=SOURCE, members=elsewhere.MEMBERS_OF_MESSAGES, roles=ROLES, lax=True,
        types={"thinking": "any", "thinking.type": "any", "thinking.budget_tokens": "any", "metadata.user_id": "any"},
        required=("model", "max_tokens", "tools[].input_schema", *elsewhere.REQUIRED),
        known=dict.fromkeys(
            ("result-type", "content-type", "content-part-type", "arguments-type", "tools-type", "member-missing"),
            ("reported", ()))), SAMPLES, prefix="anthropic-", table=elsewhere.RULES_OF_MESSAGES)  # fmt: skip


def _wrong_max_tokens(body: Any) -> Any:
    value, at = body["max_tokens"], ("max_tokens",)
    if value is None:
        return printed("int_type", at, "Input should be a valid integer", None)
    sentence = "Value error, max_tokens must be positive"
    return float(value) <= 0 and printed("value_error", at, sentence, value, ctx={"error": {}})


def _nameless_choice(body: Any) -> Any:
    choice = body.get("tool_choice") or {}
    sentence = "Value error, tool_choice.name is required when type is 'tool'"
    nameless = choice.get("type") == "tool" and not choice.get("name")
    return nameless and printed("value_error", ("tool_choice",), sentence, choice, ctx={"error": {}})


def _block_unknown(block: dict[str, Any], i: int, j: int) -> Any:
    kind, at = block.get("type"), ("messages", i, "content", j, "type")
    return kind not in KINDS and _literal(at, kind, KINDS)


def _forced(**choice: Any) -> dict[str, Any]:
    return elsewhere.sample(MODEL, tools=TOOLS, tool_choice={"type": "tool", **choice})


HEX = "0123456789abcdef"
ERROR_TYPES = {
    401: "AuthenticationError",
    404: "NotFoundError",
    500: "InternalServerError",
    503: "ServiceUnavailableError",
}
LEFT_OUT = frozenset(
    ["stop_details", "caller", "service_tier", "inference_geo", "cache_creation", "output_tokens_details"]
)


# A table: two rows are to be compared.
# fmt: off
BOOK.row("vllm/anthropic-block-unknown", "A block has an unknown type, such as one of a tool that Anthropic runs.",
    PART, _block_unknown, "{found}", ".type", checked=CHECKED,
    remedy=Remedy("content",
        "Send text, images, calls, results and thinking alone; put what a document says into a text block."),
    wrong=elsewhere.sample(MODEL, {"role": "user", "content": [{"type": "document", "text": "Rain."}]}),
    right=elsewhere.sample(MODEL, {"role": "user", "content": [{"type": "text", "text": "Rain."}]}),
    reported={SOURCE: "Input should be 'text', 'image', 'tool_use', 'tool_result'"})
BOOK.row("vllm/anthropic-max-tokens", "`max_tokens` is not positive.",
    ANY_PARAMETER, _wrong_max_tokens, "{found}", "max_tokens", checked=CHECKED, remedy=remedies.MAX_TOKENS,
    wrong=SAMPLES.at("max_tokens", 0), right=SAMPLES.at("max_tokens", 16),
    reported={SOURCE: "max_tokens must be positive"})
BOOK.row("vllm/anthropic-tool-choice-nameless", "A tool is forced that has no name.",
    ANY_PARAMETER, _nameless_choice, "{found}", "tool_choice.name", checked=CHECKED,
    remedy=Remedy("tool-choice", 'Name the tool that is forced, or send `{"type":"any"}`.'),
    wrong=_forced(), right=_forced(name="get_weather"),
    reported={SOURCE: "tool_choice.name is required when type is 'tool'"})
BOOK.row("vllm/anthropic-auto-tool-choice",
    "The request has tools and the server has no parser for the model's tool calls.",
    ANY_PARAMETER, lambda body: body.get("tools") and (body.get("tool_choice") or {}).get("type", "auto") == "auto",
    NO_PARSER, "tools", trait="no-parser", models="gemma-2, gemma-3", checked=CHECKED, remedy=remedies.SERVER_OPTIONS,
    wrong=elsewhere.sample(GEMMA, tools=TOOLS), right=elsewhere.sample(MODEL, tools=TOOLS),
    inferred={"deduced from `vllm/auto-tool-choice`: both paths lead to one handler": ""})
# fmt: on


PROVIDER = Provider(
    name="vllm",
    base_path="",
    books=(BOOK,),
    traits=families_of("anthropic-messages", "vllm"),
    answers=Answers(
        id=lambda ids: ids.make("chatcmpl-", 32, HEX),
        call_id=lambda ids: ids.make("chatcmpl-tool-", 16, HEX),
        left_out=LEFT_OUT,
    ),
    window=context_length_rule("vllm/anthropic-context-length", inferred={SOURCE: ""}),
    too_long=lambda tokens, window: (
        f"This model's maximum context length is {window} tokens. However, your request has {tokens} input tokens. "
        "Please reduce the length of the input messages."
    ),
    body_of=body_of,
    envelope=error_body.but(type=ByStatus(ERROR_TYPES, "BadRequestError", "BadRequestError")),
)
