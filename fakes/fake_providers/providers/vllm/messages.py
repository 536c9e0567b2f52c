"""vLLM's `/v1/messages`: its models of pydantic, with the envelope and the ids of its chat completions."""

from typing import Any, Final

from fake_providers.models import families_of
from fake_providers.providers.shared.chat_reading import refuse_unread
from fake_providers.providers.shared.chat_types import Dialect, WrongType, refuse_wrong_types
from fake_providers.providers.shared.pydantic_words import problems_of
from fake_providers.providers.shared.types_elsewhere import (
    CONVERSATION,
    MEMBERS_OF_MESSAGES,
    REQUIRED,
    RULES_OF_MESSAGES,
    sample,
    samples,
)
from fake_providers.providers.vllm.chat import GEMMA, MODEL, error_body
from fake_providers.replies.documents import ByStatus
from fake_providers.rulebook import ANY_MESSAGE, ANY_PARAMETER, Breach, RequestContext, Rulebook
from fake_providers.wires.anthropic_messages.provider import Answers, Provider
from fake_providers.wires.openai_shared.provider_errors import context_length_rule
from fake_providers.wires.openai_shared.request_body import body_of

CHECKED: Final = "2026-11-23"
SOURCE: Final = "vllm-project/vllm vllm/entrypoints/anthropic/protocol.py"
TOOL: Final = {"name": "get_weather", "input_schema": {"type": "object"}}
ROLES: Final = ("user", "assistant", "system", "ctx", "msg")
"""The last two are Claude Code's, and count as `user`."""
KINDS: Final = ("text", "image", "tool_use", "tool_result", "tool_reference", "thinking", "redacted_thinking")
SAMPLES: Final = samples(MODEL)


BOOK = Rulebook(error_body.refusal)

refuse_unread(
    BOOK,
    "vllm",
    CONVERSATION,
    model=MODEL,
    not_json=Breach("body", "[{'type': 'json_invalid', 'loc': ('body', 0), 'msg': 'JSON decode error', 'input': {}}]"),
    missing=lambda body: Breach(
        "messages", "[{'type': 'missing', 'loc': ('body', 'messages'), 'msg': 'Field required'}]"
    ),
    source=SOURCE,
    max_tokens=16,
)


def _literal(at: tuple[Any, ...], value: Any, known: tuple[str, ...]) -> str:
    expected = ", ".join(f"'{one}'" for one in known[:-1]) + f" or '{known[-1]}'"
    problem = {"type": "literal_error", "loc": ("body", *at), "msg": f"Input should be {expected}", "input": value}
    return str([{**problem, "ctx": {"expected": expected}}])


def _wrong_type(found: WrongType, context: RequestContext) -> Breach:
    if found.rule == "role-unknown":
        return Breach(found.at, _literal(found.path, found.value, ROLES[:3]))
    owner = context.body
    for part in found.path[:-1]:
        owner = owner[part]
    problems = problems_of(found, ["body", *found.path], whole=owner, roles=())
    return Breach(found.at, str([{**problem, "loc": tuple(problem["loc"])} for problem in problems]))


refuse_wrong_types(
    BOOK,
    "vllm",
    Dialect(
        words=_wrong_type,
        source=SOURCE,
        members=MEMBERS_OF_MESSAGES,
        roles=ROLES,
        lax=True,
        types={"thinking": "any", "thinking.type": "any", "thinking.budget_tokens": "any", "metadata.user_id": "any"},
        required=("model", "max_tokens", "tools[].input_schema", *REQUIRED),
        known=dict.fromkeys(
            ("result-type", "content-type", "content-part-type", "arguments-type", "tools-type", "member-missing"),
            ("reported", ()),
        ),
    ),
    SAMPLES,
    prefix="anthropic-",
    table=RULES_OF_MESSAGES,
)


def _block_unknown(context: RequestContext) -> Breach | None:
    for index, message in enumerate(context.body["messages"]):
        for number, block in enumerate(message["content"] if isinstance(message["content"], list) else ()):
            if block.get("type") not in KINDS:
                at = ("messages", index, "content", number, "type")
                place = f"messages[{index}].content[{number}].type"
                return Breach(place, _literal(at, block.get("type"), KINDS))
    return None


def _max_tokens(context: RequestContext) -> Breach | None:
    value = context.body["max_tokens"]
    if value is None:
        problem = {"type": "int_type", "loc": ("body", "max_tokens"), "msg": "Input should be a valid integer"}
        return Breach("max_tokens", str([{**problem, "input": None}]))
    if float(value) > 0:
        return None
    problem = {"type": "value_error", "loc": ("body", "max_tokens"), "msg": "Value error, max_tokens must be positive"}
    return Breach("max_tokens", str([{**problem, "input": value, "ctx": {"error": {}}}]))


def _nameless_choice(context: RequestContext) -> Breach | None:
    choice = context.body.get("tool_choice") or {}
    if choice.get("type") != "tool" or choice.get("name"):
        return None
    sentence = "Value error, tool_choice.name is required when type is 'tool'"
    problem = {"type": "value_error", "loc": ("body", "tool_choice"), "msg": sentence, "input": choice}
    return Breach("tool_choice.name", str([{**problem, "ctx": {"error": {}}}]))


def _auto_tool_choice(context: RequestContext) -> Breach | None:
    chosen = (context.body.get("tool_choice") or {}).get("type", "auto")
    if "no-parser" not in context.traits or not context.body.get("tools") or chosen != "auto":
        return None
    return Breach("tools", '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set')


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
    ANY_MESSAGE, _block_unknown, checked=CHECKED,
    wrong=sample(MODEL, {"role": "user", "content": [{"type": "document", "text": "Rain."}]}),
    right=sample(MODEL, {"role": "user", "content": [{"type": "text", "text": "Rain."}]}),
    reported={SOURCE: "Input should be 'text', 'image', 'tool_use', 'tool_result'"})
BOOK.row("vllm/anthropic-max-tokens", "`max_tokens` is not positive.",
    ANY_PARAMETER, _max_tokens, checked=CHECKED,
    wrong=SAMPLES.at("max_tokens", 0), right=SAMPLES.at("max_tokens", 16),
    reported={SOURCE: "max_tokens must be positive"})
BOOK.row("vllm/anthropic-tool-choice-nameless", "A tool is forced that has no name.",
    ANY_PARAMETER, _nameless_choice, checked=CHECKED,
    wrong=sample(MODEL, tools=[TOOL], tool_choice={"type": "tool"}),
    right=sample(MODEL, tools=[TOOL], tool_choice={"type": "tool", "name": "get_weather"}),
    reported={SOURCE: "tool_choice.name is required when type is 'tool'"})
BOOK.row("vllm/anthropic-auto-tool-choice",
    "The request has tools and the server has no parser for the model's tool calls.",
    ANY_PARAMETER, _auto_tool_choice, models="gemma-2, gemma-3", checked=CHECKED,
    wrong=sample(GEMMA, tools=[TOOL]), right=sample(MODEL, tools=[TOOL]),
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
