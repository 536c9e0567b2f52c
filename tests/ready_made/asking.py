"""Which ready-made adapters a run of tests/ready_made is about, and where one that is missing is red."""

from conformance.agents.ready_made import Ready

OPTION = "--frameworks"


class Missing(Exception):
    """What was asked for is not installed."""


class LeftOut(Exception):
    """What nobody asked for, or what is not installed where nobody asked."""


def check(adapter: Ready, asked: str) -> None:
    """Raise `Missing` or `LeftOut` where the adapter is not to run; `asked` is `all`, `light`, or nothing."""
    if asked == "light" and not adapter.light:
        raise LeftOut(f"{adapter.name} is not light; it runs under pytest tests/ready_made {OPTION}")
    if adapter.version is None:
        missing = f"{adapter.distribution} is not installed: {adapter.install}"
        if asked:
            raise Missing(missing)
        raise LeftOut(f"{missing}; red under pytest tests/ready_made {OPTION}")
