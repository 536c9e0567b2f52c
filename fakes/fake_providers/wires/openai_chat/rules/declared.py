"""The last check of the fields of a chat request: what none of the other rules is about, by the types of OpenAI's SDK."""

from pathlib import Path

from fake_providers.declared_rules import refuse_undeclared
from fake_providers.rulebook import Rulebook
from fake_providers.values.declared import DeclaredTypes
from fake_providers.wires.openai_chat.rules.samples import USER, sample_request
from fake_providers.wires.openai_shared.declared_words import SOURCE, declared_words
from fake_providers.wires.openai_shared.errors import envelope

BOOK = Rulebook(envelope)
GRAMMAR = {"type": "grammar", "grammar": {"syntax": "lark", "definition": "start: /a/"}}


def _custom(**grammar: str) -> dict[str, object]:
    made = {**GRAMMAR, "grammar": {**GRAMMAR["grammar"], **grammar}}  # type: ignore[dict-item]
    return sample_request(tools=[{"type": "custom", "custom": {"name": "sql", "format": made}}])


def _old(*functions: dict[str, object]) -> dict[str, object]:
    return sample_request(functions=list(functions))


TYPES = DeclaredTypes(Path(__file__).with_name("declared.json"), r"word tools\.type")
"""The type of a tool has rules of its own, and one that OpenAI's own search has was recorded as accepted."""
refuse_undeclared(BOOK, "openai/", TYPES, declared_words, {
    "missing": (
        sample_request(tools=[{"type": "custom", "custom": {"name": "sql", "format": {"type": "grammar"}}}]),
        _custom(),
    ),
    "type": (sample_request({**USER, "name": 7}), sample_request({**USER, "name": "Ada"})),
    "word": (_custom(syntax="bnf"), _custom(syntax="regex")),
    "range": (_old(*[{"name": "f"}] * 129), _old({"name": "f"})),
}, source=SOURCE)  # fmt: skip
