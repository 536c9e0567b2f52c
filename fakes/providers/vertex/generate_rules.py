"""Vertex AI's rules in the order of its checks: the parser's, its own sentences, those of both services, signatures."""

# isort: off
from fakes.providers.vertex import content_rules
from fakes.providers.vertex import declaration_rules
from fakes.providers.vertex import signature_rules
# isort: on

from fakes.providers.vertex.books import BOOK, DOCS, SIGNATURES
from fakes.wires.gemini_generate import rules

__all__ = ["BOOKS", "DOCS", "content_rules", "declaration_rules", "signature_rules"]

BOOKS = (rules.FORM, BOOK, rules.BOOK, SIGNATURES)
