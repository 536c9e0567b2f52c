"""Messages of every wire, for bodies that a provider refuses."""

from typing import Any

Body = dict[str, Any]

CHAT, MESSAGES, RESPONSES, OLLAMA = "/v1/chat/completions", "/v1/messages", "/v1/responses", "/api/chat"
GEMINI_3 = "/v1beta/models/gemini-3-flash-preview:generateContent"
GEMINI_25 = "/v1beta/models/gemini-2.5-flash:generateContent"
VERTEX = "/v1/projects/p/locations/global/publishers/google/models/gemini-2.5-flash:generateContent"
GEMINI_CHAT = "/v1beta/openai/chat/completions"
GROQ = "/openai/v1/chat/completions"

WEATHER: Body = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
SIGNATURE = "c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I="


def user(text: str = "Weather?") -> Body:
    return {"role": "user", "content": text}


def chat(*messages: Body, model: str = "gpt-4.1", **members: Any) -> Body:
    return {"model": model, "messages": list(messages), **members}


def call(id: str, name: str = "get_weather", arguments: Any = '{"city":"Oslo"}') -> Body:
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


def calling(*calls: Body) -> Body:
    return {"role": "assistant", "content": None, "tool_calls": list(calls)}


def result(id: str) -> Body:
    return {"role": "tool", "tool_call_id": id, "content": "7 degrees"}


def chat_tool(parameters: Body = WEATHER, **members: Any) -> Body:
    return {"type": "function", "function": {"name": "get_weather", "parameters": parameters, **members}}


def anthropic(*messages: Body, model: str = "claude-sonnet-4-5", **members: Any) -> Body:
    tools = [{"name": "get_weather", "input_schema": WEATHER}]
    return {"model": model, "max_tokens": 1024, "messages": list(messages), "tools": tools, **members}


def assistant(*blocks: Body) -> Body:
    return {"role": "assistant", "content": list(blocks)}


def users(*blocks: Body) -> Body:
    return {"role": "user", "content": list(blocks)}


def text(words: str) -> Body:
    return {"type": "text", "text": words}


def tool_use(id: str, city: str = "Oslo") -> Body:
    return {"type": "tool_use", "id": id, "name": "get_weather", "input": {"city": city}}


def tool_result(id: str) -> Body:
    return {"type": "tool_result", "tool_use_id": id, "content": "7 degrees"}


def gemini(*contents: Body, parameters: Body = WEATHER) -> Body:
    declaration = {"name": "get_weather", "description": "Weather.", "parameters": parameters}
    return {"contents": list(contents), "tools": [{"functionDeclarations": [declaration]}]}


def content(role: str, *parts: Body) -> Body:
    return {"role": role, "parts": list(parts)}


def function_call(name: str = "get_weather", *, signed: bool = True) -> Body:
    signature = {"thoughtSignature": SIGNATURE} if signed else {}
    return {"functionCall": {"name": name, "args": {"city": "Oslo"}}, **signature}


def function_response(name: str = "get_weather") -> Body:
    return {"functionResponse": {"name": name, "response": {"result": "rain"}}}


RAIN = content("user", {"text": "Rain?"})
