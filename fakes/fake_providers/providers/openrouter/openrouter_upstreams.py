"""What the makers of models refuse of a request that OpenRouter passes on: their own rules on the translated body,
reported as `Provider returned error` with their answer in `metadata.raw`.

Only rules on what OpenRouter does not mend on its way: the pairing of calls and results, schemas, and pictures.
"""

import json
from collections.abc import Callable, Collection
from typing import Any, Final

from fake_providers.models import traits
from fake_providers.providers.anthropic import anthropic_chat
from fake_providers.providers.shared.translated_book import TranslatedBook, Translation
from fake_providers.replies.documents import Envelope
from fake_providers.rule import Violation
from fake_providers.rulebook import RequestContext, Rulebook, RuleFilter
from fake_providers.wires.anthropic_messages.rules import CONVERSATION
from fake_providers.wires.openai_chat.rules import media, messages, tools
from fake_providers.wires.openai_chat.rules.samples import cite

FROM_ELSEWHERE: Final = "Provider returned error"
error_body = Envelope(
    {"error": {"message": "<message>", "code": "<status>", "metadata": "<metadata>"}, "user_id": "<user>"},
    user="user_2conformance0000000000000",
)


def _reported_by(server: str) -> Callable[[Violation], Any]:
    def envelope(found: Violation) -> Any:
        raw = json.dumps(found.body, ensure_ascii=False)
        metadata = {"raw": raw, "provider_name": server, "is_byok": False}
        return error_body(FROM_ELSEWHERE, status=found.status, metadata=metadata)

    return envelope


class UpstreamBook(TranslatedBook):
    """A maker's book, for its models alone."""

    def __init__(self, book: Rulebook, maker: str, wire: str, evidence: str, translation: Translation) -> None:
        super().__init__(book, "openrouter", cite(evidence), translation, prefix=f"{maker}-")
        self._maker, self._wire = maker, wire

    def judge(self, context: RequestContext, reads: RuleFilter | None = None) -> Violation | None:
        maker, _, model = context.model.partition("/")
        if maker != self._maker:
            return None
        model = _bare(model, maker)
        own = traits(self._wire, model, maker)
        passed_on = RequestContext(context.body, context.headers, model, own, context.stream, maker, context.read)
        return super().judge(passed_on, reads)


def _bare(model: str, maker: str) -> str:
    """As the maker names it: `claude-sonnet-4.6` is `claude-sonnet-4-6` there, and a variant such as `:nitro` is
    OpenRouter's."""
    name = model.partition(":")[0]
    return name.replace(".", "-") if maker == "anthropic" else name


def _translation(maker: str, server: str, reachable: Collection[str], base: Translation | None = None) -> Translation:
    def chat(sample: Any) -> dict[str, Any]:
        return named(sample if base is None else base.chat(sample))

    def named(sample: Any) -> dict[str, Any]:
        return {**sample, "model": f"{maker}/{sample['model']}"}

    pairs = {id: (named(wrong), named(right)) for id, (wrong, right) in base.pairs.items()} if base else {}
    return Translation(
        native=(lambda body: body) if base is None else base.native,
        chat=chat,
        place=(lambda at, body: at) if base is None else base.place,
        reachable=reachable,
        pairs=pairs,
        envelope=_reported_by(server),
    )


OPENAI: Final = _translation("openai", "OpenAI", frozenset((
    "result-id-missing", "tool-without-call", "result-of-unknown-call", "tool-calls-unanswered", 
    "schema-root-type", "schema-root-union", "schema-without-properties", "schema-array-without-items",
    "image-base64", "image-format",
)))  # fmt: skip
ANTHROPIC: Final = _translation("anthropic", "Anthropic", frozenset((
    "tool-use-unanswered", "tool-result-without-use", "tool-name-pattern", "prefill", "image-data", "image-empty",
    "image-unreadable",
)), anthropic_chat.TRANSLATION)  # fmt: skip

UPSTREAMS: Final = (
    *(UpstreamBook(book, "openai", "openai-chat", "open-codex#5: Missing parameter 'tool_call_id'", OPENAI)
      for book in (tools.SCHEMAS_ITEM_RULES, media.BOOK, messages.CONVERSATION_ITEM_RULES)),
    *(UpstreamBook(book, "anthropic", "anthropic-messages", "forgecode#1359, zed#64424: in `metadata.raw`", ANTHROPIC)
      for book in CONVERSATION),
)  # fmt: skip
