"""The last check of a request: what none of the other rules is about, by the types of OpenAI's SDK."""

from pathlib import Path
from typing import Any

from fake_providers.declared_rules import refuse_undeclared
from fake_providers.rulebook import Rulebook
from fake_providers.values.declared import DeclaredTypes
from fake_providers.wires.openai_chat.rules.samples import TOOL, USER, sample_request
from fake_providers.wires.openai_shared.declared_words import SOURCE, declared_words
from fake_providers.wires.openai_shared.errors import envelope

BOOK = Rulebook(envelope)


def _custom(**grammar: str) -> dict[str, Any]:
    made = {"type": "grammar", "grammar": {"syntax": "lark", "definition": "start: /a/", **grammar}}
    return sample_request(tools=[{"type": "custom", "custom": {"name": "sql", "format": made}}])


def _choice(**chosen: Any) -> dict[str, Any]:
    return sample_request(tools=[TOOL], tool_choice={"type": "allowed_tools", "allowed_tools": chosen})


ALLOWED = [{"type": "function", "function": {"name": "get_weather"}}]
TYPES = DeclaredTypes(Path(__file__).with_name("declared.json"), r"word (tools|messages\.content)\.type")
"""The types of tools and of parts have rules of their own, and some that are not declared were recorded as accepted."""
refuse_undeclared(BOOK, "openai/", TYPES, declared_words, {
    "missing": (_choice(mode="auto"), _choice(mode="auto", tools=ALLOWED)),
    "type": (sample_request({**USER, "name": 7}), sample_request({**USER, "name": "Ada"})),
    "word": (_custom(syntax="bnf"), _custom(syntax="regex")),
    "range": (sample_request(functions=[]), sample_request(functions=[{"name": "f"}])),
}, source=SOURCE)  # fmt: skip
