"""`POST /v1/responses/input_tokens`: which request it is about, and its count. Knows no rule.

Shapes: `InputTokenCountParams` and `InputTokenCountResponse` of openai-python.
"""

from dataclasses import replace
from urllib.parse import urlsplit

from fake_providers.http import Request, Response, json_response

ENDPOINT = "POST /v1/responses/input_tokens"
ENDING = "/responses/input_tokens"


def counted(request: Request) -> Request | None:
    """The request for a response."""
    path = urlsplit(request.path).path
    if request.method.upper() != "POST" or not path.endswith(ENDING):
        return None
    return replace(request, path=path.removesuffix("/input_tokens"))


def count_response(tokens: int) -> Response:
    return json_response(200, {"object": "response.input_tokens", "input_tokens": tokens})
