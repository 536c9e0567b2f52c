"""Types for arguments: a name of a fixed set, whose unknown names are answered with the nearest; a positive number."""

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


def add_provider(parser: argparse.ArgumentParser) -> None:
    """Add the required argument `--provider`."""
    from fake_providers import PROVIDERS

    known = ", ".join(PROVIDERS)
    provider = one_of("provider", PROVIDERS)
    parser.add_argument("--provider", required=True, type=provider, metavar="NAME", help=f"one of {known}")


def add_providers(parser: argparse.ArgumentParser) -> None:
    """Add `--provider`, which can be given several times, and `--all`: one of the two is required."""
    from fake_providers import PROVIDERS

    group = parser.add_mutually_exclusive_group(required=True)
    group.add_argument(
        "--provider",
        action="append",
        type=one_of("provider", PROVIDERS),
        metavar="NAME",
        help=f"can be given several times, each is then below a path of its name: one of {', '.join(PROVIDERS)}",
    )
    group.add_argument("--all", action="store_true", help="all providers, each below a path of its name")


def positive(text: str) -> int:
    """For `type=`: a whole number from 1."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"`{text}` is not a whole number from 1.")
    return int(text)


def unknown_name(what: str, name: str, known: Iterable[str], *, shown: str = "") -> str:
    """``no provider `opnai`. Did you mean `openai`? Choose from openai, azure, ...``.

    `shown` replaces the list of names at the end.
    """
    from agent_conformance.scenario.yaml_files.problems import did_you_mean

    known = tuple(known)
    names = shown or f"Choose from {', '.join(known)}."
    return f"no {what} `{name}`.{did_you_mean(name, known)} {names}"
