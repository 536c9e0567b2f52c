"""What OpenAI says of a member that its types do not declare so."""

from typing import Final

from fake_providers.rulebook import Breach, RequestContext
from fake_providers.values.declared import Fault
from fake_providers.wires.openai_shared import wording as say

SOURCE: Final = "openai-python 3.54, its types of a request; in the sentences for other members"
NAMES: Final = {
    "string": "a string", "boolean": "a boolean", "integer": "an integer", "number": "a decimal", "object": "an object",
    "array of strings": "an array of strings", "array of objects": "an array of objects",
}  # fmt: skip


def declared_words(found: Fault, _context: RequestContext) -> Breach:
    if found.kind == "missing":
        return say.missing(found.at)
    if found.kind == "word":
        return say.wrong_value(found.at, found.value, found.expected)
    if found.kind == "extra":
        return say.unknown(found.at)
    if found.kind == "range":
        return _outside(found)
    named = [NAMES[one] for one in found.expected]
    if len(named) > 1:
        *first, last = (name.partition(" ")[2] for name in named)
        named = [f"one of a {', '.join(first)} or {last}"]
    return say.wrong_type(found.at, named[0], found.value)


def _outside(found: Fault) -> Breach:
    value, least, most = found.value, found.least or 0, found.most or 0
    if isinstance(value, str):
        return (
            say.empty_string(found.at) if not value else say.long_string(found.at, value, int(most)) or Breach("", "")
        )
    if isinstance(value, list):
        return say.empty_array(found.at) if not value else say.long_array(found.at, value, int(most)) or Breach("", "")
    number = "integer" if isinstance(value, int) else "decimal"
    low = found.least is not None and value < found.least
    side, sign, bound = ("below minimum", ">=", least) if low else ("above maximum", "<=", most)
    sentence = f"{number} {side} value. Expected a value {sign} {bound:g}, but got {value} instead."
    code = f"{number}_{'below_min' if low else 'above_max'}_value"
    return say.breach(found.at, f"Invalid '{found.at}': {sentence}", code)
