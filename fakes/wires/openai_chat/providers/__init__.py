"""The providers beside OpenAI that speak this wire, one module each; their rules stand in `rules`."""

from fakes.providers.azure.chat_answers import PROVIDER as AZURE
from fakes.providers.deepseek.chat_answers import PROVIDER as DEEPSEEK
from fakes.providers.gemini.chat_answers import PROVIDER as GEMINI
from fakes.providers.groq.chat_answers import PROVIDER as GROQ
from fakes.providers.llama_cpp.chat_answers import PROVIDER as LLAMA_CPP
from fakes.providers.mistral.chat_answers import PROVIDER as MISTRAL
from fakes.providers.openrouter.chat_answers import PROVIDER as OPENROUTER
from fakes.providers.vllm.chat_answers import PROVIDER as VLLM
from fakes.providers.xai.chat_answers import PROVIDER as XAI
from fakes.wires.openai_chat.provider import Provider

PROVIDERS: dict[str, Provider] = {
    provider.name: provider for provider in (MISTRAL, DEEPSEEK, GROQ, OPENROUTER, XAI, VLLM, LLAMA_CPP, AZURE, GEMINI)
}
