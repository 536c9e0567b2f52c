"""What was accepted before is not judged again: the messages and tools of a request, and the parameters beside them."""

import itertools
from collections.abc import Callable, Sequence
from typing import Any, Literal

from msgspec import Struct

from fake_providers.body_slices import ESCAPED_LETTER, MOST_SCOPES, NotKept, Part, PartList, Parts, bounded
from fake_providers.http import Request
from fake_providers.rule import CURRENT, Violation
from fake_providers.rulebook import UNUSUAL, Reads, Rulebook, RuleFilter, asked, asked_books
from fake_providers.skippable_forms import EMPTY, Conversation, Usual

FEWEST_MESSAGES = 12
"""Of a conversation that is shown without its middle."""
BETAS = ("anthropic-beta", "anthropic-version", "openai-beta")
"""The headers that rules read."""

_NUMBERS = itertools.count(1)
"""Numbers the scopes of all wires and providers, since some of them share their parts."""

Judge = Callable[[Any, RuleFilter | None], Violation | None]
"""Judges the value of a body by the rules that read so much of it, by all for None."""


class VerdictCache:
    """What was accepted on one wire by these books, by scope: provider, target, parameters and betas.

    `messages` and `tools` are the usual ones of the wire.
    """

    def __init__(self, *books: Rulebook, messages: Usual | None = None, tools: Usual | None = None) -> None:
        self._books = books
        self._messages = messages
        self._tools = tools
        self._needed: frozenset[bytes] | None = None
        self._scopes: dict[Any, int] = {}
        self._asks_nothing: dict[int, bool] = {}
        """By scope, whether no rule is checked of a request that is usual in all."""
        self._asked_of: dict[Any, RuleFilter] = {}

    def judge(
        self, request: Request, parts: Parts, *, provider: str, traits: frozenset[str], judge: Judge
    ) -> Violation | None:
        """What `judge` finds in the body. Parts that it has accepted in this scope before are left out, and it is not
        called where no rule of the books is left to check. `traits` are those of the model.

        Nothing is remembered while rules are tolerated.
        """
        if CURRENT.get() is not None:
            return judge(parts.value, None)
        shape = tuple([(name, bool(found.parts)) for name, found in parts.lists.items()])
        scope = (provider, request.path, request.stored, parts.parameters, shape, *map(request.headers.get, BETAS))
        number = self._scopes.get(scope, 0)
        if number and self._is_usual(parts) and self._is_settled(number, parts, provider, traits):
            parts.lists[parts.conversation].earlier = None
            return None
        key = (number, *parts.beside)
        fresh = {name: _fresh(parts, name, number, key) for name in parts.lists}
        grown = _grown(parts, key) if number else None
        if grown is None:
            present = self._present_in(request.body)
        else:
            present = grown.present | self._present_in(b"".join([part.text for part in grown.new]))
        usual = self._usual(parts, fresh) if number else ()
        if not number or all(len(fresh[name]) == len(found.parts) for name, found in parts.lists.items()):
            violation = judge(parts.value, self._asked("all", present, *usual))
        elif self._finds_any(parts, fresh, grown, present, usual, judge):
            violation = judge(parts.value, None)
        else:
            violation = None
        if violation is None:
            number = number or self._number_of(scope)
            _accept(number, parts, fresh, present)
        return violation

    def _is_usual(self, parts: Parts) -> bool:
        """Whether the conversation and the tools are usual ones."""
        said, tools = parts.lists.get(parts.conversation), parts.lists.get("tools")
        if said is None or self._messages is None or not _is_usual_conversation(said, self._messages):
            return False
        return "tools" not in parts.value if tools is None else _has_usual_tools(tools, self._tools)

    def _is_settled(self, number: int, parts: Parts, provider: str, traits: frozenset[str]) -> bool:
        """Whether no rule is checked of a usual request in this scope: known by its parameters."""
        found = self._asks_nothing.get(number)
        if found is None:
            if any(isinstance(parameter, NotKept) for parameter in parts.parameters):
                return False
            texts = [_text_of(parameter) for parameter in (*parts.parameters, *parts.lists)]
            forms = [usual.members for usual in (self._messages, self._tools) if usual is not None]
            present = frozenset().union(*forms, *map(self._present_in, texts))
            usual = self._asked("all", present, *UNUSUAL.values())
            found = bounded(self._asks_nothing)[number] = not asked_books(self._books, provider, traits, usual)
        return found

    def _present_in(self, text: bytes) -> frozenset[bytes]:
        """Of the members that rules need those that a string of the JSON text may have."""
        if self._needed is None:
            self._needed = frozenset().union(*(book.needed_members for book in self._books))
        if b"\\u00" in text and ESCAPED_LETTER.search(text):
            return self._needed
        # What stands between two quotation marks: every name and string without one, and what is between them.
        return self._needed.intersection(text.split(b'"'))

    def _asked(self, reads: Reads | Literal["several", "all"], present: frozenset[bytes], *usual: bytes) -> RuleFilter:
        """Kept by what is present, which is little, where what is absent is nearly all that rules need."""
        key = (reads, present, usual)
        found = self._asked_of.get(key)
        if found is None:
            absent = (self._needed or frozenset()) - present
            found = bounded(self._asked_of)[key] = asked(reads, absent, *usual)
        return found

    def _usual(self, parts: Parts, fresh: dict[str, list[Part]]) -> list[bytes]:
        """What is `UNUSUAL` and not among the fresh parts beside known parameters: others may have what rules on parts
        look for, such as a schema."""
        found = [UNUSUAL["parameter"]]
        if parts.conversation:
            said = parts.lists[parts.conversation]
            if self._messages is not None and _is_usual_conversation(said, self._messages):
                found.append(UNUSUAL["conversation"])
        tools = parts.lists.get("tools")
        if "tools" not in parts.value if tools is None else not fresh["tools"] or _has_usual_tools(tools, self._tools):
            found.append(UNUSUAL["tool"])
        return found

    def _finds_any(
        self,
        parts: Parts,
        fresh: dict[str, list[Part]],
        grown: "Grown | None",
        present: frozenset[bytes],
        usual: Sequence[bytes],
        judge: Judge,
    ) -> bool:
        """Whether a rule finds anything beside known parameters: one that reads single parts in the new ones alone,
        one that reads exchanges in the window, any other in the whole. Where there is a window, the tools are those of
        an accepted request."""
        of_whole = [what for what in usual if what in (UNUSUAL["parameter"], UNUSUAL["conversation"])]
        try:
            if any(fresh.values()):
                shown = {
                    name: [part.value for part in fresh[name]] if name in fresh else value
                    for name, value in parts.value.items()
                }
                if judge(shown, self._asked("parts", present, *usual)) is not None:
                    return True
            if grown is None or grown.window is None:
                return judge(parts.value, self._asked("several", present, *of_whole)) is not None
            near = judge(grown.window, self._asked("exchanges", present, *of_whole))
            return near is not None or judge(parts.value, self._asked("request", present, *of_whole)) is not None
        except Exception:
            return True  # a rule may rely on what an earlier one refuses, which was not asked here

    def _number_of(self, scope: Any) -> int:
        if len(self._scopes) >= MOST_SCOPES:
            self._scopes.clear()
        number = self._scopes[scope] = next(_NUMBERS)
        return number


def _has_usual_tools(found: PartList, usual: Usual | None) -> bool:
    is_usual: bool | None = found.made.get(usual)
    if is_usual is None:
        is_usual = found.made[usual] = usual is not None and usual.has_tools(found.values)
    return is_usual


def _text_of(parameter: Any) -> bytes:
    """The name or the text of a parameter."""
    if isinstance(parameter, Part):
        return parameter.text
    return parameter.encode() if isinstance(parameter, str) else parameter


def _is_usual_conversation(found: PartList, usual: Usual) -> bool:
    """Whether these messages are a usual conversation. What one came to is kept, for those that go on from it."""
    conversation: Conversation | None = found.made.get(usual, EMPTY)
    if conversation is EMPTY:
        earlier = found.earlier
        if earlier is not None and usual in earlier.made:
            conversation = usual.conversation(earlier.made[usual], found.values[len(earlier.values) :])
        else:
            conversation = usual.conversation(EMPTY, found.values)
        found.made[usual] = conversation
    return conversation is not None and conversation.is_whole


def _fresh(parts: Parts, name: str, number: int, key: Any) -> list[Part]:
    """The parts that were not accepted in this scope; none of a list that was, as a whole or but for its new parts.

    `key` is where a conversation is accepted: in the scope, beside the other lists.
    """
    found = parts.lists[name]
    if name != parts.conversation:
        key = number
    if key in found.accepted:
        return []
    where, earlier = (number, name), found.earlier
    candidates = found.new if earlier is not None and key in earlier.accepted else found.parts
    return [part for part in candidates if where not in part.accepted]


class Grown(Struct, frozen=True):
    """A request whose conversation was accepted but for the `new` messages: the body without the middle of the
    conversation, None where nothing can be left out, and what of `needed_members` was present in the accepted one.

    The middle is left out for the rules that read exchanges: they are shown the beginning up to the user's first
    message, the last exchange that was accepted, and what is new.
    """

    new: list[Part]
    window: dict[str, Any] | None
    present: frozenset[bytes]


def _grown(parts: Parts, key: Any) -> Grown | None:
    """None where the messages were not accepted before, or are few."""
    name = parts.conversation
    found = parts.lists.get(name)
    if found is None or len(found.parts) < FEWEST_MESSAGES:
        return None
    earlier = found.earlier
    if (present := found.accepted.get(key)) is not None:
        new: list[Part] = []
    elif earlier is not None and (present := earlier.accepted.get(key)) is not None:
        new = found.new
    else:
        return None
    shown = shown_of(found.values, len(found.parts) - len(new))
    return Grown(new, None if shown is found.values else {**parts.value, name: shown}, present)


def _accept(number: int, parts: Parts, fresh: dict[str, list[Part]], present: frozenset[bytes]) -> None:
    key = (number, *parts.beside)
    for name, found in parts.lists.items():
        where = (number, name)
        for part in fresh[name]:
            part.accepted = {where, *part.accepted} if len(part.accepted) < MOST_SCOPES else {where}
            if parts.reader is not None:
                parts.reader.keep(part)
        bounded(found.accepted)[key if name == parts.conversation else number] = present
        found.earlier = None  # a chain of lists would keep every request


def shown_of(messages: list[Any], accepted: int) -> list[Any]:
    """The messages without the middle of the first `accepted` ones; all of them where nothing can be left out."""
    first = 0
    while first < accepted and messages[first].get("role") != "user":
        first += 1
    for index in range(accepted - 1, first + 1, -1):
        if _is_models(messages[index]) and not _is_models(messages[index - 1]):
            return [*messages[: first + 1], *messages[index:]]
    return messages


def _is_models(message: Any) -> bool:
    """Whether the model wrote it. Items of Responses without a role are calls, their results, and reasoning."""
    role = message.get("role")
    return role in ("assistant", "model") if role else not str(message.get("type")).endswith("_output")
