"""Rules on each item of the input: its type and its members."""

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from fake_providers import remedies
from fake_providers.rule import Remedy
from fake_providers.rulebook import Breach, RequestContext
from fake_providers.wires.openai_responses.errors import envelope
from fake_providers.wires.openai_responses.rules.samples import (
    ASSISTANT_MESSAGE,
    CALL,
    PROBES,
    REASONING_ITEM,
    RESULT,
    USER,
    cite,
    item_with,
    probes,
    sample_request,
)
from fake_providers.wires.openai_shared import wording as say
from fake_providers.wires.openai_shared.request_body import uses_beta
from fake_providers.wires.openai_shared.shared_rules import LIKE_OTHER_TYPES, MESSAGE, ItemRules, inside

ITEM_RULES = ItemRules(envelope, "input")

KINDS: Final = (
    "additional_tools", "agent_message", "apply_patch_call", "apply_patch_call_output", "code_interpreter_call",
    "compaction", "compaction_trigger", "computer_call", "computer_call_output", "custom_tool_call",
    "custom_tool_call_output", "file_search_call", "function_call", "function_call_output", "image_generation_call",
    "item_reference", "local_shell_call", "local_shell_call_output", "mcp_approval_request",
    "mcp_approval_response", "mcp_call", "mcp_list_tools", "message", "multi_agent_call", "multi_agent_call_output",
    "program", "program_output", "reasoning", "shell_call", "shell_call_output", "tool_search_call",
    "tool_search_output", "web_search_call",
)  # fmt: skip
NEWER: Final = ("configuration_update",)
"""Types that the SDK has had since the refusal with the list `KINDS` was recorded."""

ROLES: Final = ("assistant", "system", "developer", "user")
MEMBERS: Final[dict[str, frozenset[str]]] = {
    "message": frozenset(("type", "role", "content", "id", "status")),
    "function_call": frozenset(
        ("type", "id", "call_id", "name", "arguments", "status", "namespace", "caller", "async")
    ),
    "function_call_output": frozenset(("type", "id", "call_id", "output", "status", "caller", "name", "namespace")),
    "reasoning": frozenset(("type", "id", "summary", "content", "encrypted_content")),
}
PREFIXES: Final = {"message": "msg", "function_call": "fc", "reasoning": "rs"}


def is_message(item: Mapping[str, Any]) -> bool:
    """Whether the item is a message; a message needs no type."""
    return kind_of(item) == "message"


def kind_of(item: Mapping[str, Any]) -> str:
    """The type of the item; a message needs none, nor does one with only an id, to which a beta adds an agent."""
    kind = item.get("type")
    if kind is not None:
        return str(kind)
    if "role" in item:
        return "message"
    return "item_reference" if item.keys() - {"type", "agent"} == {"id"} else "message"


def _role_unknown(item: dict[str, Any], place: str) -> Breach | None:
    role = item.get("role")
    if not is_message(item) or role in ROLES:
        return None
    return say.wrong_value(place, role if isinstance(role, str) else "", ROLES)


def _member_unknown(item: dict[str, Any], place: str, context: RequestContext) -> Breach | None:
    members = MEMBERS.get(kind_of(item))
    if members is None or uses_beta(context.headers):
        return None
    known = members | {"phase"} if item.get("role") == "assistant" else members
    return next((say.unknown(f"{place}.{name}") for name in item if name not in known), None)


def _id(item: dict[str, Any], place: str) -> Iterable[tuple[Any, str]]:
    """The id of an item whose members are known, if it is a text."""
    is_known = kind_of(item) in MEMBERS and isinstance(item.get("id"), str)
    return ((item["id"], f"{place}.id"),) if is_known else ()


ID: Final = inside("conversation", _id)


def _id_prefix(item: dict[str, Any], place: str) -> Breach | None:
    prefix, id = PREFIXES.get(kind_of(item)), item.get("id")
    if prefix is None or not isinstance(id, str) or id.startswith(prefix):
        return None
    return _wrong_id(f"{place}.id", id, f"begins with '{prefix}'.")


def _wrong_id(param: str, id: str, what: str) -> Breach:
    return say.breach(param, f"Invalid '{param}': '{id}'. Expected an ID that {what}", "invalid_value")


FOUND: Final[dict[str, Any]] = {
    "type": "web_search_call",
    "id": "ws_1",
    "status": "completed",
    "action": {"type": "find_in_page", "url": "https://example.com", "pattern": "Oslo"},
}


# A table: two rows are to be compared.
# fmt: off
ITEM_RULES.row("openai/responses-item-type", "An item of the input is not an object.",
    MESSAGE, lambda item, place: not isinstance(item, dict) and say.wrong_type(place, "an input item", item),
    remedy=remedies.MESSAGE_LIST,
    wrong=sample_request("Hello"), right=sample_request(),
    recorded={PROBES: "input item primitive"})
ITEM_RULES.row("openai/responses-item-unknown", "An item has an unknown type, such as another provider's `tool_use`.",
    MESSAGE, lambda item, place: kind_of(item) not in (*KINDS, *NEWER)
        and say.wrong_value(place, item["type"] if isinstance(item["type"], str) else "", KINDS),
        remedy=remedies.OWN_ITEMS,
    wrong=sample_request({"type": "tool_use", **USER}), right=sample_request({"type": "message", **USER}),
    recorded={PROBES: "input item type unknown"})
ITEM_RULES.row("openai/responses-action-query", "A search for words in a page, which is no web search, has a `query`.",
    MESSAGE, lambda item, place: isinstance(action := item.get("action"), dict)
        and action.get("type") == "find_in_page" and "query" in action and say.unknown(f"{place}.action.query"),
    needs="find_in_page", checked="2026-11-30", remedy=remedies.OWN_ITEMS,
    wrong=sample_request(USER, {**FOUND, "action": {**FOUND["action"], "query": None}}),
    right=sample_request(USER, FOUND),
    verbatim={"pydantic/pydantic-ai#3653 and #3709": "Unknown parameter: 'input[4].action.query'."})
ITEM_RULES.row("openai/responses-role-unknown", "A message has no role, or an unknown one, such as `tool`.",
    MESSAGE, _role_unknown,
    remedy=Remedy("messages",
        "Write `user`, `assistant`, `system` or `developer`; the result of a tool is an item "
        "`function_call_output`, no message."),
    wrong=sample_request({**USER, "role": "tool"}), right=sample_request(),
    recorded={PROBES: "input item role unknown"})
ITEM_RULES.row("openai/responses-item-member-unknown",
    "An item has a member that its type does not have, such as `name` on a message, and the request is of no beta.",
    MESSAGE, _member_unknown, remedy=remedies.OWN_MEMBERS,
    wrong=sample_request({**USER, "name": "Ada"}), right=sample_request(),
    recorded=(*probes("input item unknown member", "input item phase on a user item"),
        *cite("BerriAI/litellm#13420, openai/openai-agents-python#3026", "Unknown parameter: 'input[1].status'."),
        *cite("openai/openai-python, `__api_exclude__`", "`parsed_arguments` is left out where a call is sent back")))
ITEM_RULES.row("openai/responses-phase-unknown", "The phase of an assistant message is unknown.",
    MESSAGE, lambda item, place: isinstance(item.get("phase"), str) and is_message(item)
        and say.unknown_word(f"{place}.phase", item["phase"], ("commentary", "final_answer")), needs="phase",
    remedy=Remedy("messages",
        "Send the phase back as the model wrote it, `commentary` or `final_answer`, or leave it out."),
    wrong=sample_request(USER, {**ASSISTANT_MESSAGE, "phase": "thinking"}, USER),
    right=sample_request(USER, {**ASSISTANT_MESSAGE, "phase": "commentary"}, USER),
    recorded={PROBES: "input item phase unknown value"})
ITEM_RULES.row("openai/responses-item-member-type", "The id or the status of an item is not a string.",
    MESSAGE, lambda item, place: next(
        (say.wrong_type(f"{place}.{name}", "a string", item[name]) for name in ("id", "status")
        if not isinstance(item.get(name), str | None)), None), needs=("id", "status"), checked="2026-11-23",
    remedy=remedies.VALUE.of("messages"),
    wrong=sample_request(USER, {**CALL, "status": 7}, RESULT),
    right=sample_request(USER, {**CALL, "status": "completed"}, RESULT),
    inferred=LIKE_OTHER_TYPES)
ITEM_RULES.row("openai/responses-item-id-too-long",
    "The id of an item has more than 64 characters, as those of other servers may have.",
    ID, lambda text, place: say.long_string(place, text, 64), needs="id", remedy=remedies.ITEM_ID,
    wrong=sample_request(USER, {**ASSISTANT_MESSAGE, "id": "msg_" + "1" * 61}, USER),
    right=sample_request(USER, {**ASSISTANT_MESSAGE, "id": "msg_" + "1" * 60}, USER),
    verbatim={"public code that quotes it, gpt-5.6-sol": "Invalid 'input[36].id': string too long. Expected a"})
ITEM_RULES.row("openai/responses-item-id-pattern",
    "The id of an item is empty, ends with _ or has characters other than letters, digits, _ and -.",
    ID, lambda text, place: not re.fullmatch("[a-zA-Z0-9_-]*[a-zA-Z0-9-]", text)
        and _wrong_id(place, text,
        "contains letters, numbers, underscores, or dashes, but this value contained additional characters."),
    needs="id", remedy=remedies.ITEM_ID,
    wrong=sample_request(USER, {**REASONING_ITEM, "id": ""}, ASSISTANT_MESSAGE, USER),
    right=sample_request(USER, {**REASONING_ITEM, "id": "rs_1"}, ASSISTANT_MESSAGE, USER),
    verbatim={"public code that quotes it, gpt-5.6-sol":
        "Invalid 'input[6].id': ''. Expected an ID that contains letters",
        "public code that describes a probe: `fc_abcDEF` is accepted, `fc_abcDEF_` is not": ""})
ITEM_RULES.row("openai/responses-item-id-prefix",
    "The id of an item does not start with the prefix of its type: `fc`, `rs`, `msg`.",
    MESSAGE, _id_prefix, needs="id", remedy=remedies.ITEM_ID,
    wrong=sample_request(USER, {**CALL, "id": "call_1"}, RESULT),
    right=sample_request(USER, {**CALL, "id": "fc_1"}, RESULT),
    verbatim={"quoted in three public threads": "Invalid 'input[3].id': '__fake_id__'. Expected an ID that begins"})
ITEM_RULES.row("openai/responses-summary-missing", "A reasoning item has no summary; an empty list is accepted.",
    MESSAGE, lambda item, place: item.get("type") == "reasoning"
        and (say.missing(f"{place}.summary") if "summary" not in item else not isinstance(item["summary"], list)
        and say.wrong_type(f"{place}.summary", "an array of objects", item["summary"])), needs="reasoning",
    remedy=remedies.REASONING_WHOLE,
    wrong=sample_request(USER, item_with(REASONING_ITEM, summary=None), ASSISTANT_MESSAGE, USER),
    right=sample_request(USER, REASONING_ITEM, ASSISTANT_MESSAGE, USER),
    reported={"newo-ether/Agora#141": "missing required field `summary`"})
# fmt: on
