"""What Cohere's chat is: where its requests go, what it can do and cannot express, how its streams end."""

from fake_providers.features import (
    KEEP_ALIVE,
    OF_ANTHROPIC,
    OF_CHAT,
    OF_GEMINI,
    QUIRKS,
    SOURCES,
    TOOLS_OF_PROVIDERS,
    Feature,
    WireFacts,
)

FACTS = WireFacts(
    rank=70,
    path="/v2/chat",
    address=r"/v2/chat$",
    finish=rb'"finish_reason": ?"',
    # Ids are made of the tool's name and twelve characters. Its finish reasons have none for a refusal.
    cannot_say=QUIRKS
    | OF_CHAT
    | OF_ANTHROPIC
    | OF_GEMINI
    | TOOLS_OF_PROVIDERS
    | SOURCES
    | frozenset[Feature](
        (
            "call-id-null",
            "call-id-twice",
            "finish-refusal",
            "refusal-without-text",
            "finish-content-filter",
            "calls-finish-without-calls",
            "noise-no-blank",
        )
    ),
    tool_name=r"[A-Za-z_][A-Za-z0-9_]{0,63}",
    comment=KEEP_ALIVE,
    # Documented, with the rendered prompt.
    unknown_event=b'event: debug\ndata: {"type":"debug","prompt":"new"}\n\n',
)
