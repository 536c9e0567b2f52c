"""Vertex AI's error messages and responses, where they differ from the Developer API's."""

import re
from typing import Any
from urllib.parse import unquote

from fake_providers.http import Request, json_encoder
from fake_providers.providers.vertex.generate_rules import BOOKS, DOCS
from fake_providers.wires.gemini_generate.errors import NO_CREDENTIAL, SENTENCES, error_body, missing_credential
from fake_providers.wires.gemini_generate.provider import Provider
from fake_providers.wires.gemini_generate.quota import retry_info
from fake_providers.wires.gemini_generate.rules.rulebook import MISSING_CREDENTIAL

CREATED = "2026-11-20T12:00:00.000000Z"

OWN_SENTENCES = {
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
    """Vertex AI's body for this status. A scripted delay is in `RetryInfo`, which Vertex AI itself does not send."""
    path = unquote(request.path.partition("?")[0])
    resource = re.sub(r"^/*v1\w*/|:\w+$", "", path)
    sentence = OWN_SENTENCES.get(status) or SENTENCES.get(status, "Unknown Error.")
    details = missing_credential(request) if status == 401 else []
    return error_body(status, sentence.format(resource=resource), [*details, *retry_info(retry_after)])


def to_vertex(body: dict[str, Any], *, is_last: bool, has_avg_logprobs: bool) -> dict[str, Any]:
    """The Developer API's body with the members and the order of Vertex AI, as recorded. A stream has its token counts
    in the last chunk."""
    if "candidates" in body:
        candidates = [_candidate(candidate, has_avg_logprobs=has_avg_logprobs) for candidate in body["candidates"]]
        answered = {"candidates": candidates}
    else:
        answered = {"promptFeedback": body["promptFeedback"]}
    return {
        **answered,
        "usageMetadata": _usage(body["usageMetadata"]) if is_last else {"trafficType": "ON_DEMAND"},
        "modelVersion": body["modelVersion"],
        "createTime": CREATED,
        "responseId": body["responseId"],
    }


def _candidate(candidate: dict[str, Any], *, has_avg_logprobs: bool) -> dict[str, Any]:
    """The role before the parts, no index, and a finish message only if something went wrong."""
    ordered: dict[str, Any] = {}
    content = candidate.get("content")
    if content is not None:
        ordered["content"] = {name: content[name] for name in ("role", "parts") if name in content}
    if "finishReason" in candidate:
        ordered["finishReason"] = candidate["finishReason"]
        if has_avg_logprobs and "parts" in ordered.get("content", {}):
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
    more = ("cachedContentTokenCount", "cacheTokensDetails", "thoughtsTokenCount")
    ordered |= {name: usage[name] for name in more if name in usage}
    return ordered


PROVIDER = Provider(
    name="vertex",
    books=BOOKS,
    missing_key=MISSING_CREDENTIAL,
    validate=lambda body: (),  # Vertex AI does not have this validator: it reports one thing at a time
    status_body=status_body,
    arrange=to_vertex,
    to_json=json_encoder(",", ": "),
    makes_call_ids=False,
    ends_with_last_piece=True,
)
