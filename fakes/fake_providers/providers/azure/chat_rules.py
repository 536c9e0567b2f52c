"""Azure serves OpenAI's models with OpenAI's own checks: the same rules, with the same messages, under its own name."""

from fake_providers.rule import Citation
from fake_providers.rulebook import Rulebook
from fake_providers.rules.renamed_rulebook import RenamedBook
from fake_providers.wires.openai_chat.rules import BOOKS
from fake_providers.wires.openai_chat.rules.samples import cite

SAME: tuple[Citation, ...] = (
    *cite("recording, gpt-5-mini on openai.azure.com", "Unsupported parameter: 'max_tokens' is not supported"),
    *cite("recording, gpt-4o through OpenRouter", "Missing required parameter: 'messages[1].content[1]"),
)


OPENAI_BOOKS: tuple[Rulebook, ...] = tuple(RenamedBook(book, "azure", SAME) for book in BOOKS)
