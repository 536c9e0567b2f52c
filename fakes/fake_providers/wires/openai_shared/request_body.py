"""The JSON body of a request to either OpenAI wire: its model, and whether it wants a stream. Never raises. And the
events of a stream, which have nothing but JSON in them either.

A beta brings keys that are not known here: where a request names one, unknown keys are accepted, but for those of
`KNOWN_BETAS`, which bring none.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any, Final
from urllib.parse import urlsplit

from fake_providers.body_slices import PartReader
from fake_providers.http import AS_ESCAPE, Request, compact
from fake_providers.rule import Violation
from fake_providers.values.json_texts import STRICT, cached_by_body, plain_parser, read_json
from fake_providers.verdict_cache import Judge, VerdictCache
from fake_providers.wire import Route

LONGEST_TARGET: Final = 200
"""Characters of a target that is kept: clients send the same few again and again."""


class _NotJson:
    def __repr__(self) -> str:
        return "NOT_JSON"


NOT_JSON: Final = _NotJson()
"""Stands for a body that is not JSON."""


def body_of(request: Request) -> Any:
    """The JSON value, or `NOT_JSON`. It is shared between callers and must not be changed."""
    parts = PARTS.read(request.body)
    return _parsed(request.body) if parts is None else parts.value


def judge_body(
    request: Request,
    judge: Judge,
    *,
    provider: str,
    traits: Callable[[str], frozenset[str]],
    accepted: VerdictCache,
    read: Callable[[Request], Any] = body_of,
) -> Violation | None:
    """What `judge` finds in the body, which need not look at messages, items and tools that were accepted before.
    `traits` are those of a model by its name.

    A body that a provider reads otherwise than as plain JSON, or that goes on from a stored response, is judged whole.
    """
    try:
        body = read(request)
        parts = PARTS.read(request.body)
        if parts is None or parts.value is not body or request.stored is not None:
            return judge(body, None)
        return accepted.judge(request, parts, provider=provider, traits=traits(model_of(body)), judge=judge)
    except RecursionError:  # a body with a thousand levels: the provider's answer is not known
        return None


def route_to(ending: str, request: Request) -> Route | None:
    """The route of a POST to a path that ends so, or None."""
    if request.method.upper() != "POST" or not _path_of(request.path).endswith(ending):
        return None
    body = body_of(request)
    return Route(model_of(body), wants_stream(body))


def model_of(body: Any) -> str:
    model = body.get("model") if isinstance(body, dict) else None
    return model if isinstance(model, str) else ""


def wants_stream(body: Any) -> bool:
    return isinstance(body, dict) and body.get("stream") is True


def whole_number(*values: Any) -> int | None:
    """The first that is one."""
    for value in values:
        if isinstance(value, int):
            return value
    return None


def _path_of(target: str) -> str:
    return _kept_path(target) if len(target) <= LONGEST_TARGET else urlsplit(target).path


@lru_cache(maxsize=64)
def _kept_path(target: str) -> str:
    return urlsplit(target).path


def _parse(body: bytes) -> Any:
    try:
        return read_json(body.decode(), strict=True)
    except ValueError:
        return NOT_JSON


_parsed = cached_by_body(_parse)
PARTS: Final = PartReader(plain_parser(STRICT), "messages", "input", "tools")


HEADER = "openai-beta"
KNOWN_BETAS = frozenset(
    ("agents=v1", "assistants=v1", "assistants=v2", "chatkit_beta=v1", "realtime=v1", "responses=experimental")
)
"""Those that openai-python sends to other endpoints, and the one that Codex sent with every request to Responses."""


def uses_beta(headers: Mapping[str, str]) -> bool:
    """Whether the request names a beta of which it is not known which keys it brings."""
    named = headers.get(HEADER)
    return named is not None and any(beta.strip() not in KNOWN_BETAS for beta in named.split(",") if beta.strip())


def forced_tools(choice: Any, offered: Iterable[str]) -> frozenset[str]:
    """The tools one of which must be called; none if the model may answer. A list of allowed tools may force too."""
    if choice in ("required", "any"):  # "any" is Mistral's word for it
        return frozenset(offered)
    if not isinstance(choice, dict) or not isinstance(choice.get("type"), str):  # both wires demand a type
        return frozenset()
    if choice.get("type") != "allowed_tools":
        return _names([choice])
    nested = choice.get("allowed_tools")
    allowed = nested if isinstance(nested, dict) else choice
    tools = allowed.get("tools")
    return _names(tools) if allowed.get("mode") == "required" and isinstance(tools, list) else frozenset()


def allowed_tools(choice: Any) -> frozenset[str] | None:
    """The only tools that may be called; None where the choice names none."""
    if not isinstance(choice, dict) or choice.get("type") != "allowed_tools":
        return None
    nested = choice.get("allowed_tools")
    tools = (nested if isinstance(nested, dict) else choice).get("tools")
    return _names(tools) if isinstance(tools, list) else None


def _names(tools: list[Any]) -> frozenset[str]:
    named = [tool.get("function", tool) for tool in tools if isinstance(tool, dict)]
    names = [one.get("name") for one in named if isinstance(one, dict)]
    return frozenset(name for name in names if isinstance(name, str))


# Data URLs of what a file or a picture must not be; what the data themselves are is not looked at.
NOT_A_DOCUMENT: Final = re.compile(r"data:(?P<type>(?:audio|video)/[\w.+-]+)")

NOT_AN_IMAGE: Final = re.compile(r"data:image/(?!png|jpe?g|gif|webp)", re.IGNORECASE)


def unreadable_image(url: Any) -> bool:
    """Whether this is the data URL of an image that no model reads, such as SVG."""
    return isinstance(url, str) and NOT_AN_IMAGE.match(url) is not None


def audio_or_video(data: Any) -> str | None:
    """The media type of a data URL of audio or video; None for any other value."""
    found = NOT_A_DOCUMENT.match(data) if isinstance(data, str) else None
    return found["type"] if found else None


DONE = b"data: [DONE]\n\n"


Chunk = dict[str, Any] | bytes
"""The JSON of one event, or bytes that are sent unchanged."""


def event(chunk: Chunk) -> bytes:
    return chunk if isinstance(chunk, bytes) else f"data: {compact(chunk)}\n\n".encode(errors=AS_ESCAPE)


def parsed_event(sent: bytes) -> Any:
    """The `Chunk` of an event."""
    try:
        value = json.loads(sent.removeprefix(b"data:"))
    except ValueError:  # a comment, or the end of the stream
        return sent
    return value if isinstance(value, dict) else sent
