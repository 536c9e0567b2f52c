"""The requests that Google's SDK makes for each field of its configuration and of a content. They are captured, not
sent."""

import json
from collections.abc import Iterator
from typing import Any

from field_walker import Path, Walker
from google import genai
from google.auth.credentials import AnonymousCredentials
from google.genai import _common, types

MODEL = "gemini-3-flash-preview"
HELLO = {"role": "user", "parts": [{"text": "a"}]}
CALL = {"functionCall": {"name": "a", "args": {}}, "thoughtSignature": "c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I="}
ANSWER = {"functionResponse": {"name": "a", "response": {}}}
TOOLS = [{"functionDeclarations": [{"name": "a"}]}]
HANDLED_BY_SDK = ("httpOptions", "shouldReturnHttpResponse", "automaticFunctionCalling")


class Sent(Exception):
    """Path and body of a request."""


def requests(provider: str) -> Iterator[tuple[Path, str, bytes]]:
    """The name of the field, the path and the body; fields that the SDK does not send to this provider are left out."""
    client = _client(provider)
    for where, value in Walker().instances(types.GenerateContentConfig):
        if where and where[0] not in HANDLED_BY_SDK:
            yield from _captured_request(client, provider, ("config", *where), [HELLO], _whole(value))
    for where, value in Walker().instances(types.Part):
        yield from _captured_request(client, provider, ("part", *where), _conversation(value), {})


def _client(provider: str) -> Any:
    if provider == "gemini":
        client = genai.Client(api_key="k")
    else:
        client = genai.Client(vertexai=True, project="p", location="l", credentials=AnonymousCredentials())

    def request(method: str, path: str, body: Any, options: Any = None) -> Any:
        raise Sent(path, {name: value for name, value in body.items() if name != "config" and name[0] != "_"})

    setattr(client._api_client, "request", request)  # noqa: B010
    return client


def _captured_request(
    client: Any, provider: str, where: Path, contents: Any, config: Any
) -> Iterator[tuple[Path, str, bytes]]:
    try:
        context = [types.Content.model_validate(content) for content in contents]
        settings = types.GenerateContentConfig.model_validate(config)
        client.models.generate_content(model=MODEL, contents=context, config=settings)
    except Sent as sent:
        path, body = sent.args
        prefix = "/v1beta/" if provider == "gemini" else "/v1beta1/projects/p/locations/l/"
        plain = _common.convert_to_dict(_common.encode_unserializable_types(body))
        yield where, prefix + path, json.dumps(plain).encode()
    except (ValueError, TypeError):  # what only the other provider has, or what the SDK itself checks
        return


def _whole(config: dict[str, Any]) -> dict[str, Any]:
    return {"tools": TOOLS, **config} if "toolConfig" in config else config


def _conversation(part: dict[str, Any]) -> list[Any]:
    """Puts calls into model contents, gives responses their calls, and adds a text next to a part without data."""
    if "functionCall" in part:
        called = {**CALL, **part, "functionCall": {"name": "a", **part["functionCall"]}}
        answer = {"functionResponse": {"name": called["functionCall"]["name"], "response": {}}}
        return [HELLO, {"role": "model", "parts": [called]}, {"role": "user", "parts": [answer]}]
    if "functionResponse" in part:
        contents = {**part, "functionResponse": {"name": "a", "response": {}, **part["functionResponse"]}}
        return [HELLO, {"role": "model", "parts": [CALL]}, {"role": "user", "parts": [contents]}]
    holds = {"text", "inlineData", "fileData", "executableCode", "codeExecutionResult", "toolCall", "toolResponse"}
    return [{"role": "user", "parts": [part if holds & part.keys() else {"text": "a", **part}]}]
