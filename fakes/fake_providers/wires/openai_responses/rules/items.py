"""Rules on each item of the input: its type and its members."""

import re
from collections.abc import Mapping
from typing import Any, Final

from fake_providers.rulebook import ANY_MESSAGE, Breach, RequestContext
from fake_providers.wires.openai_responses.errors import envelope
from fake_providers.wires.openai_responses.rules.samples import (
    ASSISTANT_MESSAGE,
    CALL,
    REASONING_ITEM,
    RESULT,
    USER,
    cite,
    cite_probe,
    item_with,
    sample_request,
)
from fake_providers.wires.openai_shared.request_body import uses_beta
from fake_providers.wires.openai_shared.shared_rules import ItemRules
from fake_providers.wires.openai_shared.wording import breach, long_string, missing, wrong_type, wrong_value

ITEM_RULES = ItemRules(envelope, "input")

KINDS: Final = (
    "additional_tools",
    "agent_message",
    "apply_patch_call",
    "apply_patch_call_output",
    "code_interpreter_call",
    "compaction",
    "compaction_trigger",
    "computer_call",
    "computer_call_output",
    "custom_tool_call",
    "custom_tool_call_output",
    "file_search_call",
    "function_call",
    "function_call_output",
    "image_generation_call",
    "item_reference",
    "local_shell_call",
    "local_shell_call_output",
    "mcp_approval_request",
    "mcp_approval_response",
    "mcp_call",
    "mcp_list_tools",
    "message",
    "multi_agent_call",
    "multi_agent_call_output",
    "program",
    "program_output",
    "reasoning",
    "shell_call",
    "shell_call_output",
    "tool_search_call",
    "tool_search_output",
    "web_search_call",
)
NEWER: Final = ("configuration_update",)
"""Types that the SDK has had since the refusal with the list `KINDS` was recorded."""

ALL_KINDS: Final = frozenset((*KINDS, *NEWER))

ROLES: Final = ("assistant", "system", "developer", "user")
PHASES: Final = ("commentary", "final_answer")
MEMBERS: Final[dict[str, frozenset[str]]] = {
    "message": frozenset(("type", "role", "content", "id", "status")),
    "function_call": frozenset(
        ("type", "id", "call_id", "name", "arguments", "status", "namespace", "caller", "async")
    ),
    "function_call_output": frozenset(("type", "id", "call_id", "output", "status", "caller", "name", "namespace")),
    "reasoning": frozenset(("type", "id", "summary", "content", "encrypted_content")),
}
LONGEST_ID: Final = 64
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


def _item_type(context: RequestContext) -> Breach | None:
    item = context.body
    return None if isinstance(item.value, dict) else wrong_type(item.place, "an input item", item.value)


def _item_unknown(context: RequestContext) -> Breach | None:
    if kind_of(context.body.value) in ALL_KINDS:
        return None
    kind = context.body.value["type"]
    return wrong_choice(context.body.place, kind if isinstance(kind, str) else "", KINDS)


def _role_unknown(context: RequestContext) -> Breach | None:
    item = context.body.value
    role = item.get("role")
    if not is_message(item) or role in ROLES:
        return None
    return wrong_choice(context.body.place, role if isinstance(role, str) else "", ROLES)


def _member_unknown(context: RequestContext) -> Breach | None:
    item = context.body.value
    members = MEMBERS.get(kind_of(item))
    if members is None or uses_beta(context.headers):
        return None
    if item.get("role") == "assistant":
        members |= {"phase"}
    unknown = next((name for name in item if name not in members), None)
    if unknown is None:
        return None
    param = f"{context.body.place}.{unknown}"
    return breach(param, f"Unknown parameter: '{param}'.", "unknown_parameter")


def _phase(context: RequestContext) -> Breach | None:
    phase = context.body.value.get("phase")
    if not isinstance(phase, str) or phase in PHASES or not is_message(context.body.value):
        return None
    return wrong_choice(f"{context.body.place}.phase", phase, PHASES)


def _member_type(context: RequestContext) -> Breach | None:
    for name in ("id", "status"):
        value = context.body.value.get(name)
        if value is not None and not isinstance(value, str):
            return wrong_type(f"{context.body.place}.{name}", "a string", value)
    return None


def _id_too_long(context: RequestContext) -> Breach | None:
    item = context.body.value
    item_id = item.get("id")
    if kind_of(item) not in MEMBERS or not isinstance(item_id, str) or len(item_id) <= LONGEST_ID:
        return None
    return long_string(f"{context.body.place}.id", most=LONGEST_ID, length=len(item_id))


def _id_pattern(context: RequestContext) -> Breach | None:
    item = context.body.value
    item_id = item.get("id")
    if (
        kind_of(item) not in MEMBERS
        or not isinstance(item_id, str)
        or re.fullmatch("[a-zA-Z0-9_-]*[a-zA-Z0-9-]", item_id)
    ):
        return None
    param = f"{context.body.place}.id"
    pattern = "contains letters, numbers, underscores, or dashes, but this value contained additional characters."
    return breach(param, f"Invalid '{param}': '{item_id}'. Expected an ID that {pattern}", "invalid_value")


def _id_prefix(context: RequestContext) -> Breach | None:
    item = context.body.value
    prefix, item_id = PREFIXES.get(kind_of(item)), item.get("id")
    if prefix is None or not isinstance(item_id, str) or item_id.startswith(prefix):
        return None
    param = f"{context.body.place}.id"
    return breach(
        param, f"Invalid '{param}': '{item_id}'. Expected an ID that begins with '{prefix}'.", "invalid_value"
    )


def _summary(context: RequestContext) -> Breach | None:
    item = context.body.value
    if item.get("type") != "reasoning":
        return None
    place = f"{context.body.place}.summary"
    if "summary" not in item:
        return missing(place)
    return None if isinstance(item["summary"], list) else wrong_type(place, "an array of objects", item["summary"])


def wrong_choice(param: str, value: str, supported: tuple[str, ...]) -> Breach:
    """Like `wrong_value`, without the comma before `and` if there are only two values."""
    if len(supported) > 2:
        return wrong_value(param, value, supported)
    one, other = supported
    return breach(param, f"Invalid value: '{value}'. Supported values are: '{one}' and '{other}'.", "invalid_value")


# A table: two rows are to be compared.
# fmt: off
ITEM_RULES.row("openai/responses-item-type", "An item of the input is not an object.",
    ANY_MESSAGE, _item_type,
    wrong=sample_request("Hello"), right=sample_request(),
    recorded=cite_probe("input item primitive"))
ITEM_RULES.row("openai/responses-item-unknown", "An item has an unknown type, such as another provider's `tool_use`.",
    ANY_MESSAGE, _item_unknown,
    wrong=sample_request({"type": "tool_use", **USER}), right=sample_request({"type": "message", **USER}),
    recorded=cite_probe("input item type unknown"))
ITEM_RULES.row("openai/responses-role-unknown", "A message has no role, or an unknown one, such as `tool`.",
    ANY_MESSAGE, _role_unknown,
    wrong=sample_request({**USER, "role": "tool"}), right=sample_request(),
    recorded=cite_probe("input item role unknown"))
ITEM_RULES.row("openai/responses-item-member-unknown",
    "An item has a member that its type does not have, such as `name` on a message, and the request is of no beta.",
    ANY_MESSAGE, _member_unknown,
    wrong=sample_request({**USER, "name": "Ada"}), right=sample_request(),
    recorded=(*cite_probe("input item unknown member"), *cite_probe("input item phase on a user item"),
        *cite("BerriAI/litellm#13420, openai/openai-agents-python#3026", "Unknown parameter: 'input[1].status'."),
        *cite("openai/openai-python, `__api_exclude__`", "`parsed_arguments` is left out where a call is sent back")))
ITEM_RULES.row("openai/responses-phase-unknown", "The phase of an assistant message is unknown.",
    ANY_MESSAGE, _phase, needs="phase",
    wrong=sample_request(USER, {**ASSISTANT_MESSAGE, "phase": "thinking"}, USER),
    right=sample_request(USER, {**ASSISTANT_MESSAGE, "phase": "commentary"}, USER),
    recorded=cite_probe("input item phase unknown value"))
ITEM_RULES.row("openai/responses-item-member-type", "The id or the status of an item is not a string.",
    ANY_MESSAGE, _member_type, needs=("id", "status"), checked="2026-11-23",
    wrong=sample_request(USER, {**CALL, "status": 7}, RESULT),
    right=sample_request(USER, {**CALL, "status": "completed"}, RESULT),
    inferred={"worded like the refusals of other wrong types": ""})
ITEM_RULES.row("openai/responses-item-id-too-long",
    "The id of an item has more than 64 characters, as those of other servers may have.",
    ANY_MESSAGE, _id_too_long, needs="id",
    wrong=sample_request(USER, {**ASSISTANT_MESSAGE, "id": "msg_" + "1" * 61}, USER),
    right=sample_request(USER, {**ASSISTANT_MESSAGE, "id": "msg_" + "1" * 60}, USER),
    verbatim={"public code that quotes it, gpt-5.6-sol": "Invalid 'input[36].id': string too long. Expected a"})
ITEM_RULES.row("openai/responses-item-id-pattern",
    "The id of an item is empty, ends with _ or has characters other than letters, digits, _ and -.",
    ANY_MESSAGE, _id_pattern, needs="id",
    wrong=sample_request(USER, {**REASONING_ITEM, "id": ""}, ASSISTANT_MESSAGE, USER),
    right=sample_request(USER, {**REASONING_ITEM, "id": "rs_1"}, ASSISTANT_MESSAGE, USER),
    verbatim={"public code that quotes it, gpt-5.6-sol":
        "Invalid 'input[6].id': ''. Expected an ID that contains letters",
        "public code that describes a probe: `fc_abcDEF` is accepted, `fc_abcDEF_` is not": ""})
ITEM_RULES.row("openai/responses-item-id-prefix",
    "The id of an item does not start with the prefix of its type: `fc`, `rs`, `msg`.",
    ANY_MESSAGE, _id_prefix, needs="id",
    wrong=sample_request(USER, {**CALL, "id": "call_1"}, RESULT),
    right=sample_request(USER, {**CALL, "id": "fc_1"}, RESULT),
    verbatim={"quoted in three public threads": "Invalid 'input[3].id': '__fake_id__'. Expected an ID that begins"})
ITEM_RULES.row("openai/responses-summary-missing", "A reasoning item has no summary; an empty list is accepted.",
    ANY_MESSAGE, _summary, needs="reasoning",
    wrong=sample_request(USER, item_with(REASONING_ITEM, summary=None), ASSISTANT_MESSAGE, USER),
    right=sample_request(USER, REASONING_ITEM, ASSISTANT_MESSAGE, USER),
    reported={"newo-ether/Agora#141": "missing required field `summary`"})
# fmt: on
