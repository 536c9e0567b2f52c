"""`models.countTokens` of the Developer API and of Vertex AI: which request it is about, and its count.

Shapes: `CountTokensResponse` of google-genai, and the reference of `models.countTokens`: the Developer API takes the
contents alone, or a whole request in `generateContentRequest`.
"""

from dataclasses import replace
from typing import Any, Final
from urllib.parse import unquote

from fake_providers.http import AS_ESCAPE, Request, Response, compact, json_response
from fake_providers.values.json_texts import read_json
from fake_providers.wires.gemini_generate.errors import JSON
from fake_providers.wires.gemini_generate.lenient_reading import field
from fake_providers.wires.gemini_generate.request import is_vertex

ENDPOINT: Final = "POST /v1beta/models/{model}:countTokens"
VERB: Final = ":countTokens"


def counted(request: Request) -> Request | None:
    path = unquote(request.path.partition("?")[0])
    if request.method.upper() != "POST" or not path.endswith(VERB):
        return None
    return replace(request, path=f"{path.removesuffix(VERB)}:generateContent", body=_body(request.body))


def _body(sent: bytes) -> bytes:
    """The inner request without the name of its model, which the path has as well."""
    try:
        whole: Any = field(read_json(sent), "generate_content_request")
    except ValueError:
        return sent
    if not isinstance(whole, dict):
        return sent
    return compact({name: value for name, value in whole.items() if name != "model"}).encode(errors=AS_ESCAPE)


def count_response(request: Request, tokens: int) -> Response:
    """Vertex AI bills characters, and says how many: four for each token, as the fake counts."""
    billed = {"totalBillableCharacters": 4 * tokens} if is_vertex(request) else {}
    details = [{"modality": "TEXT", "tokenCount": tokens}]
    response = json_response(200, {"totalTokens": tokens, **billed, "promptTokensDetails": details})
    return replace(response, headers=(("content-type", JSON),))
