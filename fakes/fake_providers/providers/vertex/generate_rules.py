"""Vertex AI's rules in the order of its checks: the parser's, its own sentences, those of both services, signatures."""

# isort: off
from fake_providers.providers.vertex import content_rules
from fake_providers.providers.vertex import declaration_rules
from fake_providers.providers.vertex import signature_rules
# isort: on

from fake_providers.providers.vertex.books import BOOK, DOCS, SIGNATURES
from fake_providers.wires.gemini_generate import rules

__all__ = ["BOOKS", "DOCS", "content_rules", "declaration_rules", "signature_rules"]

BOOKS = (rules.FORM, BOOK, rules.BOOK, SIGNATURES)
