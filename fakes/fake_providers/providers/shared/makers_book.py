"""The rules of a model's maker at a gateway, which sends a request on and passes the refusal back in its own envelope.

Knows no gateway: which rules hold there, what it mends on its way, and its envelope are in its `Maker`s.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from fake_providers.providers.shared.translated_book import TranslatedBook, Translation
from fake_providers.rule import Citation, Confidence, Rule, Violation
from fake_providers.rulebook import RequestContext, Rulebook, RuleFilter, first_violation
from fake_providers.wires.anthropic_messages import rules as messages
from fake_providers.wires.openai_responses import rules as responses
from fake_providers.wires.openai_responses.conversation import conversation_of

Quoted = Mapping[str, tuple[str, str] | None]
"""The rules of a maker that hold at a gateway, by name: where it passes on such a refusal, and the words that are
quoted there; None where only those of other rules were seen."""


class Maker(Struct, frozen=True):
    """Who makes some models, and judges what a gateway sends to them.

    `prefix` begins the names of its models here, and `server` is how the gateway calls it. `model` is its own name of a
    model. `passed_on` makes the body of the gateway's answer, of this, the maker's refusal and the model that the
    request names; `raw` is how the maker writes the JSON of an error. `deduced`: no refusal of this maker was seen to
    come back here; `seen`: how it is known of those that were not quoted themselves.
    """

    prefix: str
    server: str
    traits: Callable[[str], frozenset[str]]
    quoted: Quoted
    translation: Translation
    passed_on: "Callable[[Maker, Violation, str], Any]"
    seen: tuple[Citation, ...]
    others: tuple[str, ...] = ()
    model: Callable[[str], str] = str
    raw: Callable[[Any], str] = json.dumps
    deduced: bool = False

    def makes(self, model: str) -> bool:
        return model.startswith(self.prefix) and not model.startswith(self.others)


class JoinedBook(Rulebook):
    """The books of a wire in their order, as one: where a rule of one is passed over, those of others rely on it too.
    The last ones, `whole`, read what `conversation` makes of the body."""

    def __init__(self, *books: Rulebook, whole: tuple[Rulebook, ...] = (), conversation: Callable[[Any], Any] = dict):
        super().__init__(lambda rule, breach, context: None)
        self._books, self._whole, self._conversation = books, whole, conversation

    @property
    def rules(self) -> tuple[Rule, ...]:
        return tuple(rule for book in (*self._books, *self._whole) for rule in book.rules)

    def judge(self, context: RequestContext, reads: RuleFilter | None = None) -> Violation | None:
        found = first_violation(self._books, context, None)
        if found is not None or not self._whole:
            return found
        return first_violation(self._whole, context.about(self._conversation(context.body)), None)


class MakersBook(TranslatedBook):
    """The rules of a model's maker, for its models at this gateway. `owner` is the provider whose wire the book
    reads, and `prefix` begins the names of the rules on another wire than chat."""

    def __init__(self, gateway: str, book: Rulebook, maker: Maker, owner: str, prefix: str = "") -> None:
        super().__init__(
            book, gateway, (), replace(maker.translation, reachable=frozenset(maker.quoted), envelope=None)
        )
        if unknown := maker.quoted.keys() - {id.partition("/")[2] for id in self._rules}:
            raise ValueError(f"{maker.prefix} has no such rules: {', '.join(sorted(unknown))}")
        self._maker, self._owner, self._wire = maker, owner, prefix
        self._rules = {id: self._of_maker(rule, id.partition("/")[2]) for id, rule in self._rules.items()}
        self._passed_over = frozenset(rule.id for rule in book.rules) - self._rules.keys()

    def judge(self, context: RequestContext, reads: RuleFilter | None = None) -> Violation | None:
        found = super().judge(context, reads)
        return found and replace(found, body=self._maker.passed_on(self._maker, found, context.model))

    def _of_maker(self, rule: Rule, name: str) -> Rule:
        quoted, prefix = self._maker.quoted[name], self._maker.prefix
        breaking, accepted = (
            {**body, "model": prefix + body["model"].rpartition("/")[2]} for body in (rule.breaking, rule.accepted)
        )
        sure: Confidence = "verbatim" if quoted else "reported"
        sure = "recorded" if quoted and quoted[0].startswith("recording") else sure
        deduced = self._maker.deduced or (rule.confidence == "inferred" and not quoted)
        return replace(
            rule,
            id=f"{self._provider}/{self._wire}{prefix[:-1]}-{name.removeprefix('responses-')}",
            confidence="inferred" if deduced else sure,
            evidence=(Citation(*quoted),) if quoted else (*self._maker.seen, *rule.evidence),
            breaking=breaking,
            accepted=accepted,
            models=f"{prefix}: {rule.models}",
        )

    def _sent(self, context: RequestContext) -> RequestContext | None:
        maker = self._maker
        if not maker.makes(context.model) or not isinstance(context.body, dict):
            return None
        model = maker.model(context.model.removeprefix(maker.prefix).partition(":")[0])
        body = maker.translation.native({**context.body, "model": model})
        return RequestContext(body, context.headers, model, maker.traits(model), context.stream, self._owner)


OF_RESPONSES: Final = JoinedBook(
    *responses.FIELDS, whole=responses.WHOLE, conversation=lambda body: conversation_of(body, None)
)
OF_MESSAGES: Final = JoinedBook(*messages.FIELDS, *messages.CONVERSATION)
