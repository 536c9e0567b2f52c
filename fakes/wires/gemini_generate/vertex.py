"""What Vertex AI tells otherwise than the Developer API: its sentences and its answers. Knows no rule."""

import re
from typing import Any
from urllib.parse import unquote

from fakes.http import Request
from fakes.wires.gemini_generate.errors import SENTENCES, error_body, retry_info

DOCS = "https://cloud.google.com/vertex-ai/generative-ai/docs"
CREATED = "2026-11-20T12:00:00.000000Z"

NO_CREDENTIAL = (
    "Request is missing required authentication credential. Expected OAuth 2 access token, login cookie or other valid "
    "authentication credential. See https://developers.google.com/identity/sign-in/web/devconsole-project."
)
WORDS = {
    401: NO_CREDENTIAL,
    403: "Permission 'aiplatform.endpoints.predict' denied on resource '//aiplatform.googleapis.com/{resource}' "
    "(or it may not exist).",
    404: "Publisher Model `{resource}` was not found or your project does not have access to it. Please ensure you are "
    f"using a valid model version. For more information, see: {DOCS}/learn/model-versions",
    429: f"Resource exhausted. Please try again later. Please refer to {DOCS}/error-code-429 for more details.",
    500: "Internal error encountered.",
    503: "The service is currently unavailable.",
}
"""Those of 401 and 404 are recorded; 403, 429, 500 and 503 are quoted by users. The others are the Developer API's."""


def status_body(status: int, request: Request, *, retry_after: float | None = None) -> dict[str, Any]:
    """A scripted delay stands in `RetryInfo`, which Vertex AI itself leaves out."""
    path = unquote(request.path.partition("?")[0])
    resource = re.sub(r"^/*v1\w*/|:\w+$", "", path)
    sentence = WORDS.get(status) or SENTENCES.get(status, "Unknown Error.")
    details = _missing_credential(path) if status == 401 else []
    return error_body(status, sentence.format(resource=resource), [*details, *retry_info(retry_after)])


def _missing_credential(path: str) -> list[Any]:
    version = path.strip("/").partition("/")[0]
    verb = path.rpartition(":")[2]
    method = f"google.cloud.aiplatform.{version}.PredictionService.{verb[:1].upper()}{verb[1:]}"
    return [
        {
            "@type": "type.googleapis.com/google.rpc.ErrorInfo",
            "reason": "CREDENTIALS_MISSING",
            "domain": "googleapis.com",
            "metadata": {"method": method, "service": "aiplatform.googleapis.com"},
        }
    ]


def told(body: dict[str, Any], *, ends: bool, averages: bool) -> dict[str, Any]:
    """The Developer API's body in the members and the order of Vertex AI, as recorded. A stream counts at its end."""
    return {
        "candidates": [_candidate(candidate, averages=averages) for candidate in body["candidates"]],
        "usageMetadata": _usage(body["usageMetadata"]) if ends else {"trafficType": "ON_DEMAND"},
        "modelVersion": body["modelVersion"],
        "createTime": CREATED,
        "responseId": body["responseId"],
    }


def _candidate(candidate: dict[str, Any], *, averages: bool) -> dict[str, Any]:
    """The role before the parts, no index, and a finish message only with what went wrong."""
    ordered: dict[str, Any] = {}
    content = candidate.get("content")
    if content is not None:
        ordered["content"] = {name: content[name] for name in ("role", "parts") if name in content}
    if "finishReason" in candidate:
        ordered["finishReason"] = candidate["finishReason"]
        if averages and "parts" in ordered.get("content", {}):
            ordered["avgLogprobs"] = -0.25
        if "finishMessage" in candidate and candidate["finishReason"] != "STOP":
            ordered["finishMessage"] = candidate["finishMessage"]
    return ordered


def _usage(usage: dict[str, Any]) -> dict[str, Any]:
    counts = ("promptTokenCount", "candidatesTokenCount", "totalTokenCount")
    ordered: dict[str, Any] = {name: usage[name] for name in counts if name in usage}
    ordered |= {"trafficType": "ON_DEMAND", "promptTokensDetails": usage["promptTokensDetails"]}
    if "candidatesTokenCount" in usage:
        counted = {"modality": "TEXT", "tokenCount": usage["candidatesTokenCount"]}
        ordered["candidatesTokensDetails"] = [counted]
    if "thoughtsTokenCount" in usage:
        ordered["thoughtsTokenCount"] = usage["thoughtsTokenCount"]
    return ordered
