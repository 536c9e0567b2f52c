"""The rules of a provider's own wire for its chat completions, which it turns into requests of that wire."""

from collections.abc import Callable, Collection, Mapping
from typing import Any, Final

from msgspec import Struct, field
from msgspec.structs import replace

from fake_providers.rule import Citation, Remedy, Violation
from fake_providers.rulebook import Envelope, RenamedBook, RequestContext, Rulebook, RuleFilter


class Translation(Struct, frozen=True):
    """What becomes of a chat request.

    - `native`: the body that the checks of the own wire read, made of the chat request's.
    - `chat`: the chat request that becomes this sample of a rule.
    - `place`: the place in the chat request, the second argument, that a place in the translated one stands for.
    - `reachable`: the names of the rules that a chat request can break, whatever it is made of.
    - `deduced`: those of them of which it is not known that they hold here too.
    - `pairs`: by id, the samples of rules whose own differ in more than one place as chat requests.
    - `remedies`: by name, those that are others for a chat request.
    - `envelope`: makes the body of a refusal, where it is not that of the own wire.
    """

    native: Callable[[dict[str, Any]], Any]
    chat: Callable[[Any], dict[str, Any]]
    place: Callable[[str, dict[str, Any]], str]
    reachable: Collection[str]
    deduced: Collection[str] = ()
    pairs: Mapping[str, tuple[Any, Any]] = field(default_factory=dict)
    remedies: Mapping[str, Remedy] = field(default_factory=dict)
    envelope: Envelope | None = None


def same(body: dict[str, Any]) -> dict[str, Any]:
    return body


def same_place(at: str, _body: dict[str, Any]) -> str:
    return at


UNCHANGED: Final = Translation(same, same, same_place, ())
"""Of a body that is sent on as it comes."""


class TranslatedBook(RenamedBook):
    """A book of the provider's own wire. What a chat request cannot break is no rule here."""

    def __init__(self, book: Rulebook, provider: str, evidence: tuple[Citation, ...], translation: Translation) -> None:
        super().__init__(book, provider, evidence, envelope=translation.envelope, prefix="chat-")
        self._translation = translation
        kept = {id: rule for id, rule in self._rules.items() if id.partition("/")[2] in translation.reachable}
        for id, rule in kept.items():
            pair = (translation.chat(rule.breaking), translation.chat(rule.accepted))
            breaking, accepted = translation.pairs.get(id) or pair
            name = id.partition("/")[2]
            sure = "inferred" if name in translation.deduced else rule.confidence
            remedy = translation.remedies.get(name, rule.remedy)
            kept[id] = replace(rule, confidence=sure, breaking=breaking, accepted=accepted, remedy=remedy, headers=None)
        self._rules = kept

    def has_any(self, provider: str, traits: frozenset[str], reads: RuleFilter | None) -> bool:
        return True

    def judge(self, context: RequestContext, reads: RuleFilter | None = None) -> Violation | None:
        """Always the whole: what becomes of a chat message may hang on those beside it."""
        if reads is not None and reads.reads in ("parts", "exchanges"):
            return None
        sent = self._sent(context)
        found = None if sent is None else super().judge(sent)
        return None if found is None else replace(found, at=self._translation.place(found.at, context.body))

    def _sent(self, context: RequestContext) -> RequestContext | None:
        """What the checks read; None for a request on which no rule holds."""
        if "translated" not in context.read:
            context.read["translated"] = context.about(self._translation.native(context.body))
        translated: RequestContext = context.read["translated"]
        return translated

    def _under_own_name(self, found: Violation | None) -> Violation | None:
        return None if found is None or found.rule not in self._rules else super()._under_own_name(found)
