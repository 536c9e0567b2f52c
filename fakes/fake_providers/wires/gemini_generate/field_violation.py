"""A field violation, as two of Google's checks report them: all that they find, in one message. Knows no rule."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FieldViolation:
    """One violation. `rule` is the rule's id without the provider; `field` is the field that Google's error names, if
    any."""

    rule: str
    field: str
    message: str
    at: str
