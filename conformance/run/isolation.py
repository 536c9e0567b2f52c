"""Putting the process back as it was after a case: working directory and environment. Knows no agent."""

import contextlib
import os
import warnings
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def process_restored() -> Iterator[None]:
    """Undo, at the end, what an agent did to the working directory and the environment.

    A project that turns warnings into errors means its own code: an agent's warnings stay warnings.
    """
    folder = Path.cwd()
    environment = dict(os.environ)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("default")
            yield
    finally:
        try:
            moved = Path.cwd() != folder
        except FileNotFoundError:  # the agent deleted the directory it stood in
            moved = True
        if moved:
            os.chdir(folder)
        if dict(os.environ) != environment:
            os.environ.clear()
            os.environ.update(environment)


@contextlib.contextmanager
def loopback_unproxied() -> Iterator[None]:
    """Ask clients, for the time of a run, to reach loopback without the machine's proxy."""
    before = {name: os.environ.get(name) for name in ("NO_PROXY", "no_proxy")}
    hosts = [host for host in (before["NO_PROXY"] or before["no_proxy"] or "").split(",") if host]
    os.environ["NO_PROXY"] = os.environ["no_proxy"] = ",".join(dict.fromkeys([*hosts, "127.0.0.1", "localhost"]))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
