"""The rules of Gemini's `generateContent`, in the provider's order of checks: the imports below are that order.

First the parser's (told together, with field violations), then the validator's (bullets, told together), then plain
sentences, of which turn order and signatures come last. The order is inferred from the shapes of the messages. Vertex
AI has the same parser, and plain sentences for all the rest.
"""

# isort: off
from fakes.wires.gemini_generate.rules import parsing
from fakes.wires.gemini_generate.rules import contents, schemas
from fakes.wires.gemini_generate.rules import vertex_contents, vertex_declarations
from fakes.wires.gemini_generate.rules import declarations, turns, signatures, vertex_signatures
# isort: on

from fakes.wires.gemini_generate.rules.rulebook import BOOK, Payload

__all__ = [
    "BOOK",
    "Payload",
    "contents",
    "declarations",
    "parsing",
    "schemas",
    "signatures",
    "turns",
    "vertex_contents",
    "vertex_declarations",
    "vertex_signatures",
]
