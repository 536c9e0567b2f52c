"""What Gemini's generateContent is: where its requests go, what it can do and cannot express, how its streams end."""

from fake_providers.features import OF_ANTHROPIC, OF_CHAT, QUIRKS, SOURCES, TOOLS_OF_PROVIDERS, WireFacts

FACTS = WireFacts(
    rank=40,
    path="/v1beta/models/{model}:generateContent",
    stream_path="/v1beta/models/{model}:streamGenerateContent?alt=sse",
    address=r"(?i::(?:stream)?generateContent)$",
    conversation="contents",
    signs_reasoning=True,
    finish=rb'"finishReason"',
    cannot_say=QUIRKS
    | OF_CHAT
    | OF_ANTHROPIC
    | TOOLS_OF_PROVIDERS
    | SOURCES
    | frozenset(("arguments-not-json", "arguments-not-object", "calls-finish-without-calls", "noise-no-blank")),
    # Google's SDK finds no event without the blank after `data:`. That Google sends comments is not known, and the
    # SDK takes them for an error.
    comment=None,
    # That a chunk may lack candidates is inferred.
    unknown_event=b'data: {"usageMetadata":{"promptTokenCount":1,"totalTokenCount":1}}\r\n\r\n',
    parts="parts",
    results_are_parts=True,
    # Gemini 3 on Vertex AI refuses another name than the call's: archestra-ai/archestra#7583 found it by bisection.
    result_names="must",
)
