"""Rules of Claude itself, which gets the request as one of Anthropic's Messages: its refusals come with a prefix.

Most are the rules of Anthropic's own API, checked on what `as_messages` makes of the request.

Messages of one role that follow each other are joined, so its places are those that Claude's own refusals name. What
no rule reads is left out.
"""

from collections.abc import Iterator
from typing import Any

from fake_providers import remedies
from fake_providers.rule import Remedy
from fake_providers.rulebook import (
    ALL_MESSAGES,
    ANY_MESSAGE,
    ANY_TOOL,
    NEAR_MESSAGES,
    Breach,
    RequestContext,
    Rulebook,
    Selector,
)
from fake_providers.values.lenient import listed, members
from fake_providers.wires.anthropic_messages import conversation as theirs
from fake_providers.wires.anthropic_messages.rules import ALL, pairing, schemas, strict
from fake_providers.wires.anthropic_messages.rules.thinking import FORCED
from fake_providers.wires.anthropic_messages.thinking_signatures import sign
from fake_providers.wires.bedrock_converse.conversation import TURN, Block, Turn, joined, turns
from fake_providers.wires.bedrock_converse.errors import MODEL, envelope
from fake_providers.wires.bedrock_converse.request import schema_of, tool_specs
from fake_providers.wires.bedrock_converse.rules.samples import (
    CLAUDE,
    TOOLS,
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
        content = [_part(part) for part in listed(value["content"]) if isinstance(part, dict)]
        is_error = value.get("status") == "error"
        yield {"type": "tool_result", "tool_use_id": value["toolUseId"], "content": content, "is_error": is_error}
    elif block.kind == "reasoningContent" and isinstance(thought := members(value).get("reasoningText"), dict):
        yield {"type": "thinking", "thinking": thought["text"], "signature": thought.get("signature") or ""}
    elif block.kind == "reasoningContent":
        yield {"type": "redacted_thinking", "data": members(value).get("redactedContent")}
    elif block.kind == "image":
        yield _image(value)
    elif block.kind != "cachePoint":
        yield {"type": block.kind}


def _part(part: dict[str, Any]) -> dict[str, Any]:
    """A part of a result, whose JSON Claude gets as a text."""
    if "image" in part:
        return _image(part["image"])
    is_text = "text" in part or "json" in part or not part
    return {**part, "type": "text" if is_text else next(iter(part))}


def _image(block: Any) -> dict[str, Any]:
    """A picture at a place of the service's own stays as it is: what it shows is not known."""
    image = members(block)
    data = members(image.get("source")).get("bytes")
    if not isinstance(data, str):
        return {"type": "image"}
    return {"type": "image", "source": {"type": "base64", "media_type": f"image/{image.get('format')}", "data": data}}


BOOK = Rulebook(envelope)
OLDER_CLAUDE = "us.anthropic.claude-haiku-4-5-20251001-v1:0"
"""One that accepts a prefill, and thinks with a budget."""
ENABLED = {"additionalModelRequestFields": {"thinking": {"type": "enabled", "budget_tokens": 1024}}}
CLOSED = {"type": "object", "properties": {}, "additionalProperties": False}
FORCING = {**TOOLS, "toolChoice": {"any": {}}}
MOST_BYTES = 9_000_000
GIF = "R0lGODlhAQABAAAAACw="
CHECKS = {
    rule.id: check
    for book in ALL
    for condition, checks in book.selected("anthropic", frozenset(), None)
    for rule, check in checks
    if condition is None
}
"""Those of Anthropic's own rules."""


def _row(
    name: str,
    why: str,
    selector: Selector,
    when: Any,
    says: str = "",
    at: str = "",
    *,
    model: str = OLDER_CLAUDE,
    models: str = "Claude",
    trait: str = "claude",
    **more: Any,
) -> None:
    """Add a rule; a `when` that is a text names the one of Anthropic's own that is checked on what Claude gets."""

    def check(context: RequestContext) -> Breach | None:
        breach = CHECKS[f"anthropic/{when}"](as_messages(context))
        return breach and Breach(breach.at, MODEL + breach.message)

    id, own, path = f"bedrock/claude-{name}", check if isinstance(when, str) else when, bedrock_path(model)
    more = {"checked": "2026-11-23", **more, "models": models, "trait": trait, "path": path}
    BOOK.row(id, why, selector, own, MODEL + says, at, **more)


def _thought(text: str = "b", signature: str | None = None) -> dict[str, Any]:
    return {"reasoningContent": {"reasoningText": {"text": text, "signature": signature or sign(text)}}}


def _after_thought(thought: dict[str, Any]) -> dict[str, Any]:
    return sample_request("a", [thought, "c"], "d")


def _pictured(data: str, format: str = "gif") -> dict[str, Any]:
    return sample_request(["a", {"image": {"format": format, "source": {"bytes": data}}}])


def _failed(status: str) -> dict[str, Any]:
    picture = {"image": {"format": "gif", "source": {"bytes": GIF}}}
    return sample_with_tools("a", call(), result(status=status, content=[{"text": "b"}, picture]))


def _strict(**schema: Any) -> dict[str, Any]:
    return sample_request(toolConfig={"tools": [tool(strict=True, inputSchema={"json": {**CLOSED, **schema}})]})


def _blank(turn: Turn) -> str | None:
    """White space beside other blocks is recorded as accepted, and so is an empty text within a result."""
    if any(not text.value for text in turn.of_kind("text")):
        return "be non-empty"
    return "contain non-whitespace text" if turn.is_blank else None


def _prefilled(body: Any, context: RequestContext) -> list[str]:
    return [turn.at for turn in turns(context)[-1:] if turn.role == "assistant" and "toolConfig" in body]


def _results_not_first(_: Any, context: RequestContext) -> dict[str, Any] | None:
    """Only results count that no other block of the user's turn comes before."""
    for run, _before, after in theirs.RUN.find(as_messages(context)):
        calls = run.of_type("tool_use") if run.role == "assistant" and after else ()
        if calls and (missing := pairing.without_result(calls, pairing.leading(after.blocks))):
            return {"i": run.first, "found": missing}
    return None


def _min_items(_: Any, context: RequestContext) -> dict[str, Any] | None:
    for schema, path in strict.compiled_schemas(as_messages(context)):
        nodes = [node for node in schemas.nodes(schema) if "array" in schemas.types(node)]
        least = {node["minItems"] for node in nodes if isinstance(node.get("minItems"), int)}
        if found := sorted(least - {0, 1}):
            return {"path": path, "found": found}
    return None


def _bytes(_: Any, context: RequestContext) -> int | None:
    """How many the texts have, if too many."""
    texts = [block.value for turn in turns(context) for block in turn.of_kind("text")]
    if sum(map(len, texts)) * 4 <= MOST_BYTES:
        return None
    size = sum(len(text.encode(errors="replace")) for text in texts)
    return size if size > MOST_BYTES else None


# A table: two rows are to be compared. Rules on parameters look at any message: the translation is of both.
# fmt: off
_row("text-blank", "A text block is empty, or a message has white space alone: leave the block out.",
    TURN, _blank, "messages: text content blocks must {found}", remedy=remedies.LEAVE_OUT_EMPTY,
    wrong=sample_request("a", "", "b"), right=sample_request("a", ".", "b"),
    verbatim=cite("NousResearch/hermes-agent#61318", "anomalyco/opencode#15715",
        "epam/ai-dial-adapter-bedrock, its tests",
        quote="messages: text content blocks must contain non-whitespace text"))
_row("results-not-first",
    "A user's turn has something before a result, such as a note between the results of two calls.",
    NEAR_MESSAGES, _results_not_first, "messages.{i}: " + pairing.UNANSWERED, "messages.{i}", needs="toolUse",
    remedy=Remedy("pairing",
        "Put the results first in the message after the calls, and notes and texts after all of them."),
    wrong=sample_with_tools("a", [call(), call("b")], [result(), {"text": "Note."}, result("b")]),
    right=sample_with_tools("a", [call(), call("b")], [result(), result("b")]),
    verbatim=cite("pydantic/pydantic-ai#7564", "pydantic/pydantic-ai#3253", "pydantic/pydantic-ai#6098",
        quote="`tool_use` ids were found without `tool_result` blocks immediately after"))
_row("prefill-beside-tools", "The conversation ends with the assistant, and there are tools.",
    NEAR_MESSAGES, _prefilled,
    "Your API request included an `assistant` message in the final position, which would pre-fill the "
        "`assistant` response. When using tools, pre-filling the `assistant` response is not supported.", "{found[0]}",
    needs="assistant", trait="no-prefill-beside-tools", models="Claude 3 and before",
    model="anthropic.claude-3-sonnet-20240229-v1:0", remedy=remedies.END_WITH_USER,
    wrong=sample_with_tools("a", "b"), right=sample_with_tools("a", user("b")),
    recorded={"crewAIInc/crewAI, a recording of claude-3-sonnet":
        "When using tools, pre-filling the `assistant` response is not supported."})
_row("prefill",
    "The conversation ends with the assistant, as after an interruption; newer models do not support prefill.",
    NEAR_MESSAGES, "prefill", needs="assistant", models="Claude 4.6 and later", model=CLAUDE,
    remedy=remedies.END_WITH_USER,
    wrong=sample_request("a", "b"), right=sample_request("a", user("b")),
    verbatim=cite("anomalyco/opencode#29760", "NousResearch/hermes-agent#101401", "openclaw/openclaw#72865",
        quote="This model does not support assistant message prefill. The conversation must end with a user message."))
_row("thinking-budget-small", "The budget of enabled thinking is less than 1024 tokens.",
    ANY_MESSAGE, "thinking-budget-small", needs="thinking", remedy=remedies.LEAST_BUDGET,
    wrong=sample_request(additionalModelRequestFields={"thinking": {"type": "enabled", "budget_tokens": 100}}),
    right=sample_request(**ENABLED),
    verbatim={"public quotes": "thinking.enabled.budget_tokens: Input should be greater than or equal to"})
_row("thinking-budget-large", "The budget for thinking is not smaller than `maxTokens`.",
    ANY_MESSAGE, "thinking-budget-large", needs="thinking", remedy=remedies.BUDGET_BELOW_MAX_TOKENS,
    wrong=sample_request(inferenceConfig={"maxTokens": 1024}, **ENABLED),
    right=sample_request(inferenceConfig={"maxTokens": 4096}, **ENABLED),
    verbatim=cite("vercel/ai#4980", "vercel/ai#7927",
        quote="`max_tokens` must be greater than `thinking.budget_tokens`"))
_row("thinking-forced-tool", "`toolChoice` forces a call while thinking is enabled.",
    ANY_MESSAGE, "thinking-forced-tool", needs="thinking",
    remedy=remedies.CHOICE_WHILE_THINKING.of("reasoning-settings"),
    wrong=sample_request(toolConfig=FORCING, **ENABLED), right=sample_request(toolConfig=TOOLS, **ENABLED),
    verbatim=cite("strands-agents/sdk-typescript#798", "vercel/ai#11227", quote=FORCED))
_row("thinking-temperature", "`temperature` is not 1 while thinking is enabled.",
    ANY_MESSAGE, "thinking-temperature", needs="thinking", remedy=remedies.NO_SAMPLING.of("reasoning-settings"),
    wrong=sample_request(inferenceConfig={"temperature": 0}, **ENABLED),
    right=sample_request(inferenceConfig={"temperature": 1}, **ENABLED),
    verbatim={"Aider-AI/aider#3720": "`temperature` may only be set to 1 when thinking is enabled"})
_row("thinking-missing",
    "Thinking is enabled, and the calls that are being answered do not have their reasoning before them.",
    NEAR_MESSAGES, "thinking-missing", even_usual=True, needs="thinking", models="Claude 3.7 to 4.5",
    remedy=remedies.THINKING_BEFORE_CALLS,
    wrong=sample_with_tools("a", call(), result(), **ENABLED),
    right=sample_with_tools("a", [_thought(), call()], result(), **ENABLED),
    verbatim=cite("langchain-ai/langchain-aws#844", "RooCodeInc/Roo-Code#11238", "spring-projects/spring-ai#6413",
        quote="messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`."))
_row("thinking-signature", "The signature of reasoning is missing or damaged, or was made for other reasoning.",
    ALL_MESSAGES, "thinking-signature", needs="reasoningContent", remedy=remedies.THINKING_UNCHANGED,
    wrong=_after_thought(_thought(signature=sign("b")[:-4] + "AAAA")), right=_after_thought(_thought()),
    verbatim={"can1357/oh-my-pi#333": "messages.1.content.0: Invalid `signature` in `thinking` block"})
_row("thinking-modified", "The reasoning of the latest assistant message was changed.",
    ALL_MESSAGES, "thinking-modified", needs="reasoningContent", remedy=remedies.THINKING_UNCHANGED,
    wrong=_after_thought(_thought("e", sign("b"))), right=_after_thought(_thought("b", sign("b"))),
    verbatim={"can1357/oh-my-pi#333":
        "`thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified."})
_row("tool-choice", "`toolChoice` forces a call, which the newest models never support.",
    ANY_MESSAGE, "tool-choice-unsupported", needs="toolChoice", models="claude-opus-5-5 and others of its generation",
    model="us.anthropic.claude-opus-5-5", remedy=remedies.CHOICE_IN_PROMPT,
    wrong=sample_request(toolConfig=FORCING), right=sample_request(toolConfig=TOOLS),
    recorded={"vercel/ai, a fixture of claude-opus-5-5":
        'tool_choice: type "tool" and "any" are not supported for this model.'})
_row("sampling-deprecated", "Newer models refuse `temperature` and `topP`.",
    ANY_MESSAGE, "sampling-deprecated", needs=("temperature", "topP", "top_k"), models="Claude 5, Opus from 4.7 on",
    model="us.anthropic.claude-sonnet-5", remedy=remedies.NO_SAMPLING,
    wrong=sample_request(inferenceConfig={"temperature": 0}), right=sample_request(inferenceConfig={"temperature": 1}),
    recorded={"vercel/ai, a fixture of claude-opus-5": "`temperature` is deprecated for this model."})
_row("temperature-and-top-p", "`temperature` and `topP` are both set.",
    ANY_MESSAGE, "temperature-and-top-p", needs="topP", models="Claude 4.1 and 4.5",
    remedy=remedies.TEMPERATURE_OR_TOP_P,
    wrong=sample_request(inferenceConfig={"temperature": 0.1, "topP": 0.9}),
    right=sample_request(inferenceConfig={"temperature": 0.1}),
    verbatim=cite("BerriAI/litellm#15070", "mem0ai/mem0#4004",
        quote="`temperature` and `top_p` cannot both be specified for this model. Please use only one."))
_row("strict-open-object", "An object of a strict schema lacks `additionalProperties: false`.",
    ANY_TOOL, "strict-open-object", needs=("outputConfig", "strict"), remedy=remedies.CLOSE_OBJECTS,
    wrong=_strict(additionalProperties=True), right=_strict(),
    recorded={"recordings of claude-sonnet-4-5":
        "tools.0.custom: For 'object' type, 'additionalProperties' must be explicitly set to false"})
_row("strict-keyword", "A strict schema restricts the size, number or names of values.",
    ANY_TOOL, "strict-keyword", needs=("outputConfig", "strict"), remedy=remedies.STRICT_KEYWORD,
    wrong=_strict(properties={"a": {"type": "integer", "multipleOf": 2}}, required=["a"]),
    right=_strict(properties={"a": {"type": "integer"}}, required=["a"]),
    recorded={"recordings of claude-sonnet-4-5":
        "tools.0.custom: For 'array' type, property 'maxItems' is not supported"})
_row("strict-min-items", "`minItems` in a strict schema is neither 0 nor 1.",
    ANY_TOOL, _min_items,
    "{path}: For 'array' type, 'minItems' values other than 0 or 1 are not supported (got: {found})", "{path}",
    needs=("outputConfig", "strict"), remedy=remedies.STRICT_KEYWORD,
    wrong=_strict(properties={"a": {"type": "array", "minItems": 2}}, required=["a"]),
    right=_strict(properties={"a": {"type": "array", "minItems": 1}}, required=["a"]),
    recorded={"a recording of claude-sonnet-4-5":
        "For 'array' type, 'minItems' values other than 0 or 1 are not supported (got: [2, 5])"})
_row("failed-result-of-text", "A result of the status `error` contains something other than text, such as a picture.",
    ALL_MESSAGES, "failed-result-of-text", needs="status", checked="2026-11-30", remedy=remedies.IS_ERROR,
    wrong=_failed("error"), right=_failed("success"),
    verbatim={"can1357/oh-my-pi#12809": "all content must be type `text` if `is_error` is true"})
_row("image-unreadable", "The bytes of an image are those of no picture.",
    ALL_MESSAGES, "image-unreadable", needs="image", about="picture", checked="2026-11-30",
    remedy=remedies.READABLE_PICTURE,
    wrong=_pictured("PCFET0NUWVBFIGh0bWw+"), right=_pictured(GIF),
    reported=cite("anthropics/claude-code#53228, of the same models", "NousResearch/hermes-agent#55429: bytes are for "
        "Claude to check", quote="Could not process image"))
_row("image-of-another-type", "The bytes of an image are of another type than its `format`.",
    ALL_MESSAGES, "image-of-another-type", needs="image", checked="2026-11-30", remedy=remedies.PICTURE_TYPE,
    wrong=_pictured(GIF, "jpeg"), right=_pictured(GIF),
    verbatim=cite("ziatdinovmax/SciLink#382", "NousResearch/hermes-agent#55429, measured",
        quote="The image was specified using the image/jpeg media type, but the image appears to be a image/"))
_row("too-many-bytes", "The texts have more than nine million bytes.",
    ANY_MESSAGE, _bytes, "too many total text bytes: {found} > 9000000", "messages",
    remedy=Remedy("too-long",
        "Shorten long texts and results before they are sent; all together may have nine million bytes."),
    wrong=None, right=None,
    recorded={"a recording of claude-3-5-haiku": "too many total text bytes: 10000002 > 9000000"})
# fmt: on
