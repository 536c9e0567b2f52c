"""What is said of each wire in one place: where its requests go, what it can do and cannot express, how streams end.

Reads `wires/<wire>/facts.py` and no other code of a wire: whoever asks loads none.
"""

from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Final, get_args

from fake_providers.features import Feature, WireFacts
from fake_providers.provider_facts import facts_by_provider
from fake_providers.replies.call_validation import CallFault
from fake_providers.reply import CannotExpress, Finish, Quirk, Reply

_FOLDERS = [path.parent.name for path in Path(__file__).parent.glob("wires/*/facts.py")]
_FACTS = [(folder, import_module(f"fake_providers.wires.{folder}.facts").FACTS) for folder in _FOLDERS]

WIRE_FACTS: Final[Mapping[str, WireFacts]] = {
    folder.replace("_", "-"): facts for folder, facts in sorted(_FACTS, key=lambda found: found[1].rank)
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
