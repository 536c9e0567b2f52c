"""What the rows of both OpenAI wires are made with: books on each item of a list, selectors of their items, checks of
the presence, type and length of a member, and tables of rows that both wires word alike.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, Literal

from msgspec import Struct, field

from fake_providers.rule import Remedy, Rule, Violation
from fake_providers.rulebook import Breach, Condition, RequestContext, Rulebook, RuleFilter, Selector
from fake_providers.wires.openai_shared.wording import empty_string, long_string, missing, wrong_type


class Item(Struct):
    """One item of the list, as the checks receive it in `RequestContext.body`. Never changed; see `RequestContext`.

    `read` is that of the whole request: what the check of one item has found out about all of them.
    """

    value: Any
    index: int
    place: str
    request_body: Mapping[str, Any]
    read: dict[str, Any]
    found: dict["Find", tuple[tuple[Any, str], ...]] = field(default_factory=dict)
    """What was found in it, by what looked for it."""


class ItemRules(Rulebook):
    """A rulebook that checks every item in turn, each with an `Item` as the body of its context."""

    def __init__(self, envelope: Callable[[Rule, Breach, RequestContext], Any], field: str) -> None:
        super().__init__(envelope)
        self._field = field

    def add(
        self, rule: Rule, selector: Selector, check: Callable[[RequestContext], Breach | None], **fields: Any
    ) -> None:
        """See `Rulebook.add`; rules that look into an item are skipped together where there is nothing inside."""
        given = fields.pop("given", None) or _FINDS_ANY.get(selector)
        super().add(rule, selector, check, given=given, **fields)

    def judge(self, context: RequestContext, reads: RuleFilter | None = None) -> Violation | None:
        items, stretches = context.body.get(self._field), self.selected(context.provider, context.traits, reads)
        if not stretches or not isinstance(items, list):
            return None
        # A context for each item, made once for all rulebooks of this list
        contexts: list[RequestContext] | None = context.read.get(self._field)
        if contexts is None:
            items_with_place = (
                Item(value, index, f"{self._field}[{index}]", context.body, context.read)
                for index, value in enumerate(items)
            )
            contexts = context.read[self._field] = [context.about(item) for item in items_with_place]
        return self.judge_each(contexts, stretches)


Find = Callable[[Any, str], Iterable[tuple[Any, str]]]
"""Of an item and its place, what is looked at in it, each with its own place."""


def inside(part: Literal["conversation", "tool"], find: Find) -> Selector:
    """What `find` yields of each item of an `ItemRules`, which are the messages or the tools: looked for once."""

    def found(context: RequestContext) -> tuple[tuple[Any, str], ...]:
        item: Item = context.body
        kept = item.found.get(find)
        if kept is None:
            kept = item.found[find] = tuple(find(item.value, item.place))
        return kept

    selector = Selector(found, "{place}", ("place",), "parts", (part,))
    _FINDS_ANY[selector] = lambda context: bool(found(context))
    return selector


_FINDS_ANY: dict[Selector, Condition] = {}
"""Of selectors that find nothing in most items: one condition for all rows that follow each other."""
MESSAGE, TOOL = (
    Selector(lambda context: ((context.body.value, context.body.place),), "{place}", ("place",), "parts", unusual)
    for unusual in (("conversation",), ("tool",))
)
"""Each message, or item of the input, and each tool, for the rows of an `ItemRules`."""

Check = Callable[[Any, str], Breach | None]
"""Returns the breach of what a selector finds in this place."""


def is_object(value: Any, place: str) -> Breach | None:
    return None if isinstance(value, dict) else wrong_type(place, "an object", value)


def has(member: str) -> Check:
    """Refuses an object without this member."""
    return lambda owner, place: None if member in owner else missing(f"{place}.{member}")


def is_text(member: str) -> Check:
    """Refuses a value that is no string; a missing one is accepted."""

    def check(owner: Any, place: str) -> Breach | None:
        is_right = member not in owner or isinstance(owner[member], str)
        return None if is_right else wrong_type(f"{place}.{member}", "a string", owner[member])

    return check


def is_not_empty(member: str) -> Check:
    return lambda owner, place: empty_string(f"{place}.{member}") if owner[member] == "" else None


def is_at_most(most: int, member: str) -> Check:
    """Refuses a string with more characters."""
    return lambda owner, place: long_string(f"{place}.{member}", owner.get(member), most)


LIKE_OTHER_TYPES: Final = {"worded like the refusals of other wrong types": ""}
LIKE_OTHER_MISSING: Final = {"worded like the refusals of other missing members": ""}

Sample = Callable[..., Any]
"""Makes a request body of one wire; the arguments change what the rule is about."""


def as_on_chat(where: str = "") -> dict[str, Any]:
    """Inferred for Responses from chat completions, where the rule is recorded, quoted or reported."""
    return {"inferred": {f"worded as on chat completions{where}": ""}}


AS_ON_CHAT: Final = as_on_chat()


class SharedRows:
    """Rows that both wires word alike: see `Rulebook.row`.

    `name` follows the prefix of the wire's table, and `wrong` and `right` make the samples with that of the wire.
    `chat` and `responses` are the further arguments on one wire: the evidence, and perhaps the models. `given` makes
    the condition for the wire's selector.
    """

    def __init__(self) -> None:
        self._adds: list[Callable[[Rulebook, str, str, Selector, Sample], None]] = []

    def row(
        self,
        name: str,
        why: str,
        when: Callable[..., Any],
        *,
        remedy: Remedy,
        wrong: Callable[[Sample], Any],
        right: Callable[[Sample], Any] = lambda sample: sample(),
        given: Callable[[Selector], Condition] | None = None,
        chat: dict[str, Any],
        responses: dict[str, Any] | None = AS_ON_CHAT,
    ) -> None:
        """`responses` is None where that wire has no such rule."""

        def add(book: Rulebook, wire: str, prefix: str, selector: Selector, sample: Sample) -> None:
            more = chat if wire == "chat" else responses
            if more is not None:
                of_wire = {"given": given(selector) if given is not None else None, **more}
                samples = {"wrong": wrong(sample), "right": right(sample)}
                book.row(f"{prefix}{name}", why, selector, when, remedy=remedy, **samples, **of_wire)

        self._adds.append(add)

    def add_to(
        self, book: Rulebook, wire: Literal["chat", "responses"], prefix: str, selector: Selector, sample: Sample
    ) -> None:
        for add in self._adds:
            add(book, wire, prefix, selector, sample)
