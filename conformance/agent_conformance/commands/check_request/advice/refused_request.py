"""A refused request as those see it who look for an edit: its wire, the violation, and its messages by wire."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from agent_conformance.commands.check_request.advice.places import Place, at, place_of
from fake_providers import Violation
from fake_providers.registry import provider_wires

LISTS = {"gemini-generate": "contents", "openai-responses": "input"}
CONTENTS = {"gemini-generate": "parts"}


@dataclass(frozen=True, slots=True)
class RefusedRequest:
    """`place` is the part of the violation's place that exists, `missing` the name of what does not; `why` is what the
    rule says.
    """

    provider: str
    wire: str
    body: Any
    violation: Violation
    place: Place
    missing: str
    why: str
    conversation: tuple[dict[str, Any], ...]

    @property
    def list_key(self) -> str:
        return list_key_of(self.wire)

    @property
    def content_key(self) -> str:
        return CONTENTS.get(self.wire, "content")

    @property
    def value(self) -> Any:
        return at(self.body, self.place)

    def parts(self, index: int) -> Iterator[tuple[Place, dict[str, Any]]]:
        """The parts of a message that are objects, with their places."""
        content = self.conversation[index].get(self.content_key)
        for number, part in enumerate(content if isinstance(content, list) else ()):
            if isinstance(part, dict):
                yield (self.list_key, index, self.content_key, number), part


def refused_request(provider: str, wire: str, body: Any, violation: Violation) -> RefusedRequest:
    place, missing = place_of(body, violation.at)
    found = body.get(list_key_of(wire)) if isinstance(body, dict) else None
    entries = found if isinstance(found, list) else []
    conversation = tuple(entry if isinstance(entry, dict) else {} for entry in entries)
    why = _why(provider, violation.rule)
    return RefusedRequest(provider, wire, body, violation, place, missing, why, conversation)


def list_key_of(wire: str) -> str:
    """The key of the conversation: `messages`, `contents` or `input`."""
    return LISTS.get(wire, "messages")


@cache
def _why(provider: str, rule: str) -> str:
    rules = (each for wire in provider_wires(provider) for each in wire.rules)
    return next((each.why for each in rules if each.id == rule), "")
