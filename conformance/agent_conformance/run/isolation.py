"""Putting the process back as it was after a case: working directory, environment, streams. Knows no agent."""

import contextlib
import os
import sys
import warnings
from collections.abc import Iterator, Mapping
from typing import Any

from agent_conformance.run.settings import read_settings, restore_settings


@contextlib.contextmanager
def process_restored() -> Iterator[None]:
    """Undo, at the end, what an agent did to the process: directory, environment, streams, and its settings.

    A project that turns warnings into errors does so for its own code: an agent's warnings stay warnings.
    """
    folder = os.getcwd()
    environment = _environment()
    mask = os.umask(0o077)
    os.umask(mask)
    settings = read_settings()
    try:
        with streams_kept(), warnings.catch_warnings():
            no_warning_raises()
            yield
    finally:
        os.umask(mask)
        restore_settings(settings)
        try:
            moved = os.getcwd() != folder
        except FileNotFoundError:  # the agent deleted the directory it stood in
            moved = True
        if moved:
            os.chdir(folder)
        if _environment() != environment:
            os.environ.clear()
            os.environ.update({os.fsdecode(name): os.fsdecode(value) for name, value in environment.items()})


def no_warning_raises() -> None:
    """Show each warning that was to be raised as an error, and leave every other filter as it is."""
    warnings.filters = [("default", *one[1:]) if one[0] == "error" else one for one in warnings.filters]


def _environment() -> dict[Any, Any]:
    """The undecoded environment of `os.environ`: decoding it twice would take a tenth of a case."""
    return dict(vars(os.environ)["_data"])


@contextlib.contextmanager
def streams_kept() -> Iterator[None]:
    """Restore the standard streams, whether they were closed, wrapped or replaced meanwhile.

    A closed `sys.stdout` would end the whole session, because pytest's capture reads from its file.
    """
    before = sys.stdin, sys.stdout, sys.stderr
    sys.stdout, sys.stderr = _unclosable(sys.stdout), _unclosable(sys.stderr)
    try:
        yield
    finally:
        sys.stdin, sys.stdout, sys.stderr = before


class _Unclosable:
    """A stream that cannot be closed, nor can its buffer."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def __enter__(self) -> "_Unclosable":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __iter__(self) -> Iterator[Any]:
        return iter(self._stream)

    @property
    def buffer(self) -> "_Unclosable":
        return _Unclosable(self._stream.buffer)

    def detach(self) -> "_Unclosable":
        return self.buffer

    def close(self) -> None:
        self._stream.flush()


def _unclosable(stream: Any) -> Any:
    return None if stream is None else _Unclosable(stream)


@contextlib.contextmanager
def loopback_unproxied() -> Iterator[None]:
    """Have clients reach loopback without the machine's proxy, for as long as a session runs."""
    listed = os.environ.get("NO_PROXY") or os.environ.get("no_proxy") or ""
    hosts = ",".join(dict.fromkeys([*(host for host in listed.split(",") if host), "127.0.0.1", "localhost"]))
    with environment_with({"NO_PROXY": hosts, "no_proxy": hosts}):
        yield


@contextlib.contextmanager
def environment_with(variables: Mapping[str, str]) -> Iterator[None]:
    """Set these variables of the process, and restore them at the end."""
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
