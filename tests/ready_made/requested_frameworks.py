"""Which ready-made adapters a run of tests/ready_made is about, and where one that is missing is red."""

from agent_conformance.attach.ready_made import Ready

OPTION = "--frameworks"


class Missing(Exception):
    """A requested framework is not installed."""


class LeftOut(Exception):
    """The framework was not requested, or none was requested and it is not installed."""


def check(adapter: Ready, requested: str) -> None:
    """Raise `Missing` or `LeftOut` if the adapter should not run; `requested` is `all`, `light`, or empty."""
    if requested == "light" and not adapter.light:
        raise LeftOut(f"{adapter.name} is not light; it runs under pytest tests/ready_made {OPTION}")
    if adapter.version is None and not adapter.extra:
        raise LeftOut(f"{adapter.name} has an environment of its own: ./dev python -m tools leaderboard {adapter.name}")
    if adapter.version is None:
        missing = f"{adapter.distribution} is not installed: {adapter.install}"
        if requested:
            raise Missing(missing)
        raise LeftOut(f"{missing}; red under pytest tests/ready_made {OPTION}")
