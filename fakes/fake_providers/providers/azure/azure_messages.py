"""Claude in Azure's Foundry."""

from fake_providers.providers.azure.azure_chat import DENIED
from fake_providers.providers.shared.hosted_claude import hosted
from fake_providers.wires.openai_chat.rules.samples import cite

PROVIDER = hosted(
    "azure",
    cite("19 recordings of services.ai.azure.com/anthropic, whose answers are Anthropic's"),
    base_path="/anthropic",
    id_prefix="msg_01",
    request_ids="req_",
    key_sentence=DENIED,
)
