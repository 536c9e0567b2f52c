"""The last check of the fields of a request: what none of the other rules is about, by the types of OpenAI's SDK."""

from pathlib import Path

from fake_providers.declared_rules import refuse_undeclared
from fake_providers.rulebook import Rulebook
from fake_providers.values.declared import DeclaredTypes
from fake_providers.wires.openai_responses.rules.samples import sample_request
from fake_providers.wires.openai_shared.declared_words import SOURCE, declared_words
from fake_providers.wires.openai_shared.errors import envelope

BOOK = Rulebook(envelope)
SEARCH = {"type": "file_search", "vector_store_ids": ["vs_1"]}


def _search(**options: object) -> dict[str, object]:
    return sample_request(tools=[{**SEARCH, **options}])


TYPES = DeclaredTypes(
    Path(__file__).with_name("declared.json"),
    r"missing (input\.)?tools\.(.*\.)?(strict|parameters|vector_store_ids)|"
    r"missing input\.(\w+|(content|output)\.(annotations|detail|logprobs))|type (conversation|input\.agent)|"
    r"extra (input\..*|tools\.\w+|tool_choice\.\w+)",
    closed=True,
)
"""Items come back without members of their own, which were recorded as accepted, and what has a default without it."""
refuse_undeclared(BOOK, "openai/responses-", TYPES, declared_words, {
    "missing": (sample_request(tools=[{"type": "mcp"}]), sample_request(tools=[{"type": "mcp", "server_label": "a"}])),
    "type": (_search(max_num_results="5"), _search(max_num_results=5)),
    "word": (
        sample_request(tools=[{"type": "web_search", "search_context_size": "large"}]),
        sample_request(tools=[{"type": "web_search", "search_context_size": "high"}]),
    ),
    "extra": (_search(ranking_options={"rank": 1}), _search(ranking_options={})),
    "range": (_search(max_num_results=51), _search(max_num_results=50)),
}, source=SOURCE)  # fmt: skip
