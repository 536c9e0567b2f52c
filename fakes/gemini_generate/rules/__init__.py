"""The rules of Gemini's `generateContent`, in the provider's order of checks: the imports below are that order.

First the parser's (told together, with field violations), then the validator's (bullets, told together), then plain
sentences, of which turn order and signatures come last. The order is inferred from the shapes of the messages.
"""

# isort: off
from fakes.gemini_generate.rules import parsing
from fakes.gemini_generate.rules import contents, schemas
from fakes.gemini_generate.rules import declarations, turns, signatures
# isort: on

from fakes.gemini_generate.rules.book import BOOK, Payload

__all__ = ["BOOK", "Payload", "contents", "declarations", "parsing", "schemas", "signatures", "turns"]
