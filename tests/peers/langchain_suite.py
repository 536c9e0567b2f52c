"""LangChain's standard suite of chat models over a served fake: each test has its own, and breaks no rule."""

from collections.abc import Iterator
from typing import Any, ClassVar

import pytest
from langchain_core.language_models import BaseChatModel
from langchain_tests.integration_tests import ChatModelIntegrationTests

from fake_providers.serving.loopback import serve
from fake_providers.serving.scripted_fake import ScriptedFake
from tests.peers.langchain_replies import reply_to


class OverFake(ChatModelIntegrationTests):
    """A class of the suite. Subclasses name the provider, its wire and the model class, and how it takes a base URL."""

    provider: ClassVar[str]
    wire: ClassVar[str | None] = None
    model_class: ClassVar[type[BaseChatModel]]

    @pytest.fixture(autouse=True)
    def fake(self) -> Iterator[ScriptedFake]:
        with serve(self.provider, reply_to, wire=self.wire) as fake:
            self._fake = fake
            yield fake
        assert fake.violations == []
        assert fake.stops == []

    def params(self, base_url: str) -> dict[str, Any]:
        raise NotImplementedError

    @property
    def chat_model_class(self) -> type[BaseChatModel]:
        return self.model_class

    @property
    def chat_model_params(self) -> dict[str, Any]:
        return self.params(self._fake.base_url)

    @property
    def standard_chat_model_params(self) -> dict[str, Any]:
        """Without the suite's temperature, which newer models refuse."""
        return {}
