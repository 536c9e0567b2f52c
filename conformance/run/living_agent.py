"""One instance of an agent in a case: its adapter, the thread on which it lives, and its end. Knows no scenario."""

import contextlib
from functools import partial
from typing import Any

from conformance.run.driver import GRACE, Driver
from conformance.run.life import Killed, Life


class LivingAgent:
    """`adapter` is None before its start and after its end. A killed one is kept until the case is over."""

    def __init__(self) -> None:
        self.driver = Driver()
        self.adapter: Any = None
        self.life = Life(partial(self.driver.leave_turn, Killed()))

    def end_process(self) -> None:
        """Kill the process of an agent that has one."""
        if (kill := getattr(self.adapter, "kill", None)) is not None:
            kill()

    def clear_away(self) -> None:
        """The case is over: let the code of a killed agent end, and close it as far as it lets itself be closed."""
        self.life.end()
        close = getattr(self.adapter, "close", None)
        if close is not None:
            self.driver.start(close).wait(2 * GRACE)
        with contextlib.suppress(RuntimeError):
            self.driver.close()
