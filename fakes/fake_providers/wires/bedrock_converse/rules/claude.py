"""Rules of Claude itself, which gets the request as one of Anthropic's Messages: its refusals come with a prefix.

Most are the rules of Anthropic's own API, checked on what `as_messages` makes of the request.

Messages of one role that follow each other are joined, so its places are those that Claude's own refusals name. What
no rule reads is left out.
"""

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

from fake_providers.rule import Citation, Confidence, Rule
from fake_providers.rulebook import (
    ALL_MESSAGES,
    ANY_MESSAGE,
    ANY_TOOL,
    NEAR_MESSAGES,
    Breach,
    Check,
    RequestContext,
    Rulebook,
    Selector,
)
from fake_providers.wires.anthropic_messages import conversation as theirs
from fake_providers.wires.anthropic_messages.rules import capabilities, messages, schemas, strict, thinking
from fake_providers.wires.anthropic_messages.rules.pairing import UNANSWERED
from fake_providers.wires.anthropic_messages.thinking_signatures import sign
from fake_providers.wires.bedrock_converse.conversation import Block, joined, turns
from fake_providers.wires.bedrock_converse.errors import MODEL, envelope
from fake_providers.wires.bedrock_converse.request import items, members, schema_of, tool_specs
from fake_providers.wires.bedrock_converse.rules.samples import (
    CLAUDE,
    NEWER_CLAUDE,
    OLDER_CLAUDE,
    TOOLS,
    assistant,
    bedrock_path,
    call,
    cite,
    result,
    sample_request,
    sample_with_tools,
    tool,
    user,
)

PARAMETERS = {"maxTokens": "max_tokens", "temperature": "temperature", "topP": "top_p"}
DEFAULT_MAX_TOKENS = 4096
"""Where the request has none; the service has its own for each model."""


def as_messages(context: RequestContext) -> RequestContext:
    """The context that Anthropic's rules read; made once."""
    found: RequestContext | None = context.read.get("as messages")
    if found is None:
        given = members(context.body.get("inferenceConfig"))
        parameters = {theirs: given[own] for own, theirs in PARAMETERS.items() if given.get(own) is not None}
        specs = [spec for _, spec in tool_specs(context.body)]
        body: dict[str, Any] = {
            "model": context.model,
            "max_tokens": DEFAULT_MAX_TOKENS,
            "messages": [
                {
                    "role": run[0].role,
                    "content": [one for turn in run for block in turn.blocks for one in _blocks(block)],
                }
                for run in joined(context)
            ],
            **parameters,
            **_handed_on(members(context.body.get("additionalModelRequestFields"))),
        }
        if specs:
            body["tools"] = [
                {
                    "name": spec["name"],
                    "input_schema": members(spec["inputSchema"]).get("json"),
                    "strict": spec.get("strict"),
                }
                for spec in specs
            ]
        if "ignores-schema" not in context.traits and (schema := schema_of(context.body)) is not None:
            body["output_config"] = {"format": {"type": "json_schema", "schema": schema}}
        for kind, value in members(members(context.body.get("toolConfig")).get("toolChoice")).items():
            body["tool_choice"] = {"type": kind, **members(value)}
        found = context.read["as messages"] = context.about(body)
    return found


def _handed_on(additional: dict[str, Any]) -> dict[str, Any]:
    """What Claude's rules read of the fields that the service does not."""
    top_k = additional.get("top_k")
    is_number = isinstance(top_k, int | float) and not isinstance(top_k, bool)
    return {name: additional[name] for name in ("thinking",) if name in additional} | (
        {"top_k": top_k} if is_number else {}
    )


def _blocks(block: Block) -> Iterator[dict[str, Any]]:
    value = block.value
    if block.kind == "text":
        yield {"type": "text", "text": value}
    elif block.kind == "toolUse":
        kind = "server_tool_use" if value.get("type") == "server_tool_use" else "tool_use"
        yield {"type": kind, "id": value["toolUseId"], "name": value["name"], "input": value["input"]}
    elif block.kind == "toolResult":
        content = [part for part in items(value["content"]) if isinstance(part, dict)]
        is_error = value.get("status") == "error"
        yield {"type": "tool_result", "tool_use_id": value["toolUseId"], "content": content, "is_error": is_error}
    elif block.kind == "reasoningContent" and isinstance(thought := members(value).get("reasoningText"), dict):
        yield {"type": "thinking", "thinking": thought["text"], "signature": thought.get("signature") or ""}
    elif block.kind == "reasoningContent":
        yield {"type": "redacted_thinking", "data": members(value).get("redactedContent")}
    elif block.kind != "cachePoint":
        yield {"type": block.kind}


BOOK = Rulebook(envelope)
ENABLED = {"additionalModelRequestFields": {"thinking": {"type": "enabled", "budget_tokens": 1024}}}
OLD = "anthropic.claude-3-sonnet-20240229-v1:0"
OPUS = "us.anthropic.claude-opus-5-5"
MOST_BYTES = 9_000_000


def is_claude(context: RequestContext) -> bool:
    return "claude" in context.traits


def _prefixed(check: Check) -> Check:
    """A check of what Claude gets."""

    def checked(context: RequestContext) -> Breach | None:
        breach = check(as_messages(context))
        return breach and Breach(breach.at, MODEL + breach.message)

    return checked


def _rule(
    name: str,
    check: Check,
    *,
    why: str,
    confidence: Confidence,
    evidence: tuple[Citation, ...],
    breaking: Any,
    accepted: Any,
    models: str = "Claude",
    model: str = OLDER_CLAUDE,
    only: Callable[[RequestContext], bool] = is_claude,
    selector: Selector,
    needs: str | tuple[str, ...] = (),
    even_usual: bool = False,
) -> None:
    id, path = f"bedrock/{name}", bedrock_path(model)
    rule = Rule(id, 400, why, models, confidence, evidence, "2026-11-23", breaking, accepted, path)
    BOOK.add(rule, selector, check, given=only, trait="claude", needs=needs, even_usual=even_usual)


def thought(text: str = "b", signature: str | None = None) -> dict[str, Any]:
    return {"reasoningContent": {"reasoningText": {"text": text, "signature": signature or sign(text)}}}


def _text_blank(context: RequestContext) -> Breach | None:
    """White space beside other blocks is recorded as accepted, and so is an empty text within a result."""
    for turn in turns(context):
        texts = turn.of_kind("text")
        if any(not text.value for text in texts):
            return Breach(turn.at, f"{MODEL}messages: text content blocks must be non-empty")
        if texts and len(texts) == len(turn.blocks) and not any(text.value.strip() for text in texts):
            return Breach(turn.at, f"{MODEL}messages: text content blocks must contain non-whitespace text")
    return None


def _results_not_first(context: RequestContext) -> Breach | None:
    """Only results count that no other block of the user's turn comes before."""
    runs = theirs.runs(context)
    for run, after in pairwise(runs):
        calls = run.of_type("tool_use") if run.role == "assistant" else ()
        if not calls:
            continue
        kinds = [block.type for block in after.blocks]
        leading = next((place for place, kind in enumerate(kinds) if kind != "tool_result"), len(kinds))
        answered = {block.body["tool_use_id"] for block in after.blocks[:leading]}
        missing = [block.body["id"] for block in calls if block.body["id"] not in answered]
        if missing:
            at = f"messages.{run.first}"
            return Breach(at, f"{at}: {UNANSWERED.format(ids=', '.join(missing))}")
    return None


def _prefill_beside_tools(context: RequestContext) -> Breach | None:
    last = turns(context)[-1:]
    if not last or last[0].role != "assistant" or "toolConfig" not in context.body:
        return None
    return Breach(
        last[0].at,
        f"{MODEL}Your API request included an `assistant` message in the final position, which would pre-fill the "
        "`assistant` response. When using tools, pre-filling the `assistant` response is not supported.",
    )


_rule(
    "claude-text-blank",
    _text_blank,
    why="A text block is empty, or a message has white space alone: leave the block out.",
    confidence="verbatim",
    evidence=cite(
        "NousResearch/hermes-agent#61318",
        "anomalyco/opencode#15715",
        "epam/ai-dial-adapter-bedrock, its tests",
        quote="messages: text content blocks must contain non-whitespace text",
    ),
    breaking=sample_request(user("a"), assistant(""), user("b")),
    accepted=sample_request(user("a"), assistant("."), user("b")),
    selector=ANY_MESSAGE,
)
_rule(
    "claude-results-not-first",
    _prefixed(_results_not_first),
    why="A user's turn has something before a result, such as a note between the results of two calls.",
    confidence="verbatim",
    evidence=cite(
        "pydantic/pydantic-ai#7564",
        "pydantic/pydantic-ai#3253",
        "pydantic/pydantic-ai#6098",
        quote="`tool_use` ids were found without `tool_result` blocks immediately after",
    ),
    breaking=sample_with_tools(user("a"), assistant(call(), call("b")), user(result(), {"text": "Note."}, result("b"))),
    accepted=sample_with_tools(user("a"), assistant(call(), call("b")), user(result(), result("b"))),
    selector=NEAR_MESSAGES,
    needs="toolUse",
)
_rule(
    "claude-prefill-beside-tools",
    _prefill_beside_tools,
    why="The conversation ends with the assistant, and there are tools.",
    models="Claude 3 and before",
    confidence="recorded",
    evidence=cite(
        "crewAIInc/crewAI, a recording of claude-3-sonnet",
        quote="When using tools, pre-filling the `assistant` response is not supported.",
    ),
    breaking=sample_with_tools(user("a"), assistant("b")),
    accepted=sample_with_tools(user("a"), {"role": "user", "content": [{"text": "b"}]}),
    model=OLD,
    only=lambda context: "no-prefill-beside-tools" in context.traits,
    selector=NEAR_MESSAGES,
    needs="assistant",
)
_rule(
    "claude-prefill",
    _prefixed(messages.prefill),
    why="The conversation ends with the assistant, as after an interruption; newer models do not support prefill.",
    models="Claude 4.6 and later",
    confidence="verbatim",
    evidence=cite(
        "anomalyco/opencode#29760",
        "NousResearch/hermes-agent#101401",
        "openclaw/openclaw#72865",
        quote="This model does not support assistant message prefill. The conversation must end with a user message.",
    ),
    breaking=sample_request(user("a"), assistant("b")),
    accepted=sample_request(user("a"), {"role": "user", "content": [{"text": "b"}]}),
    model=CLAUDE,
    selector=NEAR_MESSAGES,
    needs="assistant",
)
_rule(
    "claude-thinking-budget-small",
    _prefixed(thinking.thinking_budget_small),
    why="The budget of enabled thinking is less than 1024 tokens.",
    confidence="verbatim",
    evidence=cite("public quotes", quote="thinking.enabled.budget_tokens: Input should be greater than or equal to"),
    breaking=sample_request(additionalModelRequestFields={"thinking": {"type": "enabled", "budget_tokens": 100}}),
    accepted=sample_request(**ENABLED),
    selector=ANY_MESSAGE,
    needs="thinking",
)
_rule(
    "claude-thinking-budget-large",
    _prefixed(thinking.thinking_budget_large),
    why="The budget for thinking is not smaller than `maxTokens`.",
    confidence="verbatim",
    evidence=cite(
        "vercel/ai#4980", "vercel/ai#7927", quote="`max_tokens` must be greater than `thinking.budget_tokens`"
    ),
    breaking=sample_request(inferenceConfig={"maxTokens": 1024}, **ENABLED),
    accepted=sample_request(inferenceConfig={"maxTokens": 4096}, **ENABLED),
    selector=ANY_MESSAGE,
    needs="thinking",
)
_rule(
    "claude-thinking-forced-tool",
    _prefixed(thinking.thinking_forced_tool),
    why="`toolChoice` forces a call while thinking is enabled.",
    confidence="verbatim",
    evidence=cite("strands-agents/sdk-typescript#798", "vercel/ai#11227", quote=thinking.FORCED),
    breaking=sample_request(toolConfig={**TOOLS, "toolChoice": {"any": {}}}, **ENABLED),
    accepted=sample_request(toolConfig=TOOLS, **ENABLED),
    selector=ANY_MESSAGE,
    needs="thinking",
)
_rule(
    "claude-thinking-temperature",
    _prefixed(thinking.thinking_temperature),
    why="`temperature` is not 1 while thinking is enabled.",
    confidence="verbatim",
    evidence=cite("Aider-AI/aider#3720", quote="`temperature` may only be set to 1 when thinking is enabled"),
    breaking=sample_request(inferenceConfig={"temperature": 0}, **ENABLED),
    accepted=sample_request(inferenceConfig={"temperature": 1}, **ENABLED),
    selector=ANY_MESSAGE,
    needs="thinking",
)
_rule(
    "claude-thinking-missing",
    _prefixed(thinking.thinking_missing),
    why="Thinking is enabled, and the calls that are being answered do not have their reasoning before them.",
    models="Claude 3.7 to 4.5",
    confidence="verbatim",
    evidence=cite(
        "langchain-ai/langchain-aws#844",
        "RooCodeInc/Roo-Code#11238",
        "spring-projects/spring-ai#6413",
        quote="messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`.",
    ),
    breaking=sample_with_tools(user("a"), assistant(call()), user(result()), **ENABLED),
    accepted=sample_with_tools(user("a"), assistant(thought(), call()), user(result()), **ENABLED),
    selector=NEAR_MESSAGES,
    needs="thinking",
    even_usual=True,
)
_rule(
    "claude-thinking-signature",
    _prefixed(thinking.thinking_signature),
    why="The signature of reasoning is missing or damaged, or was made for other reasoning.",
    confidence="verbatim",
    evidence=cite("can1357/oh-my-pi#333", quote="messages.1.content.0: Invalid `signature` in `thinking` block"),
    breaking=sample_request(user("a"), assistant(thought(signature=sign("b")[:-4] + "AAAA"), "c"), user("d")),
    accepted=sample_request(user("a"), assistant(thought(), "c"), user("d")),
    selector=ALL_MESSAGES,
    needs="reasoningContent",
)
_rule(
    "claude-thinking-modified",
    _prefixed(thinking.thinking_modified),
    why="The reasoning of the latest assistant message was changed.",
    confidence="verbatim",
    evidence=cite(
        "can1357/oh-my-pi#333",
        quote="`thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified.",
    ),
    breaking=sample_request(user("a"), assistant(thought("e", sign("b")), "c"), user("d")),
    accepted=sample_request(user("a"), assistant(thought("b", sign("b")), "c"), user("d")),
    selector=ALL_MESSAGES,
    needs="reasoningContent",
)
_rule(
    "claude-tool-choice",
    _prefixed(capabilities.tool_choice_unsupported),
    why="`toolChoice` forces a call, which the newest models never support.",
    models="claude-opus-5-5 and others of its generation",
    confidence="recorded",
    evidence=cite(
        "vercel/ai, a fixture of claude-opus-5-5",
        quote='tool_choice: type "tool" and "any" are not supported for this model.',
    ),
    breaking=sample_request(toolConfig={**TOOLS, "toolChoice": {"any": {}}}),
    accepted=sample_request(toolConfig=TOOLS),
    model=OPUS,
    selector=ANY_MESSAGE,
    needs="toolChoice",
)
_rule(
    "claude-sampling-deprecated",
    _prefixed(capabilities.sampling_deprecated),
    why="Newer models refuse `temperature` and `topP`.",
    models="Claude 5, Opus from 4.7 on",
    confidence="recorded",
    evidence=cite("vercel/ai, a fixture of claude-opus-5", quote="`temperature` is deprecated for this model."),
    breaking=sample_request(inferenceConfig={"temperature": 0}),
    accepted=sample_request(inferenceConfig={"temperature": 1}),
    model=NEWER_CLAUDE,
    selector=ANY_MESSAGE,
    needs=("temperature", "topP", "top_k"),
)
_rule(
    "claude-temperature-and-top-p",
    _prefixed(capabilities.temperature_and_top_p),
    why="`temperature` and `topP` are both set.",
    models="Claude 4.1 and 4.5",
    confidence="verbatim",
    evidence=cite(
        "BerriAI/litellm#15070",
        "mem0ai/mem0#4004",
        quote="`temperature` and `top_p` cannot both be specified for this model. Please use only one.",
    ),
    breaking=sample_request(inferenceConfig={"temperature": 0.1, "topP": 0.9}),
    accepted=sample_request(inferenceConfig={"temperature": 0.1}),
    selector=ANY_MESSAGE,
    needs="topP",
)
CLOSED = {"type": "object", "properties": {}, "additionalProperties": False}


def _strict(**schema: Any) -> dict[str, Any]:
    return sample_request(toolConfig={"tools": [tool(strict=True, inputSchema={"json": {**CLOSED, **schema}})]})


_rule(
    "claude-strict-open-object",
    _prefixed(strict.strict_open_object),
    why="An object of a strict schema lacks `additionalProperties: false`.",
    confidence="recorded",
    evidence=cite(
        "recordings of claude-sonnet-4-5",
        quote="tools.0.custom: For 'object' type, 'additionalProperties' must be explicitly set to false",
    ),
    breaking=_strict(additionalProperties=True),
    accepted=_strict(),
    selector=ANY_TOOL,
    needs=("outputConfig", "strict"),
)
_rule(
    "claude-strict-keyword",
    _prefixed(strict.strict_keyword),
    why="A strict schema restricts the size, number or names of values.",
    confidence="recorded",
    evidence=cite(
        "recordings of claude-sonnet-4-5",
        quote="tools.0.custom: For 'array' type, property 'maxItems' is not supported",
    ),
    breaking=_strict(properties={"a": {"type": "integer", "multipleOf": 2}}, required=["a"]),
    accepted=_strict(properties={"a": {"type": "integer"}}, required=["a"]),
    selector=ANY_TOOL,
    needs=("outputConfig", "strict"),
)


def _min_items(context: RequestContext) -> Breach | None:
    for path, schema in strict.compiled_schemas(context):
        nodes = [node for node in schemas.nodes(schema) if "array" in schemas.types(node)]
        least = {node["minItems"] for node in nodes if isinstance(node.get("minItems"), int)}
        found = sorted(least - {0, 1})
        if found:
            values = f"'minItems' values other than 0 or 1 are not supported (got: {found})"
            return Breach(path, f"{path}: For 'array' type, {values}")
    return None


def _too_many_bytes(context: RequestContext) -> Breach | None:
    texts = [block.value for turn in turns(context) for block in turn.of_kind("text")]
    if sum(map(len, texts)) * 4 <= MOST_BYTES:
        return None
    size = sum(len(text.encode(errors="replace")) for text in texts)
    if size <= MOST_BYTES:
        return None
    return Breach("messages", f"{MODEL}too many total text bytes: {size} > {MOST_BYTES}")


_rule(
    "claude-strict-min-items",
    _prefixed(_min_items),
    why="`minItems` in a strict schema is neither 0 nor 1.",
    confidence="recorded",
    evidence=cite(
        "a recording of claude-sonnet-4-5",
        quote="For 'array' type, 'minItems' values other than 0 or 1 are not supported (got: [2, 5])",
    ),
    breaking=_strict(properties={"a": {"type": "array", "minItems": 2}}, required=["a"]),
    accepted=_strict(properties={"a": {"type": "array", "minItems": 1}}, required=["a"]),
    selector=ANY_TOOL,
    needs=("outputConfig", "strict"),
)
_rule(
    "claude-too-many-bytes",
    _too_many_bytes,
    why="The texts have more than nine million bytes.",
    confidence="recorded",
    evidence=cite("a recording of claude-3-5-haiku", quote="too many total text bytes: 10000002 > 9000000"),
    breaking=None,
    accepted=None,
    selector=ANY_MESSAGE,
)
