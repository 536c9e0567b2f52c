"""Kinds that end the process, or try to, or keep it from ending."""

import _thread
import atexit
import contextlib
import ctypes
import os
import posix
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from os import _exit as exit_at_once
from typing import Any

from tests.hostile.right_agent import Right, hang, kind

SAYS = "the agent ended its process"


class Ending(Right):
    def end(self) -> Any: ...

    def send(self, message: str) -> Any:
        reply = super().send(message)
        if self.is_hostile:
            self.end()
        return reply


@kind("failed", SAYS, when="daily")
class Exits(Ending):
    def end(self) -> None:
        os._exit(0)


@kind("failed", SAYS, options=("-n", "2"))
class ExitsInAWorker(Exits): ...


@kind("failed", SAYS)
class ExitsByAnotherName(Ending):
    def end(self) -> None:
        exit_at_once(0)


@kind("failed", SAYS)
class ExitsByPosix(Ending):
    def end(self) -> None:
        posix._exit(0)


@kind("failed", SAYS)
class ExitsAndCatchesAll(Ending):
    def end(self) -> None:
        with contextlib.suppress(BaseException):
            os._exit(0)


@kind("failed", SAYS)
class ExitsInAThread(Ending):
    def end(self) -> None:
        thread = threading.Thread(target=os._exit, args=(0,))
        thread.start()
        thread.join()


@kind("failed", SAYS)
class ExitsInAPool(Ending):
    def end(self) -> None:
        with ThreadPoolExecutor(1) as pool:
            pool.submit(os._exit, 0)


@kind("failed", SAYS)
class ExitsInACoroutine(Ending):
    async def send(self, message: str) -> Any:
        reply = Right.send(self, message)
        if self.is_hostile:
            os._exit(0)
        return reply


@kind("error", SAYS)
class ExitsInInit(Right):
    def __init__(self, setup: Any) -> None:
        super().__init__(setup)
        if self.is_hostile:
            os._exit(0)


@kind("error", SAYS)
class ExitsInClose(Right):
    def close(self) -> None:
        if self.is_hostile:
            os._exit(0)


@kind("failed", SAYS)
class ExitsInSideRequest(Right):
    def side_request(self, body: Any) -> bool:
        if self.is_hostile:
            os._exit(0)
        return False


@kind("passed")
class ForksAChildThatExits(Ending):
    def end(self) -> None:
        if (child := os.fork()) == 0:
            os._exit(7)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7


@kind("passed")
class ForksAChildThatReturns(Ending):
    def end(self) -> None:
        if child := os.fork():
            os.waitpid(child, 0)


@kind("failed", "SystemExit")
class CallsSysExit(Ending):
    def end(self) -> None:
        sys.exit(0)


@kind("passed")
class AtexitHangs(Ending):
    def end(self) -> None:
        atexit.register(hang)


@kind("passed")
class AtexitExitsWithNought(Ending):
    def end(self) -> None:
        atexit.register(os._exit, 0)


@kind("passed")
class AtexitExitsInC(Ending):
    def end(self) -> None:
        atexit.register(_libc_exit)


@kind("passed")
class AtexitBecomesAnotherProgram(Ending):
    def end(self) -> None:
        atexit.register(os.execv, "/bin/false", ["false"])


@kind("passed")
class EndsBeforeAtexit(Ending):
    """What `threading` calls at the end comes before `atexit`."""

    def end(self) -> None:
        threading._register_atexit(os._exit, 7)  # type: ignore[attr-defined]


@kind("failed", SAYS)
class EndsBeforeAtexitAfterAFinding(Ending):
    def end(self) -> None:
        threading._register_atexit(os._exit, 0)  # type: ignore[attr-defined]
        os._exit(0)


def _after_the_main_thread() -> None:
    threading.main_thread().join()
    os._exit(0)


@kind("failed", SAYS)
class EndsAfterTheMainThread(Ending):
    def end(self) -> None:
        threading.Thread(target=_after_the_main_thread).start()
        os._exit(0)


@kind("failed", "send did not return within")
class HangsAndSoDoesItsAtexit(Ending):
    def end(self) -> None:
        atexit.register(hang)
        hang()


@kind("passed")
class ThreadNeverEnds(Ending):
    def end(self) -> None:
        threading.Thread(target=hang, daemon=False).start()


@kind("passed")
class PoolNeverEnds(Ending):
    def end(self) -> None:
        ThreadPoolExecutor(1).submit(hang)


@kind("passed")
class ChildNeverEnds(Ending):
    def end(self) -> None:
        subprocess.Popen(["sleep", "20"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)


# Another program in place of this one: a reloader, a launcher, a restart under another interpreter.


@kind("failed", SAYS, when="daily")
class BecomesAnotherProgram(Ending):
    def end(self) -> None:
        os.execv(sys.executable, [sys.executable, "-c", "pass"])


@kind("failed", SAYS)
class BecomesAProgramOfThePath(Ending):
    def end(self) -> None:
        os.execvpe("true", ["true"], {**os.environ})


@kind("failed", SAYS)
class BecomesAProgramInAThread(Ending):
    def end(self) -> None:
        thread = threading.Thread(target=os.execlp, args=("true", "true"))
        thread.start()
        thread.join()


@kind("failed", SAYS)
class BecomesAProgramByPosix(Ending):
    def end(self) -> None:
        posix.execve("/bin/true", ["true"], {})


@kind("failed", SAYS)
class BecomesAProgramInC(Ending):
    def end(self) -> None:
        ctypes.CDLL(None).execv(b"/bin/true", None)


@kind("passed")
class LooksForAProgramThatIsNotThere(Ending):
    def end(self) -> None:
        with contextlib.suppress(FileNotFoundError):
            os.execv("/no/such/program", ["program"])
        with contextlib.suppress(FileNotFoundError):
            os.execvp("no-such-program", ["program"])


@kind("passed")
class ForksAChildThatBecomesAProgram(Ending):
    def end(self) -> None:
        if (child := os.fork()) == 0:
            os.execlp("false", "false")
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 1


@kind("failed", "ProcessDied", options=("--agent-isolate",))
class BecomesAnotherProgramIsolated(BecomesAnotherProgram): ...


@kind("failed", SAYS, options=("-n", "2"), exit=1)
class BecomesAnotherProgramInAWorker(BecomesAnotherProgram): ...


# What ends the process outside Python: the exit code is the system's, and a watcher names the case.


def _libc_exit() -> None:
    ctypes.CDLL(None)._exit(0)


def _system_call() -> None:
    """Of the kernel of x86-64 and of ARM."""
    ctypes.CDLL(None).syscall(231 if os.uname().machine == "x86_64" else 94, 0)


@kind("failed", SAYS)
class ExitsByCtypes(Ending):
    end = staticmethod(_libc_exit)  # type: ignore[assignment]


@kind("failed", SAYS)
class ExitsByCtypesInAThread(Ending):
    def end(self) -> None:
        thread = threading.Thread(target=_libc_exit)
        thread.start()
        thread.join()


@kind("passed", "ended in the middle of area/boom@openai-chat+plain", exit=0)
class ExitsInC(Ending):
    end = staticmethod(_system_call)  # type: ignore[assignment]


@kind("passed", "ended in the middle of area/boom@openai-chat+plain", exit=-signal.SIGKILL)
class KillsItself(Ending):
    def end(self) -> None:
        os.kill(os.getpid(), signal.SIGKILL)


@kind("passed", "ended in the middle of area/boom@openai-chat+plain", exit=-signal.SIGABRT)
class Aborts(Ending):
    def end(self) -> None:
        os.abort()


@kind("failed", "area/boom@openai-chat+plain", options=("-n", "2"), exit=1)
class KillsItsWorker(KillsItself): ...


@kind("passed", "KeyboardInterrupt", exit=2)
class InterruptsTheRun(Ending):
    def end(self) -> None:
        _thread.interrupt_main()
        hang()


@kind("passed", "Terminated: SIGTERM", exit=143)
class TerminatesTheRun(Ending):
    def end(self) -> None:
        os.kill(os.getpid(), signal.SIGTERM)
        hang()
