"""What Google finds wrong with a body at a stage that tells everything it found in one message. Knows no rule."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FieldViolation:
    """One finding. `rule` is its rule's id without the provider; `field` is what its violation names, if any."""

    rule: str
    field: str
    message: str
    at: str
