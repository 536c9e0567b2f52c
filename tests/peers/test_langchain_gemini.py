"""LangChain's standard suite over the fake of Gemini."""

from typing import Any

from langchain_google_genai import ChatGoogleGenerativeAI

from tests.peers.langchain_suite import OverFake


class TestGenerateContent(OverFake):
    provider, model_class = "gemini", ChatGoogleGenerativeAI
    supports_json_mode = True
    supports_model_override = False

    def params(self, base_url: str) -> dict[str, Any]:
        return {"model": "gemini-2.5-flash", "api_key": "k", "base_url": base_url}
