"""Kinds in a process of their own: what ends, stops or spoils that process is the verdict of its case alone."""

import ctypes
import faulthandler
import gc
import json
import os
import resource
import signal
import socket
import sys
import threading
import time
from typing import Any

import httpx2

from tests.hostile import (
    agents_errors,
    agents_exits,
    agents_finalisers,
    agents_members,
    agents_replies,
    agents_texts,
    agents_tools,
    agents_traffic,
)
from tests.hostile.agents_exits import Ending
from tests.hostile.right_agent import Right, hang
from tests.hostile.right_agent import weekly_kind as kind

ISOLATED = ("--agent-isolate",)
DIED = "ProcessDied"
HANGS = "did not return within"


@kind("failed", f"{DIED}: the agent's process exited with 0", options=ISOLATED, when="daily")
class ExitsInC(agents_exits.ExitsInC): ...


@kind("failed", DIED, options=ISOLATED)
class KillsItself(agents_exits.KillsItself): ...


@kind("failed", DIED, options=(*ISOLATED, "-n", "2"), exit=1)
class KillsItselfInAWorker(agents_exits.KillsItself): ...


@kind("failed", DIED, options=(*ISOLATED, "--agent-transport=socket"))
class KillsItselfOnASocket(agents_exits.KillsItself): ...


@kind("failed", DIED, options=ISOLATED)
class Aborts(agents_exits.Aborts): ...


@kind("failed", DIED, options=ISOLATED)
class Segfaults(Ending):
    def end(self) -> None:
        ctypes.string_at(0)


@kind("failed", DIED, options=ISOLATED)
class EndsInItsOwnTimer(Ending):
    """A thread in C ends the process while Python hangs."""

    def end(self) -> None:
        faulthandler.dump_traceback_later(0.2, exit=True, file=open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
        hang()


@kind("failed", DIED, options=ISOLATED)
class IsAlarmed(Ending):
    def end(self) -> None:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        hang()


@kind("failed", HANGS, options=ISOLATED, when="daily")
class StopsItself(Ending):
    """With SIGSTOP: it is neither gone nor running."""

    def end(self) -> None:
        os.kill(os.getpid(), signal.SIGSTOP)
        hang()  # this thread may go on for a moment


@kind("failed", HANGS, options=ISOLATED)
class HoldsTheLockOfPython(Ending):
    def end(self) -> None:
        ctypes.PyDLL(None).sleep(3600)


@kind("failed", HANGS, options=ISOLATED)
class BlocksAllSignals(Ending):
    def end(self) -> None:
        signal.pthread_sigmask(signal.SIG_SETMASK, range(1, 65))
        hang()


@kind("failed", DIED, options=ISOLATED)
class EndsItsGroup(Ending):
    def end(self) -> None:
        os.killpg(0, signal.SIGKILL)


@kind("failed", DIED, options=ISOLATED)
class ClosesAllFiles(Ending):
    def end(self) -> None:
        os.closerange(3, 4096)


@kind("failed", options=ISOLATED)
class WritesIntoAllFiles(Ending):
    """Also into those between it and the suite."""

    def end(self) -> None:
        for number in range(3, 50):
            try:
                os.write(number, b"\x00garbage\n" * 100)
            except OSError:
                continue


@kind("failed", "MemoryError", options=ISOLATED)
class HasNoMemory(Ending):
    def end(self) -> None:
        resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
        self.kept = bytearray(1 << 31)


@kind("failed", options=ISOLATED)
class MayOpenNoFile(Ending):
    def end(self) -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (3, 3))
        open(__file__, encoding="utf-8")  # noqa: SIM115


@kind("failed", options=ISOLATED)
class OverflowsItsStack(Ending):
    def end(self) -> None:
        sys.setrecursionlimit(10**9)
        deep: Any = []
        for _ in range(1_000_000):
            deep = [deep]
        repr(deep)


@kind("failed", DIED, options=ISOLATED)
class PatchesEverything(Ending):
    """Also what its own process needs to speak with the suite."""

    def end(self) -> None:
        json.dumps = json.loads = time.sleep = httpx2.Client.send = None  # type: ignore[assignment, method-assign]


@kind("passed", options=ISOLATED)
class ForgetsItsModules(Ending):
    def end(self) -> None:
        for name in [name for name in sys.modules if name.startswith(("agent_conformance", "fake_providers", "json"))]:
            del sys.modules[name]
        sys.path.clear()
        sys.meta_path.clear()


@kind("passed", options=ISOLATED)
class LeavesThreadsAndChildren(Ending):
    def end(self) -> None:
        for _ in range(20):
            threading.Thread(target=time.sleep, args=(3600,)).start()
            if os.fork() == 0:
                time.sleep(3600)


@kind("passed", options=ISOLATED)
class SwitchesGarbageCollectionOff(Ending):
    def end(self) -> None:
        gc.disable()
        gc.set_threshold(0)


@kind("passed", options=ISOLATED)
class ListensOnAPort(Ending):
    def end(self) -> None:
        self.left = socket.create_server(("127.0.0.1", 0))


@kind("failed", HANGS, options=ISOLATED)
class TextHangs(agents_errors.RaisesWithATextThatHangs): ...


@kind("failed", options=ISOLATED)
class GroupIsDeep(agents_errors.RaisesADeepGroup): ...


@kind("error", HANGS, options=ISOLATED)
class SideRequestHangs(agents_members.SideRequestHangs): ...


@kind("error", "tool_names", options=ISOLATED)
class ToolNamesIsAList(agents_members.ToolNamesIsList): ...


@kind("passed", options=ISOLATED)
class GarbageHangs(agents_finalisers.GarbageHangs): ...


@kind("failed", "characters in one turn", options=ISOLATED)
class YieldsForEver(agents_replies.YieldsForEver): ...


@kind("failed", HANGS, options=ISOLATED)
class BlocksItsLoop(agents_replies.BlocksItsLoop): ...


@kind("failed", HANGS, options=ISOLATED)
class LogRecordHangs(agents_texts.LogRecordHangs): ...


@kind("failed", options=ISOLATED)
class CodeIsAFifo(agents_texts.CrashesInCodeOfAFifo): ...


@kind("failed", options=ISOLATED)
class ArgumentsAreCyclic(agents_tools.ArgumentsAreCyclic): ...


@kind("failed", options=ISOLATED)
class CallsThousandsOfTimes(agents_tools.CallsThousandsOfTimes): ...


@kind("failed", "413", options=ISOLATED)
class SendsAnEndlessBody(agents_traffic.SendsAnEndlessBody): ...


@kind("failed", "413", options=ISOLATED)
class SendsAGzipBomb(agents_traffic.SendsAGzipBomb): ...


@kind("passed", options=ISOLATED)
class LeavesThreadsThatSend(agents_traffic.LeavesThreadsThatSend): ...


@kind("failed", "192.0.2.1", options=ISOLATED)
class ConnectsToAForeignAddress(agents_traffic.ConnectsToAForeignAddress): ...


@kind("failed", options=("-n", "2"), exit=1)
class SegfaultsInAWorker(Segfaults): ...


@kind("failed", options=("-n", "2"), exit=1)
class HangsInAWorker(Ending):
    end = hang


@kind("passed", "ended in the middle of area/boom@openai-chat+plain", exit=-signal.SIGSEGV)
class SegfaultsInProcess(Segfaults): ...


@kind("passed", "ended in the middle of area/boom@openai-chat+plain", exit=-signal.SIGALRM)
class IsAlarmedInProcess(IsAlarmed): ...


@kind("passed", options=("--agent-transport=socket", "-n", "2"), exit=0)
class IsRightOnASocketInWorkers(Right): ...
