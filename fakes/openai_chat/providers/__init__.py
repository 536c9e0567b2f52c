"""The providers beside OpenAI that speak this wire, one module each; their rules stand in `rules`."""

from fakes.openai_chat.provider import Provider
from fakes.openai_chat.providers.azure import PROVIDER as AZURE
from fakes.openai_chat.providers.deepseek import PROVIDER as DEEPSEEK
from fakes.openai_chat.providers.gemini import PROVIDER as GEMINI
from fakes.openai_chat.providers.groq import PROVIDER as GROQ
from fakes.openai_chat.providers.llama_cpp import PROVIDER as LLAMA_CPP
from fakes.openai_chat.providers.mistral import PROVIDER as MISTRAL
from fakes.openai_chat.providers.openrouter import PROVIDER as OPENROUTER
from fakes.openai_chat.providers.vllm import PROVIDER as VLLM
from fakes.openai_chat.providers.xai import PROVIDER as XAI

PROVIDERS: dict[str, Provider] = {
    provider.name: provider for provider in (MISTRAL, DEEPSEEK, GROQ, OPENROUTER, XAI, VLLM, LLAMA_CPP, AZURE, GEMINI)
}
