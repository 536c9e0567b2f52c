"""The last check of a request: what none of the other rules is about, by the types of Anthropic's SDK."""

from pathlib import Path

from fake_providers.declared_rules import refuse_undeclared
from fake_providers.rulebook import Breach, RequestContext, Rulebook
from fake_providers.values.declared import DeclaredTypes, Fault
from fake_providers.wires.anthropic_messages.betas import of_known_names
from fake_providers.wires.anthropic_messages.errors import envelope
from fake_providers.wires.anthropic_messages.rules import values
from fake_providers.wires.anthropic_messages.rules.samples import sample_request

BOOK = Rulebook(envelope)
SENTENCES = {
    "string": "Input should be a valid string", "boolean": "Input should be a valid boolean",
    "integer": "Input should be a valid integer", "number": "Input should be a valid number",
    "object": "Input should be an object",
}  # fmt: skip
SEARCH = {"type": "web_search_20250305", "name": "web_search"}


def _words(found: Fault, _context: RequestContext) -> Breach:
    place, sentence = found.tagged, values.EXTRA
    if found.kind == "missing":
        sentence = values.REQUIRED
    elif found.kind == "word" and place[-1] == "type" and len(found.expected) > 1:
        place, sentence = place[:-1], values.unknown_tag(found.value, found.expected)
    elif found.kind == "word":
        *first, last = (f"'{word}'" for word in found.expected)
        sentence = f"Input should be {', '.join(first)}{' or ' if first else ''}{last}"
    elif found.kind == "type":
        sentence = SENTENCES.get(found.expected[0], "Input should be a valid array")
    elif found.kind == "range":
        sentence = _outside(found)
    return Breach(found.at, f"{'.'.join(map(str, place))}: {sentence}")


def _outside(found: Fault) -> str:
    low = isinstance(found.value, str | list) and found.least is not None and len(found.value) < found.least
    low = low or (isinstance(found.value, int | float) and found.least is not None and found.value < found.least)
    bound = (found.least if low else found.most) or 0
    if isinstance(found.value, int | float):
        return f"Input should be {'greater' if low else 'less'} than or equal to {bound:g}"
    what = "String" if isinstance(found.value, str) else "List"
    of = "character" if what == "String" else "item"
    return f"{what} should have at {'least' if low else 'most'} {bound:g} {of}{'s' if bound != 1 else ''}"


def _search(**options: object) -> dict[str, object]:
    return sample_request(tools=[{**SEARCH, **options}])


def _noted(**members: object) -> dict[str, object]:
    return sample_request([{"type": "document", "source": {"type": "text", "media_type": "text/plain", **members}}])


TYPES = DeclaredTypes(
    Path(__file__).with_name("declared.json"),
    r"extra messages\.content\.content\..*|range messages\..*|word messages\.content\.type",
    closed=True,
)
"""Results of Anthropic's own tools come back with what it has added to them, and its refusals list types of blocks that
the SDK does not have."""
refuse_undeclared(
    BOOK, "anthropic/", TYPES, _words, {
        "missing": (_noted(), _noted(data="Rain.")),
        "type": (_noted(data=7), _noted(data="7")),
        "word": (_search(allowed_callers=["x"]), _search(allowed_callers=["direct"])),
        "range": (_search(max_uses=0), _search(max_uses=1)),
        "extra": (_noted(data="Rain.", size=5), _noted(data="Rain.")),
    }, source="anthropic-sdk-python 2.12, its types of a request; in the sentences for other members",
    given=of_known_names)  # fmt: skip
