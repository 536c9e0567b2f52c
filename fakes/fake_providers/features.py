"""What a scripted reply may need of a wire, and the form in which each wire says what it is, in its module `facts`."""

from typing import Final, Literal

from msgspec import Struct

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

    - `rank`: its place in every list of wires.
    - `path`: where a client posts requests, with `{model}` where the path names it.
    - `stream_path`: where it posts those that want a stream, if that is elsewhere.
    - `address`: a pattern that is found in the path of its requests, whoever serves them, and in no other.
    - `conversation`: the member of a body that has the messages; `parts`: the one of a message that has its parts.
    - `results_are_parts`: results of tools are parts of a message of the user, not messages or items of their own.
    - `tool_name`: which names of tools it takes.
    - `result_names`: its models read the name of a result: a wrong one is refused (`must`) or misread (`should`).
    - `failure_flag`: what says that a tool failed. Gemini's `error` is a key of an object that is free, and the other
      wires have text alone.
    - `pictures_in_results`: a result has a place for pictures. Gemini has it from Gemini 3 on; in chat completions not
      every model sees a picture in a tool message.
    - `serves_open_models`: they write reasoning tags and tool calls as text.
    - `truncates`: its servers drop what is longer than the window, without a word.
    - `streams_by_default`: a request that says nothing of it is answered with a stream.
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

    rank: int
    path: str
    address: str
    finish: bytes
    stream_path: str = ""
    conversation: Literal["messages", "contents", "input"] = "messages"
    parts: Literal["content", "parts"] = "content"
    results_are_parts: bool = False
    tool_name: str = r"[A-Za-z_][A-Za-z0-9_-]{0,63}"
    result_names: Literal["must", "should"] | None = None
    failure_flag: str = ""
    pictures_in_results: bool = False
    serves_open_models: bool = False
    truncates: bool = False
    streams_by_default: bool = False
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

    def path_for(self, model: str, *, stream: bool = False) -> str:
        return ((self.stream_path if stream else "") or self.path).format(model=model)

    @property
    def has_model_in_path(self) -> bool:
        return "{model}" in self.path

    def can_say(self, feature: Feature, mode: str) -> bool:
        noise = {
            "noise-comments": self.comment,
            "noise-pings": self.ping,
            "noise-unknown-events": self.unknown_event,
        }
        if feature in self.cannot_say or noise.get(feature, b"") is None:
            return False
        return mode == "stream" or feature not in (NEED_A_STREAM | self.only_streams)
