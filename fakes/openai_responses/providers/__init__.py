"""The providers beside OpenAI that speak this wire, one module each; their rules stand in `rules`."""

from fakes.openai_responses.provider import Provider
from fakes.openai_responses.providers.deepseek import PROVIDER as DEEPSEEK
from fakes.openai_responses.providers.openrouter import PROVIDER as OPENROUTER
from fakes.openai_responses.providers.xai import PROVIDER as XAI

PROVIDERS: dict[str, Provider] = {provider.name: provider for provider in (DEEPSEEK, OPENROUTER, XAI)}
