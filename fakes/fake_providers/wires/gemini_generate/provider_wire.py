"""The wire of a provider other than Gemini."""

from fake_providers.wire import Wire
from fake_providers.wires.gemini_generate.provider import Provider
from fake_providers.wires.gemini_generate.wire import GeminiGenerate


def wire_of(provider: Provider) -> Wire:
    return GeminiGenerate(provider)
