"""Azure serves OpenAI's models behind OpenAI's own checks: the same rules, in the same words, under its own name."""

from dataclasses import replace
from typing import Any

from fakes.rule import Citation, Rule, Violation
from fakes.rulebook import RequestContext, Rulebook
from fakes.wires.openai_chat.rules import BOOKS
from fakes.wires.openai_chat.rules.samples import cite

SAME: tuple[Citation, ...] = (
    *cite("recorded exchange, gpt-5-mini on openai.azure.com", "Unsupported parameter: 'max_tokens' is not supported"),
    *cite("recorded exchange, gpt-4o through OpenRouter", "Missing required parameter: 'messages[1].content[1]"),
)


class RenamedBook(Rulebook):
    """Another book under another provider's name; what is recorded of the one is reported of the other."""

    def __init__(self, book: Rulebook, provider: str, evidence: tuple[Citation, ...]) -> None:
        super().__init__(lambda rule, found, context: None)
        self._book = book
        self._provider = provider
        self._rules = {rule.id: self._renamed(rule, evidence) for rule in book.rules}

    @property
    def rules(self) -> tuple[Rule, ...]:
        return tuple(self._rules.values())

    def judge(self, context: RequestContext) -> Violation | None:
        found = self._book.judge(context)
        if found is None:
            return None
        rule = self._rules[found.rule]
        return replace(found, rule=rule.id, confidence=rule.confidence)

    def _renamed(self, rule: Rule, evidence: tuple[Citation, ...]) -> Rule:
        what = rule.id.partition("/")[2]
        sure = "inferred" if rule.confidence == "inferred" else "reported"
        changes: dict[str, Any] = {"confidence": sure, "evidence": (*evidence, *rule.evidence), "checked": "2026-11-21"}
        return replace(rule, id=f"{self._provider}/{what}", **changes)


OPENAI_BOOKS: tuple[Rulebook, ...] = tuple(RenamedBook(book, "azure", SAME) for book in BOOKS)
