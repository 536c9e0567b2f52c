"""`POST /v1/moderations` of OpenAI, as `ModerationCreateParams` and `ModerationCreateResponse` of openai-python say."""

import re
import zlib
from collections.abc import Callable
from typing import Any, Final
from urllib.parse import urlsplit

from fake_providers.http import Request, Response, json_response
from fake_providers.wires.openai_shared.request_body import body_of

ENDPOINT: Final = "POST /v1/moderations"
DEFAULT: Final = "omni-moderation-latest"
TEXT_ONLY: Final = (
    "harassment", "harassment/threatening", "hate", "hate/threatening", "illicit", "illicit/violent", "sexual/minors",
)  # fmt: skip
PICTURES_TOO: Final = (
    "self-harm", "self-harm/instructions", "self-harm/intent", "sexual", "violence", "violence/graphic",
)  # fmt: skip
CATEGORIES: Final = (*TEXT_ONLY, *PICTURES_TOO)
FLAGGED: Final = re.compile(rf"\[flag:({'|'.join(CATEGORIES)})\]")
"""What a test writes into a text that is to be flagged: `[flag:violence]`."""


def moderations_response(request: Request, envelope: Callable[[str], Any]) -> Response | None:
    """None for a request to another endpoint. `envelope` is the body of a 400."""
    if request.method.upper() != "POST" or not urlsplit(request.path).path.endswith("/moderations"):
        return None
    body = body_of(request)
    inputs = _inputs(body.get("input")) if isinstance(body, dict) else []
    if not inputs:
        return json_response(400, envelope("'$.input' is invalid: expected a text, texts, or parts of text and image."))
    answer = {
        "id": f"modr-{zlib.crc32(request.body)}",
        "model": body.get("model") or DEFAULT,
        "results": [_result(text, kinds) for text, kinds in inputs],
    }
    return json_response(200, answer)


def _inputs(value: Any) -> list[tuple[str, list[str]]]:
    """Text and kinds of each input; parts of text and image are one."""
    if isinstance(value, str):
        return [(value, ["text"])]
    if not isinstance(value, list):
        return []
    if all(isinstance(one, str) for one in value):
        return [(one, ["text"]) for one in value]
    if not all(isinstance(one, dict) and one.get("type") in ("text", "image_url") for one in value):
        return []
    kinds = sorted({"image" if one["type"] == "image_url" else "text" for one in value}, reverse=True)
    return [(" ".join(str(one.get("text", "")) for one in value), kinds)]


def _result(text: str, kinds: list[str]) -> dict[str, Any]:
    flagged = set(FLAGGED.findall(text))
    applied = {name: [kind for kind in kinds if kind == "text" or name in PICTURES_TOO] for name in CATEGORIES}
    return {
        "flagged": bool(flagged),
        "categories": {name: name in flagged for name in CATEGORIES},
        "category_scores": {name: 0.98 if name in flagged else 0.00001 for name in CATEGORIES},
        "category_applied_input_types": applied,
    }
