"""Calling what an adapter has beside `send`, which may hang, raise or return anything. Knows no case."""

import threading
from collections.abc import Callable
from typing import Any

from conformance.adapter.contract import AdapterMistake
from conformance.run.agent_errors import class_name, described_error


def called_within(seconds: float, what: str, function: Callable[..., Any], *arguments: Any) -> Any:
    """What it returns, called on a thread of its own. Raises `AdapterMistake` if it raises, or does not return.

    Hold no lock meanwhile: `function` may take any time, and may send a request.
    """
    result: list[Any] = []
    problem: list[AdapterMistake] = []

    def call() -> None:
        try:
            result.append(function(*arguments))
        except AdapterMistake as mistake:
            problem.append(mistake)
        except BaseException as error:  # SystemExit included: it is no reason to exit
            problem.append(AdapterMistake(f"the adapter's {what} raised {described_error(error)}"))

    thread = threading.Thread(target=call, name=f"agent-{what}", daemon=True)
    thread.start()
    thread.join(seconds)
    if problem:
        raise problem[0]
    if not result:
        raise AdapterMistake(f"the adapter's {what} did not return within {seconds:g} s")
    return result[0]


def kind_of(value: Any) -> str:
    """`a list`, `an int`: what a value is, without running code of its class."""
    name = class_name(value)
    return f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"
