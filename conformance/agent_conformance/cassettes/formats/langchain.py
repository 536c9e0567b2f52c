"""The cassettes of LangChain's own tests: vcrpy's entries as two lists, `requests` and `responses`, packed by gzip."""

from collections.abc import Iterator
from typing import Any

from agent_conformance.cassettes import yaml_items

KEYS = ("requests",)


def items_of(text: str) -> Iterator[tuple[int, Any]]:
    """Line and value of each request with its response, as an interaction of vcrpy. Raises `CutShort`."""
    requests = list(yaml_items.items_of(text, KEYS))
    responses = yaml_items.items_of(text, ("responses",))
    for (line, request), (_, response) in zip(requests, responses, strict=False):
        yield line, {"request": request, "response": response}
