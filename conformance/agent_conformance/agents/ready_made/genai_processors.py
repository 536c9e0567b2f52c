"""The `FunctionCalling` processor of genai-processors as an adapter: `pip install genai-processors`.

It requests streams alone. Knows the framework's documented surface and the adapter's types; nothing of fakes or laws.
"""

# mypy: disable-error-code="import-not-found"
from collections.abc import AsyncIterator
from typing import Any

from genai_processors import content_api, streams
from genai_processors.core.function_calling import FunctionCalling
from genai_processors.core.genai_model import GenaiModel
from google.genai.errors import APIError, UnknownApiResponseError

from agent_conformance import Setup
from agent_conformance.adapter.functions import identifier


class Adapter:
    wires = ("gemini-generate",)
    modes = ("stream",)
    features = frozenset({"deltas", "conversation", "native-tools", "request-limit", "cancel"})
    errors = (APIError, UnknownApiResponseError, "genai_processors")

    def __init__(self, setup: Setup) -> None:
        self.tool_names = {tool.name: identifier(tool.name) for tool in setup.tools}
        functions = [tool.function() for tool in setup.tools]
        config: dict[str, Any] = {"automatic_function_calling": {"disable": True}}
        if functions:
            config["tools"] = functions
        if setup.system:
            config["system_instruction"] = setup.system
        model = GenaiModel(setup.api_key, setup.model, config, http_options={"base_url": setup.base_url})
        self.processor = FunctionCalling(model, fns=functions, max_function_calls=setup.limits.requests)
        self.parts: list[Any] = []

    async def send(self, message: str) -> AsyncIterator[str]:
        self.parts.append(content_api.ProcessorPart(message, role="user"))
        answered = []
        async for part in self.processor(streams.stream_content([*self.parts])):
            answered.append(part)
            if content_api.is_text(part.mimetype) and part.text and not part.part.thought:
                yield part.text
        self.parts += answered
