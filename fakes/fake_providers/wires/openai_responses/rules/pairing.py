"""Rules on items that belong together, in the whole conversation. `RequestContext.body` is a `Conversation`.

Only a served fake knows which responses it has sent; without a store every reference counts as valid.
"""

from collections.abc import Iterator
from typing import Any, Final

from fake_providers import remedies
from fake_providers.replies.signature_forms import may_be_openais
from fake_providers.rule import Remedy
from fake_providers.rulebook import ANY_PARAMETER, NEAR_MESSAGES, WHOLE_REQUEST, Breach, Rulebook, Selector
from fake_providers.wires.openai_responses.conversation import Conversation, PlacedItem, ServedItem, conversation_id
from fake_providers.wires.openai_responses.errors import envelope
from fake_providers.wires.openai_responses.own_tools import runs_at_the_provider
from fake_providers.wires.openai_responses.rules.samples import (
    ASSISTANT_MESSAGE,
    CALL,
    MODEL,
    PROBES,
    REASONING_ITEM,
    RESULT,
    USER,
    cite,
    item_with,
    probes,
    sample_request,
)
from fake_providers.wires.openai_shared.parameters import REASONING
from fake_providers.wires.openai_shared.shared_rules import LIKE_OTHER_TYPES
from fake_providers.wires.openai_shared.wording import breach, wrong_type

STATE_BOOK = Rulebook(envelope)
REASONING_BOOK = Rulebook(envelope)
BOOK = Rulebook(envelope)

CALLS: Final = {
    "function_call": "function call",
    "custom_tool_call": "custom tool call",
    "apply_patch_call": "apply patch call",
    "shell_call": "shell call",
    "computer_call": "computer call",
    "tool_search_call": "tool search call",
}
"""Calls that need a result from the client, and their names in the error message."""
RESULTS: Final = {
    "function_call_output": "function call output",
    "custom_tool_call_output": "custom tool call output",
    "tool_search_output": "tool search output",
}


def _duplicate(conversation: Conversation) -> Breach | None:
    found = set()
    for placed in conversation.items:
        id = placed.value.get("id")
        if not isinstance(id, str) or (placed.value.get("type") == "reasoning" and not _stores(conversation)):
            continue
        if id in found and placed.own:
            sentence = f"Duplicate item found with id {id}. Remove duplicate items from your input and try again."
            return breach("input", sentence, at=placed.at)
        found.add(id)
    return None


def _thought(conversation: Conversation) -> Breach | None:
    for index, placed in enumerate(conversation.items if _stores(conversation) else ()):
        thought = placed.value
        if thought.get("type") != "reasoning" or not thought.get("id"):
            continue
        known = _served(conversation, placed)
        is_bound = thought.get("encrypted_content") or (known is not None and known.has_following)
        if is_bound and not _follows(conversation.items[index + 1 :]):
            message = f"Item '{thought['id']}' of type 'reasoning' was provided without its required following item."
            return breach("input", message, at=placed.at)
    return None


def _without_thought(conversation: Conversation) -> Breach | None:
    before: dict[str, Any] = {}
    ids = {str(placed.value.get("id")) for placed in conversation.items}
    for placed in conversation.items:
        item, known = placed.value, _served(conversation, placed)
        thought = known.reasoning if known is not None else None
        if thought is not None and thought not in ids and before.get("type") != "reasoning":
            kind = item.get("type", "message")
            message = f"Item '{item['id']}' of type '{kind}' was provided without its required 'reasoning' item: "
            return breach("input", f"{message}'{thought}'.", at=placed.at)
        before = dict(item)
    return None


def _without_call(conversation: Conversation) -> Breach | None:
    call_ids = {str(item.get("call_id")) for item in _values(conversation) if _is_call(item)}
    for placed in conversation.items if conversation.complete else ():
        call_id, kind = str(placed.value.get("call_id")), str(placed.value.get("type"))
        if kind in RESULTS and _is_of_client(placed.value) and call_id not in call_ids:
            message = f"No tool call found for {RESULTS[kind]} with call_id {call_id}."
            return breach("input", message, at=placed.at)
    return None


def _without_result(conversation: Conversation) -> Breach | None:
    own = conversation.body.get("input")
    objects = [item for item in own if isinstance(item, dict)] if isinstance(own, list) else []
    if any(item.get("type") == "item_reference" for item in objects) and not conversation.complete:
        return None
    results = {(str(item.get("type")), str(item.get("call_id"))) for item in _values(conversation)}
    for placed in conversation.items:
        call_id, kind = str(placed.value.get("call_id")), str(placed.value.get("type"))
        own_kind = "tool_search_output" if kind == "tool_search_call" else f"{kind}_output"
        answers = (("function_call_output", call_id), (own_kind, call_id))
        if kind in CALLS and _is_of_client(placed.value) and results.isdisjoint(answers):
            return breach("input", f"No tool output found for {CALLS[kind]} {call_id}.", at=placed.at)
    return None


def _served(conversation: Conversation, placed: PlacedItem) -> ServedItem | None:
    """What the fake has sent and stored as this item of the request, if it has."""
    known = conversation.held.known.get(str(placed.value.get("id"))) if conversation.held is not None else None
    return known if known is not None and known.stored and placed.own else None


def _follows(rest: tuple[PlacedItem, ...]) -> bool:
    """Whether the next item that is not reasoning is one that the model wrote after the reasoning."""
    after = next((placed.value for placed in rest if placed.value.get("type") != "reasoning"), None)
    if after is None or str(after.get("type")).endswith("_output"):
        return False
    if after.get("type", "message") != "message":
        return True
    return after.get("role") == "assistant" and bool(after.get("id"))


def _is_call(item: Any) -> bool:
    kind = str(item.get("type"))
    return kind.endswith("_call") or kind == "program"


def _is_of_client(item: Any) -> bool:
    """Whether the client runs a call, or has run what has this result."""
    is_search = item.get("type") in ("tool_search_call", "tool_search_output")
    return item.get("execution") == "client" if is_search else not runs_at_the_provider(item)


def _stores(conversation: Conversation) -> bool:
    return conversation.body.get("store") is not False


def _values(conversation: Conversation) -> Iterator[Any]:
    return (placed.value for placed in conversation.items)


def _conversation_type(conversation: Conversation) -> Breach | None:
    named = conversation.body.get("conversation")
    if isinstance(named, dict):
        return None if isinstance(named.get("id"), str) else wrong_type("conversation.id", "a string", named.get("id"))
    return None if isinstance(named, str | None) else wrong_type("conversation", "a string", named)


def _has_previous(conversation: Conversation) -> bool:
    return conversation.held is not None and conversation.held.previous is not None


def _state_id_prefix(conversation: Conversation) -> Breach | None:
    if _has_previous(conversation):
        return None  # a script gives its responses any id
    body = conversation.body
    states: tuple[tuple[str, Any, str], ...] = (
        ("previous_response_id", body.get("previous_response_id"), "resp"),
        ("conversation", conversation_id(body), "conv"),
    )
    for name, named, prefix in states:
        if body.get(name) is not None and not named.startswith(prefix):
            message = f"Invalid '{name}': '{named}'. Expected an ID that begins with '{prefix}'."
            return breach(name, message, "invalid_value")
    return None


def _not_persisted(conversation: Conversation) -> Breach | None:
    if not conversation.missing:
        return None
    at, id = conversation.missing[0]
    message = (
        f"Item with id '{id}' not found. Items are not persisted when `store` is set to false. Try again with `store` "
        "set to true, or remove this item from your input."
    )
    return breach("input", message, at=at)


PLACED: Final = Selector(
    lambda context: ((placed.value, placed.at) for placed in context.body.items),
    "{place}",
    ("place",),
    "parts",
    ("conversation",),
)
"""Each item of the request and of what it continues."""


def _encrypted_elsewhere(item: dict[str, Any], place: str) -> Breach | None:
    content = item.get("encrypted_content") if item.get("type") == "reasoning" else None
    if not isinstance(content, str) or not content or may_be_openais(content):
        return None
    sentence = f"The encrypted content {content[:4]}...{content[-4:]} could not be verified. Reason: Encrypted content "
    where = f"{place}.encrypted_content"
    return breach(None, f"{sentence}could not be decrypted or parsed.", "invalid_encrypted_content", at=where)


_TWO_STATES = {"conversation": "conv_1", "previous_response_id": "resp_1"}


# A table: two rows are to be compared.
# fmt: off
STATE_BOOK.row("openai/responses-state-twice", "`conversation` and `previous_response_id` are both set.",
    ANY_PARAMETER, lambda said: all(said.body.get(name) for name in _TWO_STATES)
        and breach(None,
        "Mutually exclusive parameters: ''. Ensure you are only providing one of: 'pre..._id' or 'conversation'.",
        "mutually_exclusive_parameters", at="previous_response_id"), needs="previous_response_id",
    remedy=Remedy("stored-state", "Continue either from `conversation` or from `previous_response_id`."),
    wrong=sample_request(**_TWO_STATES), right=sample_request(previous_response_id="resp_1"),
    recorded={PROBES: "conversation with previous_response_id"})
STATE_BOOK.row("openai/responses-conversation-type",
    "`conversation` is neither the id of a conversation nor an object with one.",
    ANY_PARAMETER, _conversation_type, needs="conversation", checked="2026-11-27",
    remedy=remedies.VALUE.of("stored-state"),
    wrong=sample_request(conversation=7), right=sample_request(conversation={"id": "conv_1"}),
    inferred=LIKE_OTHER_TYPES)
STATE_BOOK.row("openai/responses-state-id-prefix",
    "The id of a response or of a conversation does not start with `resp` or `conv`, such as a session's own id.",
    ANY_PARAMETER, _state_id_prefix, needs=("conversation", "previous_response_id"), checked="2026-11-27",
    remedy=remedies.ID_OF_STATE,
    wrong=sample_request(conversation="session_1"), right=sample_request(conversation="conv_1"),
    verbatim=(
        *cite("public code that quotes it", "Invalid 'conversation': 'wa_10_972504294724_s_whatsapp_net'. Expected an"),
        *cite("public code that quotes it", "Invalid 'previous_response_id': 'gen-123'. Expected an ID that begins"),
        *cite("public code that quotes it, for an empty one", "Invalid 'previous_response_id': ''")))
STATE_BOOK.row("openai/responses-previous-not-found",
    "`previous_response_id` names a response that was never sent or not stored.",
    WHOLE_REQUEST, lambda said: said.unknown_previous_response is not None
        and breach("previous_response_id", f"Previous response with id '{said.unknown_previous_response}' not found.",
        "previous_response_not_found"), needs="previous_response_id", remedy=remedies.HISTORY_FOR_ID,
    wrong=None, right=None,
    recorded={PROBES: "previous_response_id unknown"})
STATE_BOOK.row("openai/responses-conversation-not-found",
    "`conversation` names a conversation that was never made, or was deleted.",
    WHOLE_REQUEST, lambda said: conversation_id(said.body) and said.held is not None and not _has_previous(said)
        and breach("conversation", f"Conversation with id '{conversation_id(said.body)}' not found."),
    needs="conversation", status=404, checked="2026-11-27", remedy=remedies.ID_OF_STATE,
    wrong=None, right=None,
    inferred={"worded like the refusal of a response that is not there": ""})
STATE_BOOK.row("openai/responses-item-not-persisted",
    "An `item_reference` names an item that was never sent or not stored.",
    WHOLE_REQUEST, _not_persisted, needs="item_reference", status=404, remedy=remedies.HISTORY_FOR_ID,
    wrong=None, right=None,
    verbatim={"quoted in three public threads, once with status 400": "Items are not persisted when `store` is set"})
STATE_BOOK.row("openai/responses-input-empty",
    "The input is an empty text or list, and the request continues nothing else.",
    NEAR_MESSAGES, lambda said: not any(said.body.get(name)
        for name in ("input", "previous_response_id", "prompt", "conversation"))
        and breach(None, "One of \"input\" or \"previous_response_id\" or 'prompt' or 'conversation' must be provided.",
        "missing_required_parameter", at="input"), remedy=remedies.CONVERSATION.of("stored-state"),
    wrong={"model": MODEL, "input": ""}, right={"model": MODEL, "input": "Hello"},
    recorded=probes("input empty loses to the state phase", "input empty beats the capability pass"))
REASONING_BOOK.row("openai/responses-encrypted-content-invalid",
    "A reasoning item was encrypted by another provider. Of OpenAI's own only the beginning is checked.",
    PLACED, _encrypted_elsewhere, needs="encrypted_content", remedy=remedies.SEALED_BY_OTHERS,
    wrong=sample_request(USER, item_with(REASONING_ITEM, encrypted_content="EqQBCgIYAhIM1gbcDa9GJwZA2b3h"),
        ASSISTANT_MESSAGE, USER), right=sample_request(USER, REASONING_ITEM, ASSISTANT_MESSAGE, USER),
    verbatim={"openai/codex#8126": "The encrypted content gAAA...CwHs could not be verified.",
        "Wei-Shaw/sub2api#2863": "Reason: Encrypted content could not be decrypted or parsed.",
        "pydantic/pydantic-ai#4608: reasoning is bound to whom it was issued to": ""})
BOOK.row("openai/responses-duplicate-item",
    "Two items have the same id, or an item has the id of one in the previous response; reasoning may repeat with "
        "`store: false`.",
    WHOLE_REQUEST, _duplicate, needs="id",
    remedy=Remedy("pairing", "Append each item to the history once, and leave `id` out where an item is repeated."),
    wrong=sample_request(USER, ASSISTANT_MESSAGE, USER, {**ASSISTANT_MESSAGE}),
    right=sample_request(USER, ASSISTANT_MESSAGE, USER, {**ASSISTANT_MESSAGE, "id": "msg_2"}),
    verbatim={"continuedev/continue#10200": "Duplicate item found with id rs_091c3b02.", "vercel/ai#15492": "",
        "NousResearch/hermes-agent#7946": ""})
BOOK.row("openai/responses-thought-without-item",
    "A reasoning item is sent back without the item that followed it, or that item has no id.",
    NEAR_MESSAGES, _thought, needs="reasoning", trait="reasoning",
    models=f"{REASONING}; with `store: false` it was observed to be accepted in September 2026, and without "
        "`encrypted_content` in April 2025: then only an item that the fake has sent and stored is refused",
    remedy=remedies.REASONING_WITH_ITEM,
    wrong=sample_request(USER, REASONING_ITEM, item_with(ASSISTANT_MESSAGE, id=None), USER),
    right=sample_request(USER, REASONING_ITEM, ASSISTANT_MESSAGE, USER),
    recorded={"recordings, gpt-5, 2025-09 and 2026-01": "was provided without its required following item.",
        "OpenHands/software-agent-sdk#1754": "requires the following message item to have 'id' and 'status'",
        "openai/openai-agents-python#1611: also for what `previous_response_id` names": "",
        "anomalyco/opencode#20698": "", "openai/openai-node#1567: with an id and a summary alone": ""})
BOOK.row("openai/responses-item-without-thought",
    "A message or a call with its id is sent back without the reasoning item before it.",
    WHOLE_REQUEST, _without_thought, needs="id", models="reasoning models, items that are stored",
    remedy=remedies.REASONING_WITH_ITEM,
    wrong=None, right=None,
    verbatim={"quoted in public code": "'function_call' was provided without its required 'reasoning' item:",
        "continuedev/continue#11994": "was provided without its required 'reasoning' item: 'rs_...'.",
        "openai/openai-dotnet#1050": ""})
BOOK.row("openai/responses-result-without-call", "The `call_id` of a result is not the id of any call.",
    NEAR_MESSAGES, _without_call, needs=("custom_tool_call_output", "function_call_output", "tool_search_output"),
    remedy=remedies.RESULT_WITH_CALL,
    wrong=sample_request(USER, CALL, RESULT, {**RESULT, "call_id": "call_2"}),
    right=sample_request(USER, CALL, RESULT, {**RESULT, "call_id": "call_1"}),
    verbatim={"quoted in three public threads": "No tool call found for function call output with call_id call_1.",
        "public code that quotes it": "No tool call found for custom tool call output with call_id call_x.",
        "four public programs that quote it": "No tool call found for tool search output with call_id"})
BOOK.row("openai/responses-call-without-result",
    "A call in the request, or in the response that it continues, has no result.",
    NEAR_MESSAGES, _without_result,
    needs=("apply_patch_call", "computer_call", "custom_tool_call", "function_call", "shell_call", "tool_search_call"),
    remedy=remedies.ANSWER_CALLS,
    wrong=sample_request(USER, CALL), right=sample_request(USER, CALL, RESULT),
    verbatim={"quoted in three public threads": "No tool output found for function call call_1.",
        "github/copilot-cli#4572": "",
        "public code that quotes them": "custom tool call call_`, `No tool output found for apply patch call call_",
        "microsoft/agent-framework#8663": "No tool output found for shell call",
        "three public programs that quote it": "No tool output found for computer call",
        "Wei-Shaw/sub2api#1885": "No tool output found for tool search call fcjAsf03FedtKVWvFij7eSFSo7."})
# fmt: on
