"""LangChain's standard suite over the fake of Ollama."""

from typing import Any

from langchain_ollama import ChatOllama

from tests.peers.langchain_suite import OverFake


class TestChat(OverFake):
    provider, model_class = "ollama", ChatOllama
    supports_json_mode = True
    has_tool_choice = False
    model_override_value = "llama3.1:8b"

    def params(self, base_url: str) -> dict[str, Any]:
        return {"model": "qwen3:8b", "base_url": base_url, "validate_model_on_init": True}
