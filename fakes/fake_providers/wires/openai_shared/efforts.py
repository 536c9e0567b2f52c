"""The efforts that each family of OpenAI's models supports. A family without such a trait supports every known word."""

from typing import Final

EFFORTS: Final = ("none", "minimal", "low", "medium", "high", "xhigh", "max")
"""Every word that the API knows."""

SUPPORTED: Final[dict[str, tuple[str, ...]]] = {
    "efforts-minimal-to-high": ("minimal", "low", "medium", "high"),
    "efforts-none-to-high": ("none", "low", "medium", "high"),
    "efforts-none-to-xhigh": ("none", "low", "medium", "high", "xhigh"),
    "efforts-none-to-max": ("none", "low", "medium", "high", "xhigh", "max"),
    "efforts-low-to-high": ("low", "medium", "high"),
    "efforts-low-to-xhigh": ("low", "medium", "high", "xhigh"),
    "efforts-low-to-max": ("low", "medium", "high", "xhigh", "max"),
    "efforts-medium-to-xhigh": ("medium", "high", "xhigh"),
    "effort-medium": ("medium",),
    "effort-high": ("high",),
}
"""By trait, in the order of the error message."""


def supported_efforts(traits: frozenset[str]) -> tuple[str, ...]:
    """The efforts of a model with these traits; empty if they are not known."""
    return next((efforts for trait, efforts in SUPPORTED.items() if trait in traits), ())


def effort_list(efforts: tuple[str, ...]) -> str:
    """The efforts as the error message lists them: `'low', 'medium', and 'high'`."""
    names = [f"'{effort}'" for effort in efforts]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])}, and {names[-1]}"
