"""The providers beside OpenAI that speak this wire, one module each; their rules stand in `rules`."""

from fakes.providers.deepseek.responses_answers import PROVIDER as DEEPSEEK
from fakes.providers.openrouter.responses_answers import PROVIDER as OPENROUTER
from fakes.providers.xai.responses_answers import PROVIDER as XAI
from fakes.wires.openai_responses.provider import Provider

PROVIDERS: dict[str, Provider] = {provider.name: provider for provider in (DEEPSEEK, OPENROUTER, XAI)}
