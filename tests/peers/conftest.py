"""Suites of other projects, run against the fakes. Without langchain-tests there is nothing here to collect."""

from importlib.util import find_spec

import pytest

if find_spec("langchain_tests") is None:
    collect_ignore_glob = ["test_langchain_*.py"]

NEED_A_DOWNLOAD = {
    "test_audio_inputs": "a sound from Wikimedia",
    "test_image_inputs": "a picture from Wikimedia",
    "test_image_tool_message": "a picture from Wikimedia",
    "test_pdf_inputs": "a document from w3.org",
    "test_pdf_tool_message": "a document from w3.org",
    "test_anthropic_inputs": "a picture from Wikimedia",
}
"""Tests of the suite that load from the network, and what they load."""


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Tests that need a download are deselected, by name."""
    named = [item for item in items if getattr(item, "originalname", "") in NEED_A_DOWNLOAD]
    config.hook.pytest_deselected(items=named)
    if named:
        items[:] = [item for item in items if item not in named]
