"""What OpenAI's chat completions is: where its requests go, what it can do and cannot express, how its streams end."""

from fake_providers.features import KEEP_ALIVE, OF_ANTHROPIC, OF_GEMINI, TOOLS_OF_PROVIDERS, WireFacts

FACTS = WireFacts(
    rank=10,
    path="/v1/chat/completions",
    address=r"/chat/completions$",
    holds_half_characters=True,
    runs_tools=("openai",),
    finish=rb'"finish_reason": ?"',
    # A refusal is a text of its own.
    cannot_say=OF_GEMINI | OF_ANTHROPIC | TOOLS_OF_PROVIDERS | frozenset(("refusal-without-text", "file-sources")),
    comment=KEEP_ALIVE,
    # A chunk without choices is recorded, with the usage.
    unknown_event=b'data: {"id":"","object":"chat.completion.chunk","created":0,"model":"","choices":[]}\n\n',
    serves_open_models=True,
)
