"""One request with each wire's vendor SDK, without retries. `patience` is the timeout in seconds between two bytes."""

import json
from collections.abc import Callable
from typing import Any

import anthropic
import cohere
import httpx
import ollama
import openai
from google import genai
from google.genai import types

SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
DESCRIPTION = "Current weather for a city."
HELLO: Any = [{"role": "user", "content": "hi"}]

ReadReply = tuple[str, list[tuple[str, Any]]]
"""The text and the calls of a reply."""


def openai_chat(base_url: str, *, stream: bool, patience: float) -> ReadReply:
    function = {"name": "weather", "description": DESCRIPTION, "parameters": SCHEMA}
    tools: Any = [{"type": "function", "function": function}]
    with openai.OpenAI(api_key="k", base_url=base_url, max_retries=0, timeout=patience) as client:
        if stream:
            with client.chat.completions.stream(model="gpt-4.1", messages=HELLO, tools=tools) as events:
                message: Any = events.get_final_completion().choices[0].message
        else:
            message = client.chat.completions.create(model="gpt-4.1", messages=HELLO, tools=tools).choices[0].message
    calls = [(call.function.name, json.loads(call.function.arguments)) for call in message.tool_calls or ()]
    return message.content or "", calls


def openai_responses(base_url: str, *, stream: bool, patience: float) -> ReadReply:
    tools: Any = [{"type": "function", "name": "weather", "description": DESCRIPTION, "parameters": SCHEMA}]
    with openai.OpenAI(api_key="k", base_url=base_url, max_retries=0, timeout=patience) as client:
        if stream:
            with client.responses.stream(model="gpt-4.1", input="hi", tools=tools) as events:
                response: Any = events.get_final_response()
        else:
            response = client.responses.create(model="gpt-4.1", input="hi", tools=tools)
    calls = [(i.name, json.loads(i.arguments)) for i in response.output if i.type == "function_call"]
    return response.output_text, calls


def anthropic_messages(base_url: str, *, stream: bool, patience: float) -> ReadReply:
    context: Any = {
        "model": "claude-sonnet-4-6",
        "max_tokens": 99,
        "messages": HELLO,
        "tools": [{"name": "weather", "description": DESCRIPTION, "input_schema": SCHEMA}],
    }
    with anthropic.Anthropic(api_key="k", base_url=base_url, max_retries=0, timeout=patience) as client:
        if stream:
            with client.messages.stream(**context) as events:
                message: Any = events.get_final_message()
        else:
            message = client.messages.create(**context)
    text = "".join(block.text for block in message.content if block.type == "text")
    return text, [(block.name, block.input) for block in message.content if block.type == "tool_use"]


def gemini_generate(base_url: str, *, stream: bool, patience: float) -> ReadReply:
    function: Any = {"name": "weather", "description": DESCRIPTION, "parameters_json_schema": SCHEMA}
    config = types.GenerateContentConfig(
        tools=[types.Tool(function_declarations=[function])],
        http_options=types.HttpOptions(base_url=base_url, timeout=int(patience * 1000)),
    )
    client = genai.Client(api_key="k", http_options=types.HttpOptions(base_url=base_url))
    try:
        if stream:
            context = client.models.generate_content_stream(
                model="gemini-3.1-pro-preview", contents="hi", config=config
            )
            answers = list(context)
        else:
            answers = [client.models.generate_content(model="gemini-3.1-pro-preview", contents="hi", config=config)]
    finally:
        client.close()
    contents = [c.content for answer in answers for c in answer.candidates or () if c.content is not None]
    parts = [part for content in contents for part in content.parts or ()]
    calls = [(part.function_call.name or "", part.function_call.args) for part in parts if part.function_call]
    return "".join(part.text or "" for part in parts), calls


def ollama_chat(base_url: str, *, stream: bool, patience: float) -> ReadReply:
    function = {"name": "weather", "description": DESCRIPTION, "parameters": SCHEMA}
    context: Any = {"model": "qwen3", "messages": HELLO, "tools": [{"type": "function", "function": function}]}
    with ollama.Client(host=base_url, timeout=patience) as client:
        answers: Any = list(client.chat(**context, stream=True)) if stream else [client.chat(**context)]
    messages = [answer.message for answer in answers]
    calls = [(c.function.name, dict(c.function.arguments)) for m in messages for c in m.tool_calls or ()]
    return "".join(message.content or "" for message in messages), calls


def cohere_chat(base_url: str, *, stream: bool, patience: float) -> ReadReply:
    """What stands before calls is a plan."""
    function = {"name": "weather", "description": DESCRIPTION, "parameters": SCHEMA}
    context: Any = {
        "model": "command-a-03-2025",
        "messages": HELLO,
        "tools": [{"type": "function", "function": function}],
        "request_options": {"max_retries": 0},
    }
    with httpx.Client(timeout=patience) as http:
        client = cohere.ClientV2(api_key="k", base_url=base_url, httpx_client=http, timeout=patience)
        if not stream:
            message: Any = client.chat(**context).message
            calls = [(call.function.name, json.loads(call.function.arguments)) for call in message.tool_calls or ()]
            return message.tool_plan or "", calls
        events: Any = client.chat_stream(**context)
        deltas = [(event.type, event.delta.message) for event in events if has_message(event)]
    plan = "".join(message.tool_plan for kind, message in deltas if kind == "tool-plan-delta")
    pieces = [message.tool_calls.function for kind, message in deltas if kind.startswith("tool-call")]
    name = next((piece.name for piece in pieces if getattr(piece, "name", None)), None)
    return plan, [(name, json.loads("".join(piece.arguments or "" for piece in pieces)))] if name else []


def has_message(event: Any) -> bool:
    return getattr(getattr(event, "delta", None), "message", None) is not None


CLIENTS: dict[str, Callable[..., ReadReply]] = {
    "openai-chat": openai_chat,
    "openai-responses": openai_responses,
    "anthropic-messages": anthropic_messages,
    "gemini-generate": gemini_generate,
    "ollama-chat": ollama_chat,
    "cohere-chat": cohere_chat,
}
