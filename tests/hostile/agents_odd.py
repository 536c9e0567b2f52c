"""Kinds that are odd in one more way each: what Python lets a program do to itself, and to what it is given."""

import asyncio
import builtins
import codecs
import contextlib
import ctypes
import decimal
import faulthandler
import fcntl
import gc
import io
import itertools
import linecache
import logging
import mmap
import multiprocessing
import os
import pty
import random
import resource
import signal
import site
import socket
import sys
import tempfile
import threading
import tracemalloc
import types
import warnings
import weakref
from pathlib import Path
from typing import Any, ClassVar

from agent_conformance import Setup
from tests.hostile.agents_exits import Ending
from tests.hostile.agents_patches import broken
from tests.hostile.right_agent import Right, hang
from tests.hostile.right_agent import weekly_kind as kind

BROKEN = "the agent left the process broken"


@kind("error", BROKEN)
class ShadowsABuiltinInOurModules(Ending):
    """A name of a module is looked up before that of `builtins`."""

    def end(self) -> None:
        for name in ("json", "re", "inspect", "threading", "queue"):
            vars(sys.modules[name])["len"] = broken


@kind("passed")
class FillsTheLineCache(Ending):
    def end(self) -> None:
        linecache.cache = {self.__module__: ()}  # type: ignore[dict-item, assignment]


@kind("passed")
class TracesMemory(Ending):
    def end(self) -> None:
        tracemalloc.start(25)


@kind("passed")
class DisablesTheCollector(Ending):
    def end(self) -> None:
        gc.disable()
        gc.set_threshold(0)


@kind("passed")
class CollectsAtEveryObject(Ending):
    def end(self) -> None:
        gc.set_threshold(1, 1, 1)


@kind("passed")
class SwitchesThreadsAllTheTime(Ending):
    def end(self) -> None:
        sys.setswitchinterval(1e-6)


@kind("passed")
class HasATinyStack(Ending):
    def end(self) -> None:
        threading.stack_size(32 * 1024)


@kind("passed")
class SeedsChance(Ending):
    def end(self) -> None:
        random.seed(0)


@kind("passed")
class CalculatesWithOneDigit(Ending):
    def end(self) -> None:
        decimal.setcontext(decimal.Context(prec=1, traps=[decimal.Inexact, decimal.Rounded]))


@kind("passed")
class RegistersACodecForUtf8(Ending):
    def end(self) -> None:
        codecs.register(lambda name: None)
        codecs.register_error("strict2", hang)


@kind("passed")
class ChangesTheCharacterOfPaths(Ending):
    def end(self) -> None:
        os.altsep = "\\"  # type: ignore[assignment]


@kind("passed")
class MakesTheTemporaryFolderNothing(Ending):
    def end(self) -> None:
        tempfile.tempdir = "/nowhere/at/all"


@kind("passed")
class StandsInAFolderOfNobody(Ending):
    def end(self) -> None:
        folder = tempfile.mkdtemp()
        os.chdir(folder)
        os.chmod(folder, 0)


@kind("passed")
class LocksItsOwnOutput(Ending):
    def end(self) -> None:
        for number in (1, 2):
            with contextlib.suppress(OSError):
                fcntl.flock(number, fcntl.LOCK_EX)


@kind("passed")
class MakesStandardStreamsNonBlocking(Ending):
    def end(self) -> None:
        for number in (0, 1, 2):
            os.set_blocking(number, False)


@kind("passed")
class ClosesTheStreamObjects(Ending):
    def end(self) -> None:
        for stream in (sys.__stdin__, sys.stdout, sys.stderr):
            if stream is not None:
                stream.close()


@kind("passed")
class WritesThroughACharacterLess(Ending):
    def end(self) -> None:
        sys.stdout = io.TextIOWrapper(io.BytesIO(), encoding="ascii", errors="strict")


@kind("passed")
class OpensATerminal(Ending):
    def end(self) -> None:
        self.ends = pty.openpty()
        os.dup2(self.ends[1], 0)


@kind("passed")
class ForksAndLeavesAZombie(Ending):
    def end(self) -> None:
        if os.fork() == 0:
            os._exit(7)


@kind("passed")
class StartsAPoolOfProcesses(Ending):
    def end(self) -> None:
        self.pool = multiprocessing.get_context("fork").Pool(1)
        self.pool.apply(int)
        self.pool.terminate()


@kind("passed")
class IgnoresItsChildren(Ending):
    def end(self) -> None:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGCHLD, signal.SIG_IGN)


@kind("passed")
class BlocksAllSignals(Ending):
    def end(self) -> None:
        signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())


@kind("passed")
class LowersItsPriority(Ending):
    def end(self) -> None:
        os.nice(1)


@kind("passed")
class MayHaveNoCore(Ending):
    def end(self) -> None:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


@kind("passed")
class MapsMemoryForNothing(Ending):
    kept: ClassVar[list[mmap.mmap]] = []

    def end(self) -> None:
        self.kept += [mmap.mmap(-1, 1 << 30) for _ in range(20)]


@kind("passed")
class UsesUpSmallDescriptors(Ending):
    kept: ClassVar[list[int]] = []

    def end(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                self.kept.append(os.dup(0))
        for number in self.kept[-30:]:
            os.close(number)
        del self.kept[-30:]


@kind("passed")
class ListensWhereWeMay(Ending):
    kept: ClassVar[list[socket.socket]] = []

    def end(self) -> None:
        self.kept += [socket.create_server(("127.0.0.1", 0)) for _ in range(50)]


@kind("passed")
class RunsALoopOfItsOwnForEver(Ending):
    def end(self) -> None:
        threading.Thread(target=asyncio.new_event_loop().run_forever, daemon=True).start()


@kind("passed")
class RaisesInItsWeakReferences(Ending):
    def end(self) -> None:
        def gone(reference: object) -> None:
            raise RuntimeError("gone")

        self.reference = weakref.ref(types.ModuleType("gone"), gone)


@kind("passed")
class WarnsInAHook(Ending):
    def end(self) -> None:
        warnings.showwarning = hang


@kind("passed")
class DumpsAllThreadsLater(Ending):
    def end(self) -> None:
        faulthandler.dump_traceback_later(0.01, exit=False, file=sys.__stderr__)


@kind("passed")
class DisablesAllLogs(Ending):
    def end(self) -> None:
        logging.shutdown()
        logging.Logger.manager.loggerDict.clear()


@kind("passed")
class AddsAFolderOfAllModules(Ending):
    def end(self) -> None:
        folder = Path(tempfile.mkdtemp())
        folder.joinpath("difflib.py").write_text("raise RuntimeError('not the one')\n")
        site.addsitedir(str(folder))
        sys.path.insert(0, str(folder))


@kind("passed")
class EditsItsScenarioFile(Ending):
    def end(self) -> None:
        for path in Path("scenarios").rglob("*.yaml"):
            path.write_text("[")


@kind("passed")
class ChangesConstantsOfIntegers(Ending):
    """What is cached of an interpreter is writable in C; here it is written as it was."""

    def end(self) -> None:
        ctypes.memmove(id(7), bytes(ctypes.string_at(id(7), 8)), 8)


@kind("passed")
class DeletesItsOwnModule(Ending):
    def end(self) -> None:
        sys.modules.pop(self.__module__, None)


@kind("passed")
class HidesTheNameOfMain(Ending):
    def end(self) -> None:
        sys.modules["__main__"] = types.ModuleType("nobody")


@kind("error", BROKEN)
class DeletesABuiltin(Ending):
    def end(self) -> None:
        del builtins.len


@kind("passed")
class IsOneInstanceForAll(Right):
    """Made once, and begun anew for each case."""

    only: ClassVar[Any] = None

    def __new__(cls, setup: Setup) -> Any:
        if cls.only is None:
            cls.only = super().__new__(cls)
        return cls.only


@kind("passed")
class HoldsAGreatGraph(Right):
    """Its members are searched for keys."""

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        if self.is_hostile:
            self.graph: dict[str, Any] = {}
            for number in range(50_000):
                self.graph = {"next": self.graph, f"key{number}": [self.graph] * 3}


@kind("passed")
class HoldsWhatIsNoMember(Right):
    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        if self.is_hostile:
            vars(self)["7"] = itertools.count()
            vars(self)["api_key"] = LazyText()


class LazyText:
    def __getattribute__(self, name: str) -> Any:
        raise RuntimeError(name)


@kind("passed")
class EmptiesItsTools(Right):
    def close(self) -> None:
        if self.is_hostile:
            for tool in self.setup.tools:
                with contextlib.suppress(TypeError, AttributeError):
                    tool.parameters.clear()
            with contextlib.suppress(TypeError, AttributeError):
                self.setup.tools.clear()  # type: ignore[attr-defined]


@kind("passed")
class DeletesAllThatItHas(Ending):
    def end(self) -> None:
        messages, setup = self.messages, self.setup
        vars(self).clear()
        self.messages, self.setup, self.is_hostile = messages, setup, False
