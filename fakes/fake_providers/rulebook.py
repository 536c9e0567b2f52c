"""The ordered rules of one wire, each a row: what it looks at, when it refuses and in which words; and how they are
checked, and which need not be."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import groupby
from operator import itemgetter
from typing import Any, Literal, NamedTuple, cast

from msgspec import Struct, field
from msgspec.structs import replace

from fake_providers.rule import CURRENT, Citation, Confidence, Remedy, Rule, Tolerance, Violation, judged


class Breach(Struct, frozen=True):
    """What a check found: the place, the provider's message, and further members of the error body."""

    at: str
    message: str
    extra: Mapping[str, Any] = field(default_factory=dict)


class RequestContext(Struct, frozen=True, eq=False):
    """What a check may read: the JSON body, the headers, the model's traits, and the provider.

    `read` has what earlier checks have parsed, for later ones, under names of their own.
    """

    body: Any
    headers: Mapping[str, str]
    model: str
    traits: frozenset[str]
    stream: bool
    provider: str
    read: dict[str, Any] = field(default_factory=dict)

    def about(self, body: Any) -> "RequestContext":
        """The same context with another body: an item of the body, or the body with what it refers to."""
        return RequestContext(body, self.headers, self.model, self.traits, self.stream, self.provider)


Reads = Literal["request", "exchanges", "tools", "parts"]
"""What of a request the verdict of a rule hangs on. `parts`: the parameters and one message or tool at a time, wherever
it stands and whatever is beside it. `tools`: the parameters and all tools. `exchanges`: these, the first messages, and
messages near each other. `request`: anything."""


class RuleFilter(Struct, frozen=True, eq=False):
    """Which rules are checked: those that read so much, `several` for all but those of `parts`, and none that need one
    of the `absent` members. One object for each of them, so that it is found by its identity."""

    reads: Reads | Literal["several", "all"]
    absent: frozenset[bytes] = frozenset()


@lru_cache(maxsize=1024)
def asked(reads: Reads | Literal["several", "all"], absent: frozenset[bytes], *usual: bytes) -> RuleFilter:
    """`usual` are those of `UNUSUAL` that the request does not have."""
    return RuleFilter(reads, absent.union(usual))


def has_parts(reads: RuleFilter | None) -> bool:
    """Whether the rules on single parts are among those that are checked, and some part or parameter is unusual."""
    return reads is None or (reads.reads in ("parts", "all") and not reads.absent.issuperset(UNUSUAL.values()))


UNUSUAL = {
    "parameter": b"a new parameter",
    "conversation": b"an unusual conversation",
    "tool": b"an unusual tool",
}
"""What makes a request unusual: parameters beside which nothing was accepted before, and a conversation or tools in
another form than the wire's usual ones. A request that lacks one of them has it in `absent`, among names of members;
the spaces tell the two apart."""


class Precondition(NamedTuple):
    """What a request must have in which a rule finds anything: one of the `members`, which are names of members or
    whole texts in its JSON, one of the `traits` of its model, and one of what is `unusual`; empty for anything."""

    members: frozenset[bytes] = frozenset()
    traits: frozenset[str] = frozenset()
    unusual: frozenset[bytes] = frozenset()

    def are_met(self, absent: frozenset[bytes], traits: frozenset[str]) -> bool:
        if (self.members and self.members <= absent) or (self.unusual and self.unusual <= absent):
            return False
        return not self.traits or not self.traits.isdisjoint(traits)


READS: dict[str, Reads] = {}
NEEDS: dict[str, Precondition] = {}
"""What each rule that was added declares, by its id: so that tests can try all of them."""
MOST_SELECTIONS = 256
"""Of the rules of one book, by provider, traits and what is absent. More are forgotten at once."""
Check = Callable[[RequestContext], Breach | None]
Condition = Callable[[RequestContext], bool]
Quotes = Mapping[str, str] | tuple[Citation, ...]
"""By source its decisive sentence, which may be empty; `...` for the words of the refusal."""


class Selector(Struct, frozen=True, eq=False):
    """What the rows of a table look at: each message, part, call or tool of a request, or the request.

    `find` yields, for each, a tuple: the item, then what `names` says, such as its index and the message around it.
    `place` is where it is, in these names: `messages[{i}].content[{j}]`. `reads` says what the verdict of a row hangs
    on, and `unusual` what has another form than the usual one wherever it finds anything beside parameters that were
    accepted before; without it, a row is always checked.
    """

    find: Callable[[RequestContext], Iterable[tuple[Any, ...]]]
    place: str = ""
    names: tuple[str, ...] = ()
    reads: Reads = "request"
    unusual: tuple[Literal["parameter", "tool", "conversation"], ...] = ()

    def named(self, found: tuple[Any, ...]) -> dict[str, Any]:
        """What the words and the place of a refusal may name."""
        return dict(zip(self.names, found[1:], strict=True))


def _body(context: RequestContext) -> tuple[tuple[Any], ...]:
    return ((context.body,),)


WHOLE_REQUEST = Selector(_body)
"""The whole body: for rules that compare its messages with its tools or parameters, and for all that fits nowhere
else."""
ALL_PARTS = Selector(_body, unusual=("conversation", "tool"))
"""The same, for rules that find nothing where both have their usual forms."""
ANY_PARAMETER = Selector(_body, reads="parts", unusual=("parameter",))
"""The body, for rules that look at its parameters alone, and at no message and no tool."""
ANY_MESSAGE = Selector(_body, reads="parts", unusual=("conversation",))
"""The body, for rules that look at one message at a time, wherever it stands."""
ANY_TOOL = Selector(_body, reads="parts", unusual=("tool",))
"""The body, for rules that look at one tool at a time."""
ANY_PART = Selector(_body, reads="parts", unusual=("conversation", "tool"))
"""The body, for rules that look at one message or tool at a time."""
ALL_TOOLS = Selector(_body, reads="tools", unusual=("tool",))
"""The body, for rules that compare or count the tools."""
NEAR_MESSAGES = Selector(_body, reads="exchanges", unusual=("conversation",))
"""The body, for rules that compare messages near each other, such as a call and its result."""
ALL_MESSAGES = Selector(_body, unusual=("conversation",))
"""The body, for rules that compare or count over the whole conversation."""


def check_of_row(
    selector: Selector, when: Callable[..., Any], says: str, at: str, extra: Mapping[str, Any] | None = None
) -> Check:
    """See `Rulebook.row`."""
    code = getattr(when, "__code__", None)
    parameters: tuple[str, ...] = code.co_varnames[: code.co_argcount] if code is not None else ()
    if parameters[:1] == ("context",):
        return when if extra is None else lambda context: with_extra(when(context))
    wanted = parameters[1:]
    place = at[1:] if at.startswith("/") else selector.place + at

    def arguments(found: tuple[Any, ...], context: RequestContext) -> Iterator[Any]:
        yield found[0]
        for name in wanted:
            if name in selector.names:
                yield found[selector.names.index(name) + 1]
            else:
                yield context if name == "context" else selector.place.format_map(selector.named(found))

    # Most want the item alone or what is named beside it: these are called without looking up any name.
    named = set(wanted) <= set(selector.names)
    picked = itemgetter(0, *(selector.names.index(name) + 1 for name in wanted)) if wanted and named else None

    def check(context: RequestContext) -> Breach | None:
        for found in selector.find(context):
            if not wanted:
                hit = when(found[0])
            elif picked is not None:
                hit = when(*picked(found))
            else:
                hit = when(*arguments(found, context))
            if hit:
                return with_extra(hit) if isinstance(hit, Breach) else breach(hit, found, context)
        return None

    def with_extra(found: Breach | None) -> Breach | None:
        return found if found is None or extra is None else replace(found, extra={**extra, **found.extra})

    def breach(hit: Any, found: tuple[Any, ...], context: RequestContext) -> Breach:
        names = {"item": found[0], "model": context.model, **selector.named(found)}
        names.update(hit if isinstance(hit, dict) else {"found": hit})
        where = place.format_map(names)
        return Breach(where, says.format_map({"at": where, **names}), extra or {})

    return check


def cited(quotes: Quotes, says: str = "") -> tuple[Citation, ...]:
    """The evidence of a row."""
    if isinstance(quotes, tuple):
        return quotes
    return tuple([Citation(source, says if quote == "..." else quote) for source, quote in quotes.items()])


def bodiless_rule(
    id: str, status: int, why: str, remedy: Remedy, *, models: str = "all", checked: str = "", **evidence: Quotes
) -> Rule:
    """A rule without sample requests: a key, a window, a server's flag, the model's own output. `evidence` is one of
    `recorded`, `verbatim`, `reported` and `inferred`, as in the rows of a `Rulebook`."""
    ((confidence, quotes),) = evidence.items()
    sure = cast(Confidence, confidence)
    return Rule(id, status, why, models, sure, cited(quotes), checked or "2026-11-21", None, None, remedy)


Segment = tuple[Condition | None, tuple[tuple[Rule, Check], ...]]
"""Rules that follow each other, and the condition that they share."""


class Entry(NamedTuple):
    """A rule of a book; no `providers` for all, and `only` as for `Rulebook.rule`."""

    rule: Rule
    check: Check
    providers: frozenset[str]
    only: Condition | None
    reads: Reads
    needs: Precondition

    def is_asked(self, asked: RuleFilter, traits: frozenset[str]) -> bool:
        if not self.needs.are_met(asked.absent, traits):
            return False
        return asked.reads in (self.reads, "all") or (asked.reads == "several" and self.reads != "parts")


class Rulebook:
    """Rules in the provider's order. The first broken rule is reported."""

    def __init__(self, envelope: Callable[[Rule, Breach, RequestContext], Any]) -> None:
        self._envelope = envelope
        self._entries: list[Entry] = []
        self._stretches: dict[tuple[str, frozenset[str], RuleFilter | None], tuple[Segment, ...]] = {}

    @property
    def rules(self) -> tuple[Rule, ...]:
        return tuple(entry.rule for entry in self._entries)

    @property
    def needed_members(self) -> frozenset[bytes]:
        """The members that some rule needs."""
        return frozenset().union(*(entry.needs.members for entry in self._entries))

    def row(
        self,
        id: str,
        why: str,
        selector: Selector,
        when: Callable[..., Any],
        says: str = "",
        at: str = "",
        *,
        remedy: Remedy,
        wrong: Any,
        right: Any,
        given: Condition | None = None,
        trait: str | tuple[str, ...] = (),
        needs: str | tuple[str, ...] = (),
        even_usual: bool = False,
        status: int = 400,
        models: str = "all",
        checked: str = "2026-11-20",
        path: str = "",
        headers: Mapping[str, str] | None = None,
        providers: tuple[str, ...] | None = None,
        about: Literal["", "picture"] = "",
        extra: Mapping[str, Any] | None = None,
        recorded: Quotes | None = None,
        verbatim: Quotes | None = None,
        reported: Quotes | None = None,
        inferred: Quotes | None = None,
    ) -> None:
        """Add a rule at the end of the order: in what it looks at, when it refuses, and in which words.

        `when` gets an item that `selector` finds, or, where its first parameter is named `context`, the whole at once,
        and then returns a `Breach` or None. Its further parameters are named after what the selector names, or
        `place` or `context`. What it returns refuses, if it is true: a `Breach` as it is; a mapping has names for the
        words and the place, and any other value is `{found}` there, beside what the selector names, `{item}`,
        `{model}` and, in the words, `{at}`. `at` goes on from the place of the item, unless it begins with `/`.

        `wrong` and `right` are sample bodies that differ in one place. `given` restricts the rule to some requests,
        `trait` to models that have one of these traits. `needs` saves time: bodies that have none of these members (or
        whole texts) anywhere are skipped, so `when` finds nothing there either. `even_usual`: it finds something in
        messages and tools of the usual forms, too. `extra` is that of each breach: what the envelope says besides.

        One of `recorded`, `verbatim`, `reported` and `inferred` has the evidence. `remedy` is what a maintainer does
        about it: one of `remedies`, or its own.
        """
        known: tuple[tuple[Confidence, Quotes | None], ...]
        known = ("recorded", recorded), ("verbatim", verbatim), ("reported", reported), ("inferred", inferred)
        ((confidence, quotes),) = [(sure, found) for sure, found in known if found is not None]
        evidence = cited(quotes, says)
        rule = Rule(id, status, why, models, confidence, evidence, checked, wrong, right, remedy, path, headers, about)
        check = check_of_row(selector, when, says, at, extra)
        self.add(
            rule, selector, check, given=given, trait=trait, needs=needs, providers=providers, even_usual=even_usual
        )

    def add(
        self,
        rule: Rule,
        selector: Selector,
        check: Check,
        *,
        given: Condition | None = None,
        trait: str | tuple[str, ...] = (),
        needs: str | tuple[str, ...] = (),
        providers: tuple[str, ...] | None = None,
        even_usual: bool = False,
    ) -> None:
        """Add a rule whose check is made elsewhere; see `row`."""
        traits = frozenset(_words(trait))
        members = frozenset(member.encode() for member in _words(needs))
        unusual = () if even_usual or not selector.unusual else ("parameter", *selector.unusual)
        needed = Precondition(members, traits, frozenset(UNUSUAL[name] for name in unusual))
        READS[rule.id], NEEDS[rule.id] = selector.reads, needed
        checked = _for_models(traits, check) if traits else check
        entry = Entry(rule, checked, frozenset(providers or ()), given, selector.reads, needed)
        self._entries.append(entry)
        self._stretches.clear()
        _ASKED_BOOKS.clear()

    def judge(self, context: RequestContext, reads: RuleFilter | None = None) -> Violation | None:
        """The first broken rule as a violation, or None. What breaks a rule that is tolerated now is passed over.

        With `reads` only the rules that read so much are checked.
        """
        stretches = self.selected(context.provider, context.traits, reads)
        return self.judge_each((context,), stretches) if stretches else None

    def judge_each(self, contexts: Iterable[RequestContext], stretches: tuple[Segment, ...]) -> Violation | None:
        """The first violation in any of these contexts, which are judged one after the other."""
        tolerance = CURRENT.get()
        for context in contexts:
            for only, checks in stretches:
                if only is not None and not only(context):
                    continue
                for rule, check in checks:
                    breach = check(context)
                    if breach is not None:
                        body = self._envelope(rule, breach, context)
                        violation = Violation(
                            rule.id, rule.status, body, breach.message, breach.at, rule.confidence, rule.about
                        )
                        if tolerance is None or not tolerance.takes(violation):
                            return violation
        return None

    def has_any(self, provider: str, traits: frozenset[str], reads: RuleFilter | None) -> bool:
        """Whether any rule is checked of a request to this provider and a model of these traits."""
        return bool(self.selected(provider, traits, reads))

    def selected(self, provider: str, traits: frozenset[str], reads: RuleFilter | None) -> tuple[Segment, ...]:
        """The rules that are checked of such a request; all of the provider's for None."""
        found = self._stretches.get((provider, traits, reads))
        return self._select(provider, traits, reads) if found is None else found

    def _select(self, provider: str, traits: frozenset[str], reads: RuleFilter | None) -> tuple[Segment, ...]:
        own = (entry for entry in self._entries if not entry.providers or provider in entry.providers)
        asked_of = [entry for entry in own if reads is None or entry.is_asked(reads, traits)]
        runs = groupby(asked_of, key=lambda entry: entry.only)
        found = tuple((only, tuple((entry.rule, entry.check) for entry in run)) for only, run in runs)
        if len(self._stretches) >= MOST_SELECTIONS:
            self._stretches.clear()
        self._stretches[provider, traits, reads] = found
        return found


def _words(names: str | tuple[str, ...]) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else names


def _for_models(traits: frozenset[str], check: Check) -> Check:
    return lambda context: None if traits.isdisjoint(context.traits) else check(context)


_ASKED_BOOKS: dict[Any, tuple[Rulebook, ...]] = {}
"""Those of some books that have rules to check, by provider, traits and what is asked: most have none."""


def asked_books(
    books: tuple[Rulebook, ...], provider: str, traits: frozenset[str], reads: RuleFilter | None
) -> tuple[Rulebook, ...]:
    """Those of the books that have rules to check of a request to this provider and a model of these traits."""
    key = (books, provider, traits, reads)
    found = _ASKED_BOOKS.get(key)
    if found is None:
        found = tuple(book for book in books if book.has_any(provider, traits, reads))
        if len(_ASKED_BOOKS) >= MOST_SELECTIONS:
            _ASKED_BOOKS.clear()
        _ASKED_BOOKS[key] = found
    return found


def first_violation(books: tuple[Rulebook, ...], context: RequestContext, reads: RuleFilter | None) -> Violation | None:
    """That of the first book in which a rule is broken."""
    for book in asked_books(books, context.provider, context.traits, reads):
        violation = book.judge(context, reads)
        if violation is not None:
            return violation
    return None


FIRST_CHECKED = "2026-11-21"
"""The day on which it was looked up which providers refuse what others do; a rule may be newer."""

Envelope = Callable[[Violation], Any]
"""The whole body of the refusal, of the violation that the other provider reports."""


class RenamedBook(Rulebook):
    """Another provider's book under this provider's name.

    What is recorded or quoted of the other provider is `reported` of this one, with `evidence` that the two agree.
    `envelope` makes the body, where this provider has another than the book's own. `prefix` begins the names of the
    rules, where the provider has others of the same name, and `path` is that of their samples. `never` are the names of
    rules that no request to this provider can break.
    """

    def __init__(
        self,
        book: Rulebook,
        provider: str,
        evidence: tuple[Citation, ...],
        *,
        envelope: Envelope | None = None,
        prefix: str = "",
        path: str = "",
        never: tuple[str, ...] = (),
    ) -> None:
        super().__init__(lambda rule, breach, context: None)
        self._book = book
        self._provider = provider
        self._envelope_of = envelope
        self._prefix = prefix
        self._path = path
        self._never = never
        self._passed_over: frozenset[str] = frozenset()
        self._rules = {rule.id: self._renamed(rule, evidence) for rule in book.rules}

    @property
    def rules(self) -> tuple[Rule, ...]:
        return tuple(rule for id, rule in self._rules.items() if id.partition("/")[2] not in self._never)

    @property
    def needed_members(self) -> frozenset[bytes]:
        return self._book.needed_members

    def has_any(self, provider: str, traits: frozenset[str], reads: RuleFilter | None) -> bool:
        return self._book.has_any(provider, traits, reads)

    def judge(self, context: RequestContext, reads: RuleFilter | None = None) -> Violation | None:
        tolerance = CURRENT.get()
        if tolerance is None and not self._passed_over:
            return self._under_own_name(self._book.judge(context, reads))
        tolerated = tolerance.rules if tolerance is not None else frozenset()
        named = frozenset(id for id, rule in self._rules.items() if rule.id in tolerated)
        theirs = Tolerance(named | self._passed_over)
        try:
            return self._under_own_name(judged(lambda: self._book.judge(context, reads), theirs))
        finally:
            for breach in map(self._under_own_name, theirs.breaches if tolerance is not None else ()):
                if breach is not None and tolerance is not None:
                    tolerance.takes(breach)

    def _under_own_name(self, found: Violation | None) -> Violation | None:
        if found is None:
            return None
        rule = self._rules[found.rule]
        renamed = replace(found, rule=rule.id, confidence=rule.confidence)
        return renamed if self._envelope_of is None else replace(renamed, body=self._envelope_of(renamed))

    def _renamed(self, rule: Rule, evidence: tuple[Citation, ...]) -> Rule:
        what = rule.id.partition("/")[2]
        sure: Confidence = "inferred" if rule.confidence == "inferred" else "reported"
        return replace(
            rule,
            id=f"{self._provider}/{self._prefix}{what}",
            path=self._path or rule.path,
            confidence=sure,
            evidence=(*evidence, *rule.evidence),
            checked=max(rule.checked, FIRST_CHECKED),
        )


def sets(*names: str) -> Callable[[dict[str, Any]], str]:
    """Asks with one of these members: true, or any other value but null, false and nothing."""
    return lambda body: next((name for name in names if body.get(name) not in (None, False, [], "")), "")
