"""What OpenAI and the providers with its wires answer beside model requests: models, embeddings, moderations.

Shapes: `Model`, `CreateEmbeddingResponse`, `EmbeddingCreateParams`, `ModerationCreateParams` and
`ModerationCreateResponse` of openai-python; its client asks for base64 by default.
"""

import re
import zlib
from collections.abc import Callable, Mapping
from typing import Any, Final
from urllib.parse import unquote, urlsplit

from fake_providers.http import Request, Response, json_response
from fake_providers.ids import HEXADECIMAL, Ids
from fake_providers.provider_facts import facts_by_provider
from fake_providers.values.tokens import MOST_DIMENSIONS, as_base64, dimensions_of, embed, tokens_of_texts
from fake_providers.wire import ServedModels
from fake_providers.wires.openai_shared.request_body import body_of, model_of

PATH: Final = re.compile(r".*/models(?:/((?!.*:[a-z]+[A-Z]\w*$).+))?")  # `m:countTokens` is a request of Google's
WINDOW: Final = 131_072
"""What the fake says where it has no bound."""


def models_response(request: Request, served: ServedModels) -> Response | None:
    """None for a request that asks for no models."""
    found = PATH.fullmatch(unquote(urlsplit(request.path).path).rstrip("/"))
    if request.method.upper() != "GET" or found is None:
        return None
    facts = facts_by_provider()[served.provider]
    if found[1]:
        entry = _entry(facts.listed_model, found[1], served)
        return json_response(200, entry if "object" in entry else {"data": entry})
    entries = [_entry(facts.listed_model, id, served) for id in served.names]
    is_list = {"object": "list"} if "object" in facts.listed_model else {}
    return json_response(200, {**is_list, "data": entries})


def _entry(template: Mapping[str, Any], id: str, served: ServedModels) -> dict[str, Any]:
    values = {"$id": id, "$window": served.window or WINDOW}
    return {"id": id, **_filled(template, values)}


def _filled(template: Any, values: Mapping[str, Any]) -> Any:
    if isinstance(template, dict):
        return {key: _filled(value, values) for key, value in template.items()}
    return values.get(template, template) if isinstance(template, str) else template


EMBEDDINGS: Final = "POST /v1/embeddings"
DIMENSIONS: Final[Mapping[str, int]] = {
    "text-embedding-3-large": 3072,
    "text-embedding-3-small": 1536,
    "text-embedding-ada-002": 1536,
    "mistral-embed": 1024,
    "codestral-embed": 1536,
    "gemini-embedding-001": 3072,
    "text-embedding-004": 768,
    "embed-v4.0": 1536,
    "nomic-embed-text": 768,
    "all-minilm": 384,
}
DEFAULT_DIMENSIONS: Final = 1024
MOST_INPUTS: Final = 2048
HAVE_EMBEDDINGS: Final = frozenset(
    ("openai", "azure", "gemini", "mistral", "openrouter", "ollama", "vllm", "llama.cpp", "cohere")
)
"""Those that have embeddings beside chat; Groq, xAI and DeepSeek have none (their API references)."""

Envelope = Callable[[str], Any]


def embeddings_response(request: Request, provider: str, envelope: Envelope) -> Response | None:
    """None for a request to another endpoint. `envelope` is the provider's body of a 400."""
    if provider not in HAVE_EMBEDDINGS or request.method.upper() != "POST":
        return None
    if not urlsplit(request.path).path.endswith("/embeddings"):
        return None
    body = body_of(request)
    if not isinstance(body, dict):
        return json_response(400, envelope("We could not parse the JSON body of your request."))
    texts = _texts(body.get("input"))
    wrong = _wrong(body, texts)
    return json_response(400, envelope(wrong)) if wrong else json_response(200, _named(_answer(body, texts), provider))


def _wrong(body: Mapping[str, Any], texts: list[str]) -> str | None:
    """What is wrong with the request, in words of ours: the providers' are not known."""
    if not model_of(body):
        return "you must provide a model parameter"
    if not texts:
        return "'$.input' is invalid: expected a text, a list of texts, tokens, or a list of lists of tokens."
    if len(texts) > MOST_INPUTS:
        return f"'$.input' is invalid: expected at most {MOST_INPUTS} inputs, got {len(texts)}."
    size = body.get("dimensions")
    if size is not None and not (type(size) is int and 0 < size <= MOST_DIMENSIONS):
        return f"'$.dimensions' is invalid: expected a number from 1 to {MOST_DIMENSIONS}."
    return None


def _texts(value: Any) -> list[str]:
    """One text for each vector; tokens count as words."""
    if isinstance(value, str):
        return [value]
    if not isinstance(value, list) or not value:
        return []
    if all(isinstance(one, int) for one in value):
        return [_words(value)]
    if all(isinstance(one, str) or (isinstance(one, list) and one) for one in value):
        return [one if isinstance(one, str) else _words(one) for one in value]
    return []


def _words(tokens: list[Any]) -> str:
    return " ".join(str(token) for token in tokens)


def _answer(body: Mapping[str, Any], texts: list[str]) -> dict[str, Any]:
    size = body.get("dimensions") or dimensions_of(model_of(body), DIMENSIONS, DEFAULT_DIMENSIONS)
    encode: Callable[[list[float]], Any] = as_base64 if body.get("encoding_format") == "base64" else list
    data = [
        {"object": "embedding", "index": index, "embedding": encode(embed(text, size))}
        for index, text in enumerate(texts)
    ]
    tokens = tokens_of_texts(texts)
    usage = {"prompt_tokens": tokens, "total_tokens": tokens}
    return {"object": "list", "data": data, "model": model_of(body), "usage": usage}


def _named(answer: dict[str, Any], provider: str) -> dict[str, Any]:
    """Mistral's answers have an id, without which its SDK reads none. It is the same for the same answer."""
    return {"id": Ids(str(answer)).make("", 32, HEXADECIMAL), **answer} if provider == "mistral" else answer


MODERATIONS: Final = "POST /v1/moderations"
MODERATION_MODEL: Final = "omni-moderation-latest"
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
        "model": body.get("model") or MODERATION_MODEL,
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
