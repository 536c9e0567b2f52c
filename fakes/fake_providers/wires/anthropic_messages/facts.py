"""What Anthropic's Messages is: where its requests go, what it can do and cannot express, how its streams end."""

from fake_providers.features import KEEP_ALIVE, OF_CHAT, OF_GEMINI, QUIRKS, Feature, WireFacts

FACTS = WireFacts(
    rank=30,
    path="/v1/messages",
    address=r"/v1/messages$",
    signs_reasoning=True,
    finish=rb"^event: message_delta",
    # The schema of `input` is an object, and no two calls have one id: the API refuses both in requests.
    cannot_say=QUIRKS
    | OF_CHAT
    | OF_GEMINI
    | frozenset[Feature](
        (
            "arguments-not-object",
            "call-id-null",
            "call-id-twice",
            "finish-content-filter",
            "openai-tools",
            "file-sources",
        )
    ),
    # A message may be cut off in the middle of its arguments.
    only_streams=frozenset(("arguments-not-json",)),
    comment=KEEP_ALIVE,
    # Documented: any number of them, anywhere in a stream.
    ping=b'event: ping\ndata: {"type": "ping"}\n\n',
    # Documented: new events may come.
    unknown_event=b'event: trace\ndata: {"type":"trace","note":"new"}\n\n',
    pictures_in_results=True,
    results_are_parts=True,
    failure_flag="`is_error: true`",
)
