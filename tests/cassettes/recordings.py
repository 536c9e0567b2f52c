"""Exchanges with the fakes, as a recorder would have seen them: one question and a scripted reply, on any wire."""

import json
from typing import Any

from agent_conformance.cassettes import Place, RecordedExchange, RecordedRequest, RecordedResponse
from agent_conformance.cassettes.bodies import chunks_of
from fake_providers import Reply, ScriptedFake
from fake_providers.http import Request
from fake_providers.provider_facts import facts_by_provider, own_provider
from fake_providers.wire_facts import WIRE_FACTS

WIRES = {wire: own_provider(wire) for wire in WIRE_FACTS}
INVOKE = "bedrock-invoke"
"""Claude's own messages on Bedrock's wire, which has a path of its own for them."""
CLAUDE = "us.anthropic.claude-sonnet-4-6"
KINDS = {**WIRES, INVOKE: "bedrock"}
HOSTS = {name: facts.base_url for name, facts in facts_by_provider().items()}
HEADERS = {
    "content-type": "application/json",
    "authorization": "Bearer any-key-of-nobody",
    "x-api-key": "any",
    "x-goog-api-key": "any",
    "anthropic-version": "2023-06-01",
}
SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
FUNCTION = {"name": "get_weather", "description": "Weather of a city.", "parameters": SCHEMA}
CHAT_TOOL = {"type": "function", "function": FUNCTION}
QUESTION = "How warm is it in Oslo?"


def body_for(wire: str, *, stream: bool = False, question: str = QUESTION) -> dict[str, Any]:
    messages = [{"role": "user", "content": question}]
    streamed = {"stream": True} if stream else {}
    if wire == "openai-chat":
        options = {"stream_options": {"include_usage": True}} if stream else {}
        return {"model": "gpt-4.1", "messages": messages, "tools": [CHAT_TOOL], **streamed, **options}
    if wire == "openai-responses":
        reasoning = {"reasoning": {"effort": "low", "summary": "auto"}}
        return {
            "model": "gpt-5",
            "input": messages,
            "tools": [{"type": "function", **FUNCTION}],
            **reasoning,
            **streamed,
        }
    if wire == "anthropic-messages":
        tool = {"name": FUNCTION["name"], "description": FUNCTION["description"], "input_schema": SCHEMA}
        return {"model": "claude-sonnet-4-6", "max_tokens": 100, "messages": messages, "tools": [tool], **streamed}
    if wire == INVOKE:
        messages_body = body_for("anthropic-messages", question=question)
        del messages_body["model"]
        return {"anthropic_version": "bedrock-2023-05-31", **messages_body}
    if wire == "gemini-generate":
        contents = [{"role": "user", "parts": [{"text": question}]}]
        return {"contents": contents, "tools": [{"functionDeclarations": [FUNCTION]}]}
    if wire == "bedrock-converse":
        spec = {"name": FUNCTION["name"], "description": FUNCTION["description"], "inputSchema": {"json": SCHEMA}}
        asked = [{"role": "user", "content": [{"text": question}]}]
        return {"messages": asked, "toolConfig": {"tools": [{"toolSpec": spec}]}}
    if wire == "cohere-chat":
        return {"model": "command-a-03-2025", "messages": messages, "tools": [CHAT_TOOL], **streamed}
    return {"model": "qwen3", "messages": messages, "tools": [CHAT_TOOL], "stream": stream}


def path_for(wire: str, *, stream: bool = False) -> str:
    if wire == INVOKE:
        return f"/model/{CLAUDE}/invoke{'-with-response-stream' if stream else ''}"
    return WIRE_FACTS[wire].path_for(CLAUDE if wire == "bedrock-converse" else "gemini-2.5-flash", stream=stream)


def wire_named(kind: str) -> str:
    return "bedrock-converse" if kind == INVOKE else kind


def recorded(wire: str, reply: Reply, *, stream: bool = False, **fields: Any) -> RecordedExchange:
    """What a right request gets from the fake of the wire's own provider; `fields` are further ones of its body."""
    provider = KINDS[wire]
    body = json.dumps({**body_for(wire, stream=stream), **fields}).encode()
    path = path_for(wire, stream=stream)
    fake = ScriptedFake(provider, [reply], wire=wire_named(wire), strict_replies=False)
    response = fake.handle(Request("POST", path, HEADERS, body))
    content_type = dict(response.headers).get("content-type", "")
    return RecordedExchange(
        RecordedRequest("POST", HOSTS[provider] + path, (("content-type", "application/json"),), body),
        RecordedResponse(response.status, response.headers, chunks_of(response.body, content_type)),
        Place("made", 1, 1),
    )
