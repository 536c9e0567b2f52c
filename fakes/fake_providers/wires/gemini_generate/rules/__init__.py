"""The rules of Gemini's `generateContent`, in the provider's order of checks.

First come the parser's rules (reported together, with field violations), then the validator's (bullets, reported
together), both in `FORM`; then single sentences, in `BOOK`, in the order of the imports below, with turn order and
signatures last. The order is inferred from the shapes of the messages. Vertex AI has the same parser, and single
sentences for everything else.
"""

from fake_providers.wires.gemini_generate.rules import form, parameters, turns
from fake_providers.wires.gemini_generate.rules.rulebook import BOOK, FORM, Payload
from fake_providers.wires.gemini_generate.rules.skippable import CONTENTS, TOOLS

__all__ = ["BOOK", "CONTENTS", "FORM", "TOOLS", "Payload", "form", "parameters", "turns"]
