"""LangChain's standard suite over the fakes of OpenAI, on both of its wires."""

from typing import Any

from langchain_openai import ChatOpenAI

from tests.peers.langchain_suite import OverFake


class TestChatCompletions(OverFake):
    provider, wire, model_class = "openai", "openai-chat", ChatOpenAI
    supports_json_mode = True
    model_override_value = "gpt-4.1-mini"

    def params(self, base_url: str) -> dict[str, Any]:
        return {"model": "gpt-4.1", "api_key": "k", "base_url": base_url, "stream_usage": True}


class TestResponses(OverFake):
    provider, wire, model_class = "openai", "openai-responses", ChatOpenAI
    supports_json_mode = True
    model_override_value = "gpt-4.1-mini"

    def params(self, base_url: str) -> dict[str, Any]:
        return {"model": "gpt-4.1", "api_key": "k", "base_url": base_url, "use_responses_api": True}
