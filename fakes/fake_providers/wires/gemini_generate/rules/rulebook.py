"""The rulebook of this wire, and the body that its checks receive."""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from fake_providers import remedies
from fake_providers.rule import Rule
from fake_providers.rulebook import ALL_TOOLS, ANY_PARAMETER, Breach, RequestContext, Rulebook, Selector, bodiless_rule
from fake_providers.wires.gemini_generate.errors import bad_request_detail, error_body
from fake_providers.wires.gemini_generate.proto_messages import Turn, contents, declarations, field, items, turns
from fake_providers.wires.gemini_generate.request_validator import FieldViolation
from fake_providers.wires.gemini_generate.rules.samples import gemini_path

GEMINI = ("gemini",)
"""The service that has the rule, if the other is less strict or reports it in another sentence."""


class Payload(Struct, frozen=True):
    """`RequestContext.body` of this wire: the value, and the violations that the parser or the validator found.

    The validator runs only if the parser found nothing, so all violations are of one stage.
    """

    value: Any
    field_violations: tuple[FieldViolation, ...]


def envelope(rule: Rule, breach: Breach, context: RequestContext) -> Any:
    return error_body(rule.status, breach.message, breach.extra.get("details", ()))


FORM = Rulebook(envelope)
"""What the parser and the validator refuse."""

BOOK = Rulebook(envelope)
"""What is refused after them, in single sentences."""


def _has_violations(context: RequestContext) -> bool:
    return bool(context.body.field_violations)


class Stage(NamedTuple):
    """How a stage reports its violations: the parser joins lines and lists details, the validator joins bullets."""

    separator: str
    has_details: bool

    def row(self, id: str, why: str, selector: Selector, **row: Any) -> None:
        """Add a rule that is broken if the first violation is of this rule. The message has all violations."""

        def when(payload: Payload) -> Breach | None:
            found = payload.field_violations
            if not found or found[0].rule != id:
                return None
            message = self.separator.join(one.message for one in found)
            details = [bad_request_detail([(one.field, one.message) for one in found])] if self.has_details else []
            return Breach(found[0].at, message, {"details": details})

        FORM.row(f"gemini/{id}", why, selector, when, given=_has_violations, path=gemini_path(), **row)


PARSER, VALIDATOR = Stage("\n", True), Stage("", False)


def first_breach(found: Iterable[Breach]) -> Breach | None:
    return next(iter(found), None)


def _value(context: RequestContext) -> tuple[tuple[Any], ...]:
    return ((context.body.value,),)


def _contents(context: RequestContext) -> Iterator[tuple[Any, ...]]:
    for i, content in enumerate(contents(context.body.value)):
        yield content, i


def _last_content(context: RequestContext) -> Iterator[tuple[Any, ...]]:
    found = contents(context.body.value)
    if found:
        yield found[-1], len(found) - 1


def parts_of(body: Any) -> Iterator[tuple[Any, int, int]]:
    """Each part with the index of its content and its own."""
    for i, content in enumerate(contents(body)):
        for j, part in enumerate(items(field(content, "parts"))):
            yield part, i, j


def _turns(context: RequestContext) -> Iterator[tuple[Any, ...]]:
    """They are found once for all rules."""
    found: list[Turn] | None = context.read.get("turns")
    if found is None:
        found = context.read["turns"] = turns(context.body.value)
    called = 0
    for number, turn in enumerate(found):
        yield turn, next((i for i, _ in turn.calls or turn.responses), 0), number, called
        called = len(turn.calls)


def _declarations(context: RequestContext) -> Iterator[tuple[Any, ...]]:
    for where, declaration in declarations(context.body.value):
        yield declaration, where


PARAMETERS, TOOLS = replace(ANY_PARAMETER, find=_value), replace(ALL_TOOLS, find=_value)
DECLARATION = Selector(_declarations, "{where}", ("where",), "parts", ("tool",))
CONTENT = Selector(_contents, "contents[{i}]", ("i",), "parts", ("conversation",))
LAST_CONTENT = Selector(_last_content, "contents[{i}]", ("i",), "exchanges", ("conversation",))
PART = Selector(
    lambda context: parts_of(context.body.value), "contents[{i}].parts[{j}]", ("i", "j"), "parts", ("conversation",)
)
TURN = Selector(_turns, "contents[{i}]", ("i", "number", "called"), "exchanges", ("conversation",))
"""The place is that of its first call or response; `called` says how many calls the turn before has."""


CHECKED = "2026-11-20"
MISSING_KEY = bodiless_rule(
    "gemini/missing-key",
    403,
    "The request has no key in `x-goog-api-key`, in `?key=` or as a bearer token. (A wrong key is a 400, which no fake "
    "can detect.)",
    remedies.KEY,
    checked=CHECKED,
    verbatim={
        "users of Google APIs quoting it": "Method doesn't allow unregistered callers (callers without established "
        "identity)."
    },
)
MISSING_CREDENTIAL = bodiless_rule(
    "vertex/missing-credential",
    401,
    "The request has neither a bearer token nor a key, which express mode accepts.",
    remedies.KEY,
    checked=CHECKED,
    recorded={
        "a recording of gemini-2.5-pro in us-central1": "Request is missing required authentication credential. "
        "Expected OAuth 2 access token, login cookie or other valid authentication credential."
    },
)
INPUT_TOO_LONG = bodiless_rule(
    "gemini/input-too-long",
    400,
    "The conversation has more tokens than the model's context window. An older sentence contains its count too.",
    remedies.SHORTEN,
    checked=CHECKED,
    recorded={
        "a recording of gemini-2.5-flash": "The input token count exceeds the maximum number of tokens allowed "
        "(1048576)."
    },
)
