"""The rulebooks that Vertex AI's rules are added to, and the pages that their sentences name. Knows no single rule."""

from fake_providers.rulebook import Rulebook
from fake_providers.wires.gemini_generate.rules.rulebook import envelope

DOCS = "https://cloud.google.com/vertex-ai/generative-ai/docs"

BOOK = Rulebook(envelope)
"""Contents and declarations, which are checked before what both services refuse in plain sentences."""

SIGNATURES = Rulebook(envelope)
"""Thought signatures, which are checked last."""
