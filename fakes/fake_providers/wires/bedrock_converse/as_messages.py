"""A request as Claude gets it: the service hands it on as one of Anthropic's Messages. Knows no rule.

Messages of one role that follow each other are joined, so its places are those that Claude's own refusals name. What no
rule reads is left out.
"""

from collections.abc import Iterator
from typing import Any

from fake_providers.rulebook import RequestContext
from fake_providers.wires.bedrock_converse.conversation import Block, joined
from fake_providers.wires.bedrock_converse.request import items, members, schema_of, tool_specs

PARAMETERS = {"maxTokens": "max_tokens", "temperature": "temperature", "topP": "top_p"}
DEFAULT_MAX_TOKENS = 4096
"""Where the request has none; the service has its own for each model."""


def as_messages(context: RequestContext) -> RequestContext:
    """The context that Anthropic's rules read; made once."""
    found: RequestContext | None = context.read.get("as messages")
    if found is None:
        found = context.read["as messages"] = context.about(_body(context))
    return found


def _body(context: RequestContext) -> dict[str, Any]:
    given = members(context.body.get("inferenceConfig"))
    parameters = {theirs: given[own] for own, theirs in PARAMETERS.items() if given.get(own) is not None}
    specs = [spec for _, spec in tool_specs(context.body)]
    body: dict[str, Any] = {
        "model": context.model,
        "max_tokens": DEFAULT_MAX_TOKENS,
        "messages": [
            {"role": run[0].role, "content": [one for turn in run for block in turn.blocks for one in _blocks(block)]}
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
    return body


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
