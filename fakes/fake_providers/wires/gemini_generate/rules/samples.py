"""Sample requests of the rules, their paths, and how a rule cites its sources."""

from typing import Any

OLD = "gemini-2.5-flash"
DEFAULT = "gemini-3-flash-preview"
NEWEST = "gemini-3.7-flash"
SKIP_SIGNATURE = "c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I="
"""The documented value for a history of another model: `skip_thought_signature_validator`, in base64."""


def gemini_path(model: str = DEFAULT) -> str:
    return f"/v1beta/models/{model}:generateContent"


def vertex_path(model: str = DEFAULT) -> str:
    return f"/v1/projects/p/locations/global/publishers/google/models/{model}:generateContent"


def user(*parts: Any) -> dict[str, Any]:
    return {"role": "user", "parts": [{"text": part} if isinstance(part, str) else part for part in parts]}


def model(*parts: Any) -> dict[str, Any]:
    return {"role": "model", "parts": [{"text": part} if isinstance(part, str) else part for part in parts]}


def call(name: str = "get_weather", args: Any = None, *, signed: bool = True) -> dict[str, Any]:
    part: dict[str, Any] = {"functionCall": {"name": name, "args": {"city": "Oslo"} if args is None else args}}
    return part | {"thoughtSignature": SKIP_SIGNATURE} if signed else part


def result(name: str = "get_weather", response: Any = None) -> dict[str, Any]:
    return {"functionResponse": {"name": name, "response": {"result": "rain"} if response is None else response}}


def sample_request(*contents: Any, **fields: Any) -> dict[str, Any]:
    return {"contents": list(contents) or [user("Is it raining in Oslo?")], **fields}


def exchange(asked: Any = None, answer: Any = None) -> dict[str, Any]:
    """A conversation with an answered call; `asked` stands in place of its part, `answer` in that of the result."""
    return sample_request(user("Rain?"), model(asked or call()), user(answer or result()))


def sample_with_tools(*declaration_of: Any, **fields: Any) -> dict[str, Any]:
    return sample_request(tools=[{"functionDeclarations": list(declaration_of)}], **fields)


def declaration_of(parameters: Any, *, name: str = "get_weather") -> dict[str, Any]:
    return {"name": name, "description": "Current weather.", "parameters": parameters}


def sample_with_property(schema: Any, **fields: Any) -> dict[str, Any]:
    """A request that declares one tool with one property `city`."""
    return sample_with_tools(declaration_of({"type": "object", "properties": {"city": schema}, **fields}))
