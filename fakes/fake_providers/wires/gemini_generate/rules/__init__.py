"""The rules of Gemini's `generateContent`, in the provider's order of checks, which is the order of the imports below.

First come the parser's rules (reported together, with field violations), then the validator's (bullets, reported
together), then single sentences, with turn order and signatures last. The order is inferred from the shapes of the
messages. Vertex AI has the same parser, and single sentences for everything else.
"""

# isort: off
from fake_providers.wires.gemini_generate.rules import parsing
from fake_providers.wires.gemini_generate.rules import contents
from fake_providers.wires.gemini_generate.rules import abilities
from fake_providers.wires.gemini_generate.rules import declarations
from fake_providers.wires.gemini_generate.rules import turns
# isort: on

from fake_providers.wires.gemini_generate.rules.rulebook import BOOK, FORM, Payload
from fake_providers.wires.gemini_generate.rules.usual import CONTENTS, TOOLS

__all__ = [
    "BOOK",
    "CONTENTS",
    "FORM",
    "TOOLS",
    "Payload",
    "abilities",
    "contents",
    "declarations",
    "parsing",
    "turns",
]
