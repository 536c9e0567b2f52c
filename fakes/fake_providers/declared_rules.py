"""Rules that refuse what a vendor's types do not declare: one for each kind of fault, in the provider's words."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from fake_providers import remedies
from fake_providers.rule import Remedy, Rule
from fake_providers.rulebook import ANY_PART, Breach, Condition, RequestContext, Rulebook, cited
from fake_providers.values.declared import DeclaredTypes, Fault, Kind

CHECKED: Final = "2026-11-30"
RULES: Final[Mapping[Kind, tuple[str, str, Remedy]]] = {
    "missing": ("declared-missing", "A member that the vendor's types require is missing.", remedies.REQUIRED_MEMBERS),
    "type": ("declared-type", "A member has another type than the vendor's types say.", remedies.VALUE),
    "word": ("declared-word", "A member has a word that is none of the vendor's types.", remedies.REFERENCE_MEMBER),
    "range": ("declared-range", "A number, a text or a list is outside the documented range.", remedies.KEEP_IN_RANGE),
    "extra": ("declared-member", "An object has a member that the vendor's types do not have.", remedies.KNOWN_MEMBERS),
}


def refuse_undeclared(
    book: Rulebook,
    prefix: str,
    types: DeclaredTypes,
    words: Callable[[Fault, RequestContext], Breach | str],
    samples: Mapping[Kind, tuple[dict[str, Any], dict[str, Any]]],
    *,
    source: str,
    status: int = 400,
    given: Condition | None = None,
) -> None:
    """Add a rule for each kind that has samples: a request that is refused, and one that is accepted. A body is refused
    for its first fault."""

    def first(context: RequestContext) -> Fault | None:
        if "undeclared" not in context.read:
            context.read["undeclared"] = next((one for one in types.faults(context.body) if one.kind in samples), None)
        found: Fault | None = context.read["undeclared"]
        return found

    def check_of(kind: Kind) -> Callable[[RequestContext], Breach | None]:
        def check(context: RequestContext) -> Breach | None:
            found = first(context)
            if found is None or found.kind != kind:
                return None
            said = words(found, context)
            return Breach(found.at, said) if isinstance(said, str) else said

        return check

    for kind, (breaking, accepted) in samples.items():
        name, why, remedy = RULES[kind]
        evidence = cited({source: ""})
        made = Rule(f"{prefix}{name}", status, why, "all", "inferred", evidence, CHECKED, breaking, accepted, remedy)
        book.add(made, ANY_PART, check_of(kind), given=given)
