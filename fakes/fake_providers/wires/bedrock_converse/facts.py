"""What Bedrock's Converse is: where its requests go, what it can do and cannot express, how its streams end."""

from fake_providers.features import OF_ANTHROPIC, OF_CHAT, QUIRKS, SOURCES, TOOLS_OF_PROVIDERS, Feature, WireFacts

FACTS = WireFacts(
    rank=60,
    path="/model/{model}/converse",
    stream_path="/model/{model}/converse-stream",
    address=r"/model/[^/]+/(?:converse(?:-stream)?|invoke(?:-with-response-stream)?)$",
    signs_reasoning=True,
    # The second is `{"type":"message_delta"` in a chunk of `invoke`.
    finish=rb"messageStop|eyJ0eXBlIjoibWVzc2FnZV9kZWx0YSI",
    # The stop reasons of the service model have none for a refusal, and two for calls that went wrong.
    cannot_say=QUIRKS
    | OF_CHAT
    | OF_ANTHROPIC
    | TOOLS_OF_PROVIDERS
    | SOURCES
    | frozenset[Feature](
        (
            "arguments-not-object",
            "call-id-null",
            "call-id-twice",
            "finish-refusal",
            "refusal-without-text",
            "unexpected-call",
            "blocked-prompt",
            "noise-crlf",
            "noise-no-blank",
        )
    ),
    only_streams=frozenset[Feature](("arguments-not-json",)),
    framing="frames",
    pictures_in_results=True,
    results_are_parts=True,
    failure_flag="`status: error`",
)
