"""Tries what the rules of the fakes declare: which part of a request each reads, and what it needs to find anything.

Bodies are made of the samples of all rules: messages and tools of two samples, mixed, with the parameters of one of
them. A rule reads one part at a time where a body is refused exactly if one of its parts alone is, with the parameters;
it reads the tools where another conversation changes nothing, and messages near each other where a conversation whose
beginning is accepted, with many exchanges in its middle, is refused if it is refused without that middle.
"""

import json
import random
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from unittest import mock

from fake_providers.body_slices import PartReader
from fake_providers.http import Request
from fake_providers.provider_facts import own_provider
from fake_providers.registry import PROVIDERS, wire_for, wire_named
from fake_providers.rulebook import NEEDS, UNUSUAL, Precondition, Reads, RequestContext, Rulebook, Segment
from fake_providers.skippable_forms import EMPTY, Usual
from fake_providers.verdict_cache import shown_of
from fake_providers.wire import Wire
from fake_providers.wire_facts import WIRE_FACTS
from fake_providers.wires.anthropic_messages import rules as anthropic_messages
from fake_providers.wires.bedrock_converse import rules as bedrock_converse
from fake_providers.wires.cohere_chat import rules as cohere_chat
from fake_providers.wires.gemini_generate import rules as gemini_generate
from fake_providers.wires.ollama_chat import rules as ollama_chat
from fake_providers.wires.openai_chat import rules as openai_chat
from fake_providers.wires.openai_responses import rules as openai_responses
from tools.verdicts import HEADERS, PATHS

LISTS = ("messages", "input", "contents", "tools")
MOST_PARTS, MOST_GROWN = 40, 12
MOST_WITHOUT = 3
"""Bodies that break a rule from which what it needs is taken."""
OTHER_WORDS = ("another", "user", "assistant", "text")
CONVERSATIONS = {wire: facts.conversation for wire, facts in WIRE_FACTS.items()}
_SAID = [{"role": "assistant", "content": "Noted."}, {"role": "user", "content": "Go on."}]
ROUND: dict[str, list[dict[str, Any]]] = {
    "openai-chat": _SAID,
    "openai-responses": _SAID,
    "anthropic-messages": _SAID,
    "gemini-generate": [
        {"role": "model", "parts": [{"text": "Noted."}]},
        {"role": "user", "parts": [{"text": "Go on."}]},
    ],
    "ollama-chat": _SAID,
    "bedrock-converse": [{"role": said["role"], "content": [{"text": said["content"]}]} for said in _SAID],
    "cohere-chat": _SAID,
}
"""What stands in the middle of a conversation and breaks no rule."""
USUAL: dict[str, tuple[Usual, Usual | None]] = {
    "openai-chat": (openai_chat.MESSAGES, openai_chat.TOOLS),
    "openai-responses": (openai_responses.ITEMS, openai_responses.TOOLS),
    "anthropic-messages": (anthropic_messages.MESSAGES, anthropic_messages.TOOLS),
    "gemini-generate": (gemini_generate.CONTENTS, gemini_generate.TOOLS),
    "ollama-chat": (ollama_chat.MESSAGES, ollama_chat.TOOLS),
    "bedrock-converse": (bedrock_converse.MESSAGES, bedrock_converse.TOOLS),
    "cohere-chat": (cohere_chat.MESSAGES, cohere_chat.TOOLS),
}
"""The usual messages and tools of each wire, where it has such forms."""
_SCHEMA: dict[str, Any] = {"type": "object", "properties": {"city": {"type": "string"}}}
OTHER_TOOLS: dict[str, list[dict[str, Any]]] = {
    "openai-chat": [{"type": "function", "function": {"name": "other_tool", "parameters": _SCHEMA}}],
    "openai-responses": [{"type": "function", "name": "other_tool", "parameters": _SCHEMA}],
    "anthropic-messages": [{"name": "other_tool", "input_schema": _SCHEMA}],
    "gemini-generate": [{"functionDeclarations": [{"name": "other_tool", "parameters": _SCHEMA}]}],
    "ollama-chat": [{"type": "function", "function": {"name": "other_tool", "parameters": _SCHEMA}}],
    "bedrock-converse": [],
    "cohere-chat": [{"type": "function", "function": {"name": "other_tool", "parameters": _SCHEMA}}],
}
FILLING = 6
"""Exchanges that are put into a conversation to see which rules look beyond them."""


@dataclass(frozen=True, slots=True)
class Trial:
    """The rules that one body breaks: as a whole, in any of its parts alone, with another conversation, and without the
    middle of its conversation where its beginning is accepted."""

    whole: frozenset[str]
    in_a_part: frozenset[str]
    with_another: frozenset[str] = frozenset()
    in_window: frozenset[str] | None = None


@contextmanager
def every_breach() -> Iterator[dict[str, frozenset[str]]]:
    """Where all rules are checked, whatever was broken before: the ids of the broken ones are put into the mapping,
    with the traits of the model.

    A rule that raises, because it relies on an earlier one, says nothing.
    """
    found: dict[str, frozenset[str]] = {}

    def judge_each(book: Rulebook, contexts: Any, stretches: tuple[Segment, ...]) -> None:
        for context in contexts:
            for only, checks in stretches:
                found.update({rule.id: context.traits for rule, check in checks if _breaks(check, only, context)})

    with (
        mock.patch.object(Rulebook, "judge_each", judge_each),
        mock.patch.object(PartReader, "read", return_value=None),
    ):
        yield found


def _breaks(check: Any, only: Any, context: RequestContext) -> bool:
    try:
        return (only is None or only(context)) and check(context) is not None
    except Exception:
        return False


class Trier:
    """Judges bodies by all rules of one provider on one wire."""

    def __init__(self, provider: str, wire: Wire, found: dict[str, frozenset[str]]) -> None:
        self._provider = provider
        self._wire = wire
        self._found = found
        self._lists = [name for name in LISTS if wire.name != "bedrock-converse" or name != "tools"]

    def parts_of(self, body: dict[str, Any]) -> list[tuple[str, Any]]:
        return [(name, part) for name in self._lists if isinstance(body.get(name), list) for part in body[name]]

    def broken(self, path: str, headers: dict[str, str], body: dict[str, Any]) -> frozenset[str]:
        self._found.clear()
        try:
            self._wire.judge(Request("POST", path, headers, json.dumps(body).encode()), provider=self._provider)
        except Exception:
            return frozenset()  # what is checked between the books relies on what they refuse
        return frozenset(self._found)

    def with_needs_unmet(
        self, path: str, headers: dict[str, str], body: dict[str, Any]
    ) -> tuple[frozenset[str], frozenset[str]]:
        """The broken rules, and those of them that are not checked in such a body, by the table of what they need."""
        broken = self.broken(path, headers, body)
        usual, present = self.usual_of(body), frozenset[bytes]()
        if {UNUSUAL["conversation"], UNUSUAL["tool"]} <= usual:
            # Of its messages and tools the names count that are in their forms, and not what else they have.
            present = present.union(*(forms.members for forms in USUAL[self._wire.name] if forms is not None))
            body = {**body, CONVERSATIONS[self._wire.name]: []}
            if "tools" in around_tools(self._wire.name, body):
                body = with_tools(self._wire.name, body, [])
        text = json.dumps(body).encode()
        needed = frozenset(name for needs in NEEDS.values() for name in needs.members)
        absent = usual.union(name for name in needed - present if b'"%b"' % name not in text)
        return broken, frozenset(
            rule for rule in broken if not NEEDS.get(rule, Precondition()).are_met(absent, self._found[rule])
        )

    def usual_of(self, body: dict[str, Any]) -> frozenset[bytes]:
        """Of what is unusual, what the body does not have, but for the parameters."""
        messages, tools = USUAL[self._wire.name]
        said, around = body.get(CONVERSATIONS[self._wire.name]), around_tools(self._wire.name, body)
        found: list[bytes] = []
        if isinstance(said, list) and all(isinstance(one, dict) for one in said):
            conversation = messages.conversation(EMPTY, said)
            if conversation is not None and conversation.is_whole:
                found.append(UNUSUAL["conversation"])
        offered = around.get("tools")
        if "tools" not in around or (
            tools
            and isinstance(offered, list)
            and all(isinstance(one, dict) for one in offered)
            and tools.has_tools(offered)
        ):
            found.append(UNUSUAL["tool"])
        return frozenset(found)

    def by_more_than_parameters(
        self, path: str, headers: dict[str, str], body: dict[str, Any], broken: frozenset[str]
    ) -> frozenset[str]:
        """Of the rules on parameters those that are broken in this body, and not beside other messages and tools; or
        the other way round."""
        name, rounds = CONVERSATIONS[self._wire.name], ROUND[self._wire.name]
        others = {name: [*rounds[1:], *rounds], "tools": OTHER_TOOLS[self._wire.name]}
        shown = {
            member: (others.get(member) or value) if isinstance(value, list) and value else value
            for member, value in body.items()
        }
        differs = broken ^ self.broken(path, headers, shown)
        return frozenset(rule for rule in differs if NEEDS.get(rule, Precondition()).unusual == {UNUSUAL["parameter"]})

    def in_any(self, path: str, headers: dict[str, str], body: dict[str, Any], parts: list[tuple[str, Any]]) -> Any:
        bare = {name: [] if name in self._lists and isinstance(value, list) else value for name, value in body.items()}
        return frozenset().union(*(self.broken(path, headers, {**bare, name: [part]}) for name, part in parts))

    def grown(self, path: str, headers: dict[str, str], body: dict[str, Any], split: int) -> Trial | None:
        """The conversation with many exchanges before the message at `split`; None where they are not accepted."""
        name = CONVERSATIONS[self._wire.name]
        said = body.get(name)
        if not isinstance(said, list) or not all(isinstance(message, dict) for message in said):
            return None
        start = said[:split] if split else [ROUND[self._wire.name][1]]
        accepted = [*start, *ROUND[self._wire.name] * FILLING]
        if self.broken(path, headers, {**body, name: accepted}):
            return None
        whole = [*accepted, *said[split:]]
        shown = shown_of(whole, len(accepted))
        return Trial(
            self.broken(path, headers, {**body, name: whole}),
            self.in_any(path, headers, body, [(name, part) for part in said[split:]]),
            in_window=self.broken(path, headers, {**body, name: shown}),
        )


def around_tools(wire: str, body: dict[str, Any]) -> dict[str, Any]:
    """The object that has the tools, if there are any: the body, or one of its members."""
    around = body.get("toolConfig") if wire == "bedrock-converse" else body
    return around if isinstance(around, dict) else {}


def with_tools(wire: str, body: dict[str, Any], tools: list[Any]) -> dict[str, Any]:
    around = {**around_tools(wire, body), "tools": tools}
    return {**body, "toolConfig": around} if wire == "bedrock-converse" else around


def trials(provider: str, wire: Wire, chance: random.Random, count: int) -> Iterator[Trial]:
    name = CONVERSATIONS[wire.name]
    with every_breach() as found:
        trier = Trier(provider, wire, found)
        for path, headers, body in bodies(wire, chance, count):
            parts = trier.parts_of(body)
            if not parts or len(parts) > MOST_PARTS:
                continue
            another = {**body, name: [*ROUND[wire.name][1:], *ROUND[wire.name]]}
            yield Trial(
                trier.broken(path, headers, body),
                trier.in_any(path, headers, body, parts),
                trier.broken(path, headers, another),
            )
            length = len(body[name]) if isinstance(body.get(name), list) else 0
            for split in {0, min(1, length), min(2, length), chance.randint(0, length)}:
                if length < MOST_GROWN and (grown := trier.grown(path, headers, body, split)) is not None:
                    yield grown


def unmet(provider: str, wire: Wire, chance: random.Random, count: int) -> frozenset[str]:
    """The rules of the wire that some body breaks which does not have what the table says that they need: samples,
    mixtures, and bodies that broke a rule, without what it needs; and those on parameters that differ by what is beside
    them. Rules of another wire are shown a translation of the
    whole, whatever they need."""
    own = frozenset(rule.id for rule in wire_named(wire.name).rules)
    tried: Counter[str] = Counter()
    with every_breach() as found:
        trier = Trier(provider, wire, found)
        wrong = set[str]()
        for path, headers, body in bodies(wire, chance, count):
            broken, unmet_here = trier.with_needs_unmet(path, headers, body)
            wrong |= unmet_here | trier.by_more_than_parameters(path, headers, body, broken)
            for rule in broken & own & NEEDS.keys():
                tried[rule] += 1
                if tried[rule] <= MOST_WITHOUT:
                    for changed in without(body, NEEDS[rule].members):
                        wrong |= trier.with_needs_unmet(path, headers, changed)[1]
        return own & wrong


def without(body: dict[str, Any], members: frozenset[bytes]) -> Iterator[dict[str, Any]]:
    """The body without these members, with others in their place, and with other words in place of these texts."""
    names = frozenset(name.decode() for name in members)
    for other in OTHER_WORDS if names else ():
        yield _changed(body, names, other)
    if names:
        yield _changed(body, names, None)


def _changed(value: Any, names: frozenset[str], other: str | None) -> Any:
    """`other` stands in place of the names; None takes members away."""
    if isinstance(value, dict):
        return {
            other if key in names else key: _changed(one, names, other)
            for key, one in value.items()
            if other is not None or key not in names
        }
    if isinstance(value, list):
        return [_changed(one, names, other) for one in value]
    return (other or OTHER_WORDS[0]) if isinstance(value, str) and value in names else value


def bodies(wire: Wire, chance: random.Random, count: int) -> Iterator[tuple[str, dict[str, str], dict[str, Any]]]:
    """The samples themselves, then `count` mixtures of two."""
    own = wire_for(own_provider(wire.name), wire.name)
    rules = [*wire.rules, *(() if own is wire else own.rules)]
    samples = [
        (rule.path if is_routed(wire, rule.path) else PATHS[wire.name], {**HEADERS, **(rule.headers or {})}, body)
        for rule in rules
        for body in (rule.breaking, rule.accepted)
        if isinstance(body, dict)
    ]
    yield from samples
    for _ in range(count):
        (path, headers, first), (_, more, second) = chance.choice(samples), chance.choice(samples)
        body = dict(first)
        other = chance.choice(list(second) or [""])
        if other not in LISTS and other and chance.random() < 0.3:
            body[other] = second[other]
        for name in LISTS:
            kind = chance.random()
            mixed = [*_items(first, name), *(_items(second, name) if kind < 0.9 else _items(first, name))]
            if mixed:
                if chance.random() < 0.2:
                    mixed = [piece for item in mixed for piece in _pieces(item)]
                if kind < 0.5:
                    chance.shuffle(mixed)
                body[name] = [item for item in mixed if kind < 0.8 or chance.random() < 0.7]
        yield path, {**headers, **more}, body


def is_routed(wire: Wire, path: str) -> bool:
    return bool(path) and wire.route(Request("POST", path, {}, b"{}")) is not None


def _items(body: dict[str, Any], name: str) -> list[Any]:
    found = body.get(name)
    return found if isinstance(found, list) else []


def _pieces(item: Any) -> list[Any]:
    """A message of several blocks as several of one."""
    for name in ("content", "parts"):
        if isinstance(item, dict) and isinstance(item.get(name), list) and item[name]:
            return [{**item, name: [block]} for block in item[name]]
    return [item]


def contradicted(found: Trial, table: dict[str, Reads]) -> frozenset[str]:
    """The rules that the table must not have as it does: because of them a refused body could be taken for accepted.

    Only whether anything is refused counts, as one broken rule may hide another of the same stage.
    """
    alone = {rule for rule in found.in_a_part if table.get(rule) == "parts"}
    if found.in_window is not None:
        near = {rule for rule in found.in_window if table.get(rule) == "exchanges"}
        is_seen = any(table.get(rule, "request") == "request" for rule in found.whole) or alone or near
        return frozenset() if is_seen else found.whole
    # Tools are not judged again where a conversation with them was accepted.
    differs = found.whole ^ found.with_another if not (found.whole and found.with_another) else ()
    other = frozenset(rule for rule in differs if table.get(rule) == "tools")
    if found.whole:
        is_seen = any(table.get(rule) != "parts" for rule in found.whole) or alone
        return other if is_seen else found.whole | other
    return frozenset(alone) | other  # a part that is accepted here, and may be refused beside others


def all_trials(seed: int, count: int) -> list[Trial]:
    chance = random.Random(seed)
    return [
        trial
        for provider, names in PROVIDERS.items()
        for name in names
        for trial in trials(
            provider, wire_for(provider, name), chance, count if provider == own_provider(name) else count // 3
        )
    ]
