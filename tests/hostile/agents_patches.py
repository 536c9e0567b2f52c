"""Kinds that break what the suite and pytest itself call, for good: the next case and the summary do not need it."""

import builtins
import contextlib
import gc
import json
import os
import re
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, ClassVar

from tests.hostile.agents_exits import Ending
from tests.hostile.right_agent import Right, kind
from tests.hostile.right_agent import weekly_kind as once_a_week

BROKEN = "the agent left the process broken"


def broken(*arguments: object, **more: object) -> Any:
    raise RuntimeError("patched")


class Breaking(Ending):
    owner: ClassVar[Any] = json
    names: ClassVar[tuple[str, ...]] = ()

    def end(self) -> None:
        for name in self.names:
            setattr(self.owner, name, broken)


@kind("failed", "crash: RuntimeError: patched", when="daily")
class BreaksJson(Breaking):
    names = ("dump", "dumps", "load", "loads")


@kind("passed")
class BreaksJsonAtItsClose(BreaksJson):
    """When the fake needs it no more."""

    def send(self, message: str) -> Any:
        return Right.send(self, message)

    def close(self) -> None:
        if self.is_hostile:
            self.end()


@kind("error", f"{BROKEN}: it replaced builtins.len")
class BreaksLen(Breaking):
    owner = builtins
    names = ("len",)


@once_a_week("error", BROKEN)
class BreaksTypes(Breaking):
    owner = builtins
    names = ("str", "type", "isinstance")


@kind("error", BROKEN, options=("--agent-transport=socket",))
class BreaksTheServer(Breaking):
    """The thread that serves the fakes ends; the next case has another at the same address."""

    owner = builtins
    names = ("hasattr", "setattr")


@once_a_week("error", BROKEN)
class BreaksTime(Breaking):
    owner = time
    names = ("monotonic", "time", "perf_counter")


@once_a_week("error", "The agent left the process broken: it replaced os.")
class BreaksTheSystem(Breaking):
    """It does not fail by itself: its second turn does not begin."""

    owner = os
    names = ("getcwd", "getpid", "listdir")


@once_a_week("error", BROKEN)
class BreaksTheCollector(Breaking):
    owner = gc
    names = ("collect", "freeze", "isenabled", "disable", "enable")


@kind("passed")
class ReplacesTheEnvironment(Ending):
    def end(self) -> None:
        vars(os)["environ"] = None


@kind("passed")
class ForgetsAllModules(Ending):
    def end(self) -> None:
        sys.modules.clear()


@kind("passed")
class HidesAnInheritedMethod(Ending):
    """`Path` has it from `PurePath`, and now one of its own."""

    def end(self) -> None:
        Path.__truediv__ = broken  # type: ignore[method-assign]


@kind("passed", when="daily")
class ClosesAllDescriptors(Ending):
    def end(self) -> None:
        os.closerange(0, 1024)


@kind("passed")
class ClosesEachDescriptor(Ending):
    def end(self) -> None:
        for number in range(1024):
            with contextlib.suppress(OSError):
                os.close(number)


@kind("passed")
class ClosesStandardStreamsInC(Ending):
    def end(self) -> None:
        for number in (0, 1, 2):
            with contextlib.suppress(OSError), open(number, "rb"):
                pass


@kind("passed")
class ClosesDescriptorsInAChild(Ending):
    """As a program that becomes a daemon: there all of them are closed."""

    def end(self) -> None:
        if (child := os.fork()) == 0:
            os.closerange(0, 1024)
            try:
                os.fstat(1)
            except OSError:
                os._exit(0)
            os._exit(1)
        assert os.waitpid(child, 0)[1] == 0


@kind("passed")
class BreaksOpen(Breaking):
    owner = builtins
    names = ("open",)


@kind("passed")
class BreaksRegularExpressions(Breaking):
    owner = re
    names = ("compile", "match", "search", "sub")


@once_a_week("passed", options=("--snapshot-update",))
class BreaksFiles(Breaking):
    owner = os
    names = ("open", "replace", "write", "scandir", "stat")


@once_a_week("passed", options=("--snapshot-update",))
class BreaksPaths(Breaking):
    owner = Path
    names = ("open", "read_bytes", "read_text", "write_bytes", "write_text", "exists", "mkdir")


@once_a_week("passed")
class BreaksFoldersOfCases(Breaking):
    owner = tempfile
    names = ("mkdtemp",)


@once_a_week("passed")
class BreaksTheRemovalOfFolders(Breaking):
    owner = shutil
    names = ("rmtree",)


@once_a_week("passed")
class BreaksPrint(Breaking):
    owner = builtins
    names = ("print",)


@once_a_week("passed")
class BreaksImports(Breaking):
    owner = builtins
    names = ("__import__",)


@once_a_week("passed", options=("--agent-isolate",))
class BreaksOpenIsolated(BreaksOpen): ...


@once_a_week("passed", options=("-n", "2"), exit=0)
class BreaksOpenInAWorker(BreaksOpen): ...
