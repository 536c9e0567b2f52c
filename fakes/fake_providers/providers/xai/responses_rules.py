"""xAI's envelopes and its rules: refusals of the engine are `{code, error}` with 400, parse errors `{error}` with 422.

Items without ids, tools that are not strict, and instructions were recorded as accepted. Reasoning that another
provider encrypted is recognised by its form: OpenAI's begins as Fernet tokens do.
"""

from typing import Any, Final

from fake_providers.providers.shared.chat_reading import CHECKED, INPUT, refuse_unread
from fake_providers.providers.shared.pydantic_words import UNREADABLE
from fake_providers.providers.shared.responses_reading import items, kind_of, tools
from fake_providers.rule import Rule
from fake_providers.rulebook import Breach, RequestContext, Rulebook
from fake_providers.wires.openai_responses.encrypted_reasoning import PLAIN
from fake_providers.wires.openai_responses.rules.samples import (
    CALL,
    RESULT,
    TOOL,
    USER,
    cite,
    item_with,
    sample_request,
)

MODEL: Final = "grok-4.3"
INVALID: Final = "invalid-argument"
NO_INPUT: Final = frozenset({"custom_tool_call", "custom_tool_call_output", "additional_tools"})
"""Items that the endpoint does not know."""
FERNET: Final = "gAAAAA"

REASONING_ITEM: Final = {"type": "reasoning", "summary": [], "encrypted_content": f"{PLAIN}SSBhc2su"}


def error_body(message: str, code: str = INVALID) -> dict[str, Any]:
    return {"code": code, "error": message}


def envelope(rule: Rule, found: Breach, _context: RequestContext) -> Any:
    if rule.status == 422:
        return {"error": found.message}
    return error_body(found.message, found.extra.get("code", INVALID))


def grok(*conversation: dict[str, Any], model: str = MODEL, **fields: Any) -> dict[str, Any]:
    return sample_request(*conversation, model=model, **fields)


BOOK = Rulebook(envelope)
WHOLE = Rulebook(envelope)

refuse_unread(
    BOOK,
    "xai",
    INPUT,
    model=MODEL,
    not_json=Breach("body", "Failed to parse the request body as JSON: EOF while parsing a value at line 1 column 0"),
    missing=lambda body: Breach("input", f"{UNREADABLE}missing field `input`"),
    status=422,
    source="the envelope for other bodies that cannot be parsed",
)


@BOOK.rule(
    "xai/responses-item-unknown",
    status=422,
    why=(
        "An item of the input has a type that the endpoint does not support, such as a custom tool call or a list of "
        "tools."
    ),
    confidence="verbatim",
    evidence=(
        *cite("router-for-me/CLIProxyAPI#3704", "data did not match any variant of untagged enum ModelInput"),
        *cite("router-for-me/CLIProxyAPI#4434"),
    ),
    breaking=grok(USER, {"type": "additional_tools", "role": "developer", "tools": [TOOL]}),
    accepted=grok(USER),
    checked=CHECKED,
)
def _item_unknown(context: RequestContext) -> Breach | None:
    sentence = f"{UNREADABLE}data did not match any variant of untagged enum ModelInput"
    return next((Breach(at, sentence) for at, item in items(context) if kind_of(item) in NO_INPUT), None)


@BOOK.rule(
    "xai/responses-parameters-missing",
    status=422,
    why="A function has no `parameters`. An empty schema is accepted.",
    confidence="verbatim",
    evidence=cite("router-for-me/CLIProxyAPI#3439", "missing field `parameters`"),
    breaking=grok(tools=[item_with(TOOL, parameters=None)]),
    accepted=grok(tools=[item_with(TOOL, parameters={"type": "object", "properties": {}})]),
    checked=CHECKED,
)
def _parameters_missing(context: RequestContext) -> Breach | None:
    for at, tool in tools(context):
        if tool.get("type") == "function" and "parameters" not in tool:
            return Breach(at, f"{UNREADABLE}missing field `parameters`")
    return None


@BOOK.rule(
    "xai/responses-namespace",
    why="Tools are grouped in a `namespace`.",
    confidence="reported",
    evidence=(*cite("router-for-me/CLIProxyAPI#5257"), *cite("lidge-jun/opencodex#2240")),
    breaking=grok(tools=[TOOL, {"type": "namespace", "name": "weather", "tools": [TOOL]}]),
    accepted=grok(tools=[TOOL]),
    checked=CHECKED,
)
def _namespace(context: RequestContext) -> Breach | None:
    grouped = (at for at, tool in tools(context) if tool.get("type") == "namespace")
    return next((Breach(at, "Invalid arguments passed to the model.") for at in grouped), None)


@BOOK.rule(
    "xai/responses-tool-choice-without-tools",
    why="`tool_choice` is not `none` and there are no tools.",
    confidence="verbatim",
    evidence=(
        *cite("router-for-me/CLIProxyAPI#3704", "A tool_choice was set on the request but no tools were specified."),
        *cite("vinhnx/VTCode#558"),
    ),
    breaking=grok(tool_choice="auto"),
    accepted=grok(tool_choice="auto", tools=[TOOL]),
    checked=CHECKED,
)
def _choice_without_tools(context: RequestContext) -> Breach | None:
    if context.body.get("tools") or context.body.get("tool_choice") in (None, "none"):
        return None
    sentence = "Invalid request content: A tool_choice was set on the request but no tools were specified."
    return Breach("tool_choice", sentence)


@BOOK.rule(
    "xai/responses-reasoning-effort",
    why="The request sets an effort for a reasoning model whose effort cannot be set.",
    models="grok-4.20, without multi-agent; grok-build, grok-code-fast, grok-composer",
    confidence="verbatim",
    evidence=(
        *cite("chenyme/grok2api#814", "does not support parameter reasoningEffort."),
        *cite("router-for-me/CLIProxyAPI#3968"),
        *cite("earendil-works/pi#8381"),
        *cite("NousResearch/hermes-agent#23435"),
    ),
    breaking=grok(model="grok-4.20-0309-reasoning", reasoning={"effort": "low", "summary": "concise"}),
    accepted=grok(model="grok-4.20-0309-reasoning", reasoning={"summary": "concise"}),
    checked=CHECKED,
)
def _effort(context: RequestContext) -> Breach | None:
    reasoning = context.body.get("reasoning")
    if "no-effort" not in context.traits or not isinstance(reasoning, dict) or reasoning.get("effort") is None:
        return None
    return Breach("reasoning.effort", f"Model {context.model} does not support parameter reasoningEffort.")


@BOOK.rule(
    "xai/responses-sealed-by-others",
    why="A reasoning item was encrypted by another provider.",
    confidence="verbatim",
    evidence=(
        *cite("Wei-Shaw/sub2api#4535", "Could not decrypt the provided encrypted_content."),
        *cite("hackerai-tech/hackerai#996"),
        *cite("openclaw/openclaw#97925"),
    ),
    breaking=grok(USER, {**REASONING_ITEM, "encrypted_content": "gAAAAABo"}, CALL, RESULT),
    accepted=grok(USER, REASONING_ITEM, CALL, RESULT),
    checked=CHECKED,
)
def _sealed_by_others(context: RequestContext) -> Breach | None:
    sentence = (
        "Could not decrypt the provided encrypted_content. Ensure the value is the unmodified encrypted_content from a "
        "previous response."
    )
    encrypt = ((at, item.get("encrypted_content")) for at, item in items(context) if item.get("type") == "reasoning")
    foreign = (at for at, content in encrypt if isinstance(content, str) and content.startswith(FERNET))
    return next((Breach(f"{at}.encrypted_content", sentence) for at in foreign), None)


@BOOK.rule(
    "xai/responses-reasoning-members",
    why="An encrypted reasoning item has no `summary`, or its `content` is null.",
    confidence="reported",
    evidence=(
        *cite("chenyme/grok2api#689", "Could not decode the compaction blob."),
        *cite("chenyme/grok2api#688"),
        *cite("lidge-jun/opencodex#2240"),
    ),
    breaking=grok(USER, item_with(REASONING_ITEM, summary=None), CALL, RESULT),
    accepted=grok(USER, REASONING_ITEM, CALL, RESULT),
    checked=CHECKED,
)
def _reasoning_members(context: RequestContext) -> Breach | None:
    sentence = "Could not decode the compaction blob. Ensure it is unmodified from the compact response."
    for at, item in items(context):
        if item.get("type") != "reasoning" or not item.get("encrypted_content"):
            continue
        if "summary" not in item or ("content" in item and item["content"] is None):
            return Breach(at, sentence)
    return None


@BOOK.rule(
    "xai/responses-instructions-with-previous",
    why="The request has both `instructions` and `previous_response_id`.",
    confidence="verbatim",
    evidence=(
        *cite("10-X-eng/vibecad#4", "Argument not supported: instructions and previous_response_id together"),
        *cite("holon-run/holon#2158"),
    ),
    breaking=grok(previous_response_id="resp_1", instructions="Be short."),
    accepted=grok(previous_response_id="resp_1"),
    checked=CHECKED,
)
def _instructions_with_previous(context: RequestContext) -> Breach | None:
    if not (context.body.get("instructions") and context.body.get("previous_response_id")):
        return None
    sentence = "Argument not supported: instructions and previous_response_id together"
    return Breach("instructions", sentence, {"code": "400"})


@WHOLE.rule(
    "xai/responses-previous-not-found",
    status=404,
    why="`previous_response_id` names a response that was never sent or was not stored.",
    confidence="reported",
    evidence=cite("pajeronda/xai_conversation#9, where gRPC says it", "Response with id="),
    breaking=None,
    accepted=None,
    checked=CHECKED,
)
def _previous(context: RequestContext) -> Breach | None:
    named = context.body.unknown_previous_response
    if named is None:
        return None
    return Breach("previous_response_id", f"Response with id={named} not found", {"code": "not-found"})
