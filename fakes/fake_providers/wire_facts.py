"""What is said of each wire in one place: where its requests go, what it can do and cannot express, how streams end.

Reads no code of a wire: whoever asks loads none.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final, Literal, get_args

from msgspec import Struct

from fake_providers.provider_facts import facts_by_provider
from fake_providers.replies.call_validation import CallFault
from fake_providers.reply import CannotExpress, Finish, Quirk, Reply

Feature = Literal[
    "arguments-not-json",
    "arguments-not-object",
    "call-id-null",
    "call-id-twice",
    "call-id-verbatim",
    "thinking",
    "finish-refusal",
    "finish-malformed",
    "finish-content-filter",
    "refusal-without-text",
    "stop-with-calls",
    "null-finish",
    "calls-finish-without-calls",
    "unexpected-call",
    "blocked-prompt",
    "pause",
    "server-tools",
    "openai-tools",
    "sources",
    "file-sources",
    "stream-quirk",
    "object-arguments",
    "reasoning-content",
    "text-in-the-start",
    "error-event",
    "early-end",
    "noise-crlf",
    "noise-no-blank",
    "noise-comments",
    "noise-pings",
    "noise-unknown-events",
]
"""What a scripted reply, or the fault of one, may need of a wire."""

NEED_A_STREAM: Final[frozenset[Feature]] = frozenset(
    (
        "error-event",
        "early-end",
        "stream-quirk",
        "text-in-the-start",
        "noise-crlf",
        "noise-no-blank",
        "noise-comments",
        "noise-pings",
        "noise-unknown-events",
    )
)
OF_GEMINI: Final[frozenset[Feature]] = frozenset(("finish-malformed", "unexpected-call", "blocked-prompt"))
"""Endings that only Gemini has; Bedrock has the first as well."""
OF_CHAT: Final[frozenset[Feature]] = frozenset(("stop-with-calls", "null-finish"))
"""Endings that only servers of chat completions have. Elsewhere calls always come with a word of their own, or all
answers end with the same."""
TOOLS_OF_PROVIDERS: Final[frozenset[Feature]] = frozenset(("pause", "server-tools", "openai-tools"))
"""A search that the provider runs is built for Anthropic and OpenAI, pauses for Anthropic, and further tools for
OpenAI."""
SOURCES: Final[frozenset[Feature]] = frozenset(("sources", "file-sources"))
QUIRKS: Final[frozenset[Feature]] = frozenset(("stream-quirk", "object-arguments", "reasoning-content"))
"""Known of servers of chat completions alone."""
OF_ANTHROPIC: Final[frozenset[Feature]] = frozenset(("text-in-the-start",))

KEEP_ALIVE: Final = b": keep-alive\n\n"
"""The comment that OpenRouter and proxies send; that the vendors' own servers might is inferred."""


class WireFacts(Struct, frozen=True):
    """What one wire is, what it cannot express, and what its streams consist of.

    - `path`: where a client posts requests, with `{model}` where the path names it.
    - `address`: a pattern that is found in the path of its requests, whoever serves them, and in no other.
    - `conversation`: the member of a body that has the messages.
    - `signs_reasoning`: its own provider signs or encrypts reasoning, see `SignsReasoning`.
    - `holds_half_characters`: half of a surrogate pair can go to a client and back. Anthropic refuses it in a request;
      Gemini and Ollama hold calls as objects in which there is none.
    - `forces_calls`: a request can make the model call a tool. Ollama drops a `tool_choice`: ollama/ollama#11171.
    - `runs_tools`: if any, the only providers that run tools of their own and answer with sources here.
    - `finish`: a pattern that is found in the event with the finish reason, and in none before it.
    - `cannot_say`: features that it cannot express in either mode.
    - `only_streams`: features that it can express in a stream but not in a plain response.
    - `comment`, `ping`, `unknown_event`: noise that a client must skip; None if none is known.
    - `framing`: of its streams: server-sent events, lines of JSON, or binary frames.
    """

    path: str
    address: str
    finish: bytes
    conversation: Literal["messages", "contents", "input"] = "messages"
    signs_reasoning: bool = False
    holds_half_characters: bool = False
    forces_calls: bool = True
    runs_tools: tuple[str, ...] = ()
    cannot_say: frozenset[Feature] = frozenset()
    only_streams: frozenset[Feature] = frozenset()
    comment: bytes | None = None
    ping: bytes | None = None
    unknown_event: bytes | None = None
    framing: Literal["events", "lines", "frames"] = "events"

    def can_say(self, feature: Feature, mode: str) -> bool:
        noise = {
            "noise-comments": self.comment,
            "noise-pings": self.ping,
            "noise-unknown-events": self.unknown_event,
        }
        if feature in self.cannot_say or noise.get(feature, b"") is None:
            return False
        return mode == "stream" or feature not in (NEED_A_STREAM | self.only_streams)


WIRE_FACTS: Final[Mapping[str, WireFacts]] = {
    "openai-chat": WireFacts(
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
    ),
    "openai-responses": WireFacts(
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
    ),
    "anthropic-messages": WireFacts(
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
    ),
    "gemini-generate": WireFacts(
        path="/v1beta/models/{model}:generateContent",
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
    ),
    "ollama-chat": WireFacts(
        path="/api/chat",
        address=r"/api/chat$",
        forces_calls=False,
        finish=rb'"done": ?true',
        # A local model stops by itself or at a limit.
        cannot_say=QUIRKS
        | OF_CHAT
        | OF_ANTHROPIC
        | TOOLS_OF_PROVIDERS
        | SOURCES
        | OF_GEMINI
        | frozenset[Feature](
            (
                "arguments-not-json",
                "arguments-not-object",
                "finish-refusal",
                "refusal-without-text",
                "finish-content-filter",
                "calls-finish-without-calls",
                "noise-no-blank",
            )
        ),
        framing="lines",
    ),
    "bedrock-converse": WireFacts(
        path="/model/{model}/converse",
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
    ),
    "cohere-chat": WireFacts(
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
        comment=KEEP_ALIVE,
        # Documented, with the rendered prompt.
        unknown_event=b'event: debug\ndata: {"type":"debug","prompt":"new"}\n\n',
    ),
}

OF_A_FINISH: Final[dict[Finish, Feature]] = {
    "none": "null-finish",
    "tool_calls": "calls-finish-without-calls",
    "content_filter": "finish-content-filter",
    "malformed": "finish-malformed",
    "unexpected-call": "unexpected-call",
    "blocked-prompt": "blocked-prompt",
    "pause": "pause",
}


def features_of_ending(finish: Finish | None, *, has_text: bool, has_calls: bool) -> Iterator[Feature]:
    """What a reply that ends in this way needs of a wire."""
    if finish == "refusal":
        yield "finish-refusal" if has_text else "refusal-without-text"
    elif finish == "stop" and has_calls:
        yield "stop-with-calls"
    elif finish in OF_A_FINISH:
        yield OF_A_FINISH[finish]


OF_A_QUIRK: Final[Mapping[Quirk, Feature]] = {
    "arguments-as-object": "object-arguments",
    "reasoning-content": "reasoning-content",
    "text-in-the-start": "text-in-the-start",
}
"""The others need a stream of chat completions, and nothing else."""


def features_of_quirks(quirks: Iterable[Quirk]) -> Iterator[Feature]:
    return (OF_A_QUIRK.get(quirk, "stream-quirk") for quirk in quirks)


def features_of_sources(tools: Iterable[tuple[str, str | None]], of_files: Iterable[bool]) -> Iterator[Feature]:
    """Features: calls of the provider's tools, each with its name and its server, and sources: files or pages."""
    for name, server in tools:
        yield "server-tools" if (name, server) == ("web_search", None) else "openai-tools"
    yield from ("file-sources" if is_file else "sources" for is_file in of_files)


def refuse_inexpressible(reply: Reply, wire: str) -> None:
    """Raises `CannotExpress` for what no server is known to send on this wire."""
    if reply.finish is None and not (reply.quirks or reply.server_calls or reply.sources):
        return
    ending = features_of_ending(reply.finish, has_text=bool(reply.text), has_calls=bool(reply.calls))
    sources = features_of_sources(
        ((call.name, call.server) for call in reply.server_calls), (each.url is None for each in reply.sources)
    )
    for feature in (*ending, *features_of_quirks(reply.quirks), *sources):
        if feature in WIRE_FACTS[wire].cannot_say:
            raise CannotExpress(feature)


def can_express(feature: Feature, *, wire: str, mode: str) -> bool:
    return WIRE_FACTS[wire].can_say(feature, mode)


HOSTED_TOOLS: Final = ("web_search", "file_search", "code_interpreter", "image_generation", "shell")
"""The tools that a provider may run itself, besides those of MCP servers."""

SIGN_REASONING: Final = tuple(name for name, facts in WIRE_FACTS.items() if facts.signs_reasoning)
FORCE_CALLS: Final = tuple(name for name, facts in WIRE_FACTS.items() if facts.forces_calls)

REFUSED: dict[str, frozenset[CallFault]] = {
    name: frozenset(get_args(CallFault)) for name, facts in facts_by_provider().items() if facts.refuses_own_calls
}
"""Providers that answer such a call of their model with an error of their own, so that no client ever sees it."""
