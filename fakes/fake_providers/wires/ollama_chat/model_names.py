"""How Ollama parses names of models, and what the models of its library do not support."""

import re
from functools import lru_cache
from typing import Any

from msgspec import Struct

from fake_providers.models import traits
from fake_providers.rulebook import Breach, RequestContext

HOST, NAMESPACE, TAG = "registry.ollama.ai", "library", "latest"
_PARTS = {"host": r"\w[\w.:-]{0,349}", "namespace": r"\w[\w-]{0,79}", "model": r"\w[\w.-]{0,79}"}


class ModelName(Struct, frozen=True):
    """`registry.ollama.ai/library/qwen3:8b` in its parts. `cloud` models run elsewhere; responses contain their
    `base`."""

    host: str
    namespace: str
    model: str
    tag: str
    base: str
    cloud: bool

    @property
    def full(self) -> str:
        return f"{self.host}/{self.namespace}/{self.model}:{self.tag}"

    @property
    def traits(self) -> frozenset[str]:
        """`no-tools`, `no-thinking`; empty for models that are not of the library or run elsewhere."""
        if self.cloud or (self.host, self.namespace) != (HOST, NAMESPACE):
            return frozenset()
        return traits("ollama-chat", f"{self.model}:{self.tag}".lower())


def parse_name(text: str) -> ModelName | None:
    """None if the text is not a valid name."""
    return _cached_parse(text) if len(text) <= LONGEST_CACHED else _parse(text)


def _parse(text: str) -> ModelName | None:
    base, cloud = _without_source(text.strip())
    rest, tag = base, TAG
    if base.rfind(":") > base.rfind("/"):
        rest, _, tag = base.rpartition(":")
    *before, model = rest.split("/", 2) if rest.count("/") < 3 else rest.rsplit("/", 2)
    namespace = before.pop() if before else NAMESPACE
    host = before.pop().rpartition("://")[2] if before else HOST
    parts = {"host": host, "namespace": namespace, "model": model}
    is_valid = all(re.fullmatch(_PARTS[part], value, re.ASCII) for part, value in parts.items())
    if not is_valid or not re.fullmatch(_PARTS["model"], tag, re.ASCII):
        return None
    return ModelName(host, namespace, model, tag, base, cloud)


_cached_parse = lru_cache(maxsize=256)(_parse)
LONGEST_CACHED = 100
"""Names come from clients, so the number and the length of cached ones are limited."""


def _without_source(text: str) -> tuple[str, bool]:
    """The name without `:cloud`, `:local` or `-cloud` at its end, and whether it runs in the cloud."""
    head, colon, last = text.rpartition(":")
    if not colon or "/" in last:
        return text, False
    if last.lower() in ("cloud", "local"):
        return head, last.lower() == "cloud"
    if last.lower().endswith("-cloud"):
        return text[: -len("-cloud")], True
    return text, False


def tools_unsupported(context: RequestContext, tools: Any) -> Breach | None:
    """The refusal of tools by a model whose template has no place for them."""
    name = parse_name(context.model)
    if name is None or "no-tools" not in context.traits or not tools:
        return None
    return Breach("tools", f"{name.full} does not support tools")
