"""Kinds that break what the suite and pytest itself call, for good: the next case and the summary do not need it."""

import builtins
import json
import os
import re
import shutil
import tempfile
from pathlib import Path
from typing import Any, ClassVar

from tests.hostile.agents_exits import Ending
from tests.hostile.right_agent import Right, kind
from tests.hostile.right_agent import weekly_kind as once_a_week


def broken(*arguments: object, **more: object) -> Any:
    raise RuntimeError("patched")


class Breaking(Ending):
    owner: ClassVar[Any] = json
    names: ClassVar[tuple[str, ...]] = ()

    def end(self) -> None:
        for name in self.names:
            setattr(self.owner, name, broken)


@kind("passed")
class BreaksJson(Breaking):
    """At its close, when the fake needs it no more."""

    names = ("dump", "dumps", "load", "loads")

    def send(self, message: str) -> Any:
        return Right.send(self, message)

    def close(self) -> None:
        if self.is_hostile:
            self.end()


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
