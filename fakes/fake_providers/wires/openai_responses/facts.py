"""What OpenAI's Responses is: where its requests go, what it can do and cannot express, how its streams end."""

from fake_providers.features import KEEP_ALIVE, OF_ANTHROPIC, OF_CHAT, OF_GEMINI, QUIRKS, WireFacts

FACTS = WireFacts(
    rank=20,
    path="/v1/responses",
    address=r"/responses$",
    conversation="input",
    signs_reasoning=True,
    holds_half_characters=True,
    runs_tools=("openai", "azure"),
    finish=rb'"type":"response\.(completed|incomplete)"',
    cannot_say=QUIRKS
    | OF_CHAT
    | OF_ANTHROPIC
    | OF_GEMINI
    | frozenset(("call-id-null", "refusal-without-text", "calls-finish-without-calls", "pause")),
    comment=KEEP_ALIVE,
    # Responses have grown by new events.
    unknown_event=b'event: response.trace.delta\ndata: {"type":"response.trace.delta","delta":"new"}\n\n',
    pictures_in_results=True,
)
