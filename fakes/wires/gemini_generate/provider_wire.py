"""The wire of a provider other than Gemini."""

from fakes.wire import Wire
from fakes.wires.gemini_generate.provider import Provider
from fakes.wires.gemini_generate.wire import GeminiGenerate


def wire_of(provider: Provider) -> Wire:
    return GeminiGenerate(provider)
