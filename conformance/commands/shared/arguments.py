"""Types for arguments that take a name of a fixed set: an unknown one is a usage error that suggests the nearest."""

import argparse
from collections.abc import Callable, Iterable


def one_of(what: str, names: Iterable[str]) -> Callable[[str], str]:
    """For `type=`: gives the name itself. `what` is the kind of thing in the message: `provider`."""
    known = tuple(names)

    def checked(name: str) -> str:
        if name not in known:
            raise argparse.ArgumentTypeError(unknown_name(what, name, known))
        return name

    return checked


def unknown_name(what: str, name: str, known: Iterable[str], *, shown: str = "") -> str:
    """``no provider `opnai`. Did you mean `openai`? Choose from openai, azure, ...``.

    `shown` replaces the list of names at the end.
    """
    from conformance.scenario.problems import did_you_mean

    known = tuple(known)
    names = shown or f"Choose from {', '.join(known)}."
    return f"no {what} `{name}`.{did_you_mean(name, known)} {names}"
