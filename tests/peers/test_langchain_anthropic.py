"""LangChain's standard suite over the fake of Anthropic."""

from typing import Any

from langchain_anthropic import ChatAnthropic

from tests.peers.langchain_suite import OverFake


class TestMessages(OverFake):
    provider, model_class = "anthropic", ChatAnthropic
    model_override_value = "claude-haiku-4-5"

    def params(self, base_url: str) -> dict[str, Any]:
        return {"model": "claude-sonnet-4-6", "api_key": "k", "base_url": base_url, "max_tokens": 1000}
