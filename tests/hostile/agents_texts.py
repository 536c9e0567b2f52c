"""Kinds that are hostile where somebody reads about them: logs, warnings, tracebacks, locals, unraisable exceptions."""

import asyncio
import linecache
import logging
import os
import sys
import threading
import warnings
from typing import Any

from tests.hostile.agents_errors import Raising, TextHangs
from tests.hostile.agents_finalisers import Cycle, Leaving
from tests.hostile.right_agent import Right, hang
from tests.hostile.right_agent import weekly_kind as kind


class Unreadable:
    """Hangs whoever wants to show it."""

    __repr__ = __str__ = __format__ = hang  # type: ignore[assignment]


class RaisesWhenShown:
    def __repr__(self) -> str:
        raise SystemExit(0)


class Logging(Right):
    """Logs in every case, since a handler of the log has a lock."""

    def send(self, message: str) -> Any:
        if self.is_hostile:
            self.messages.append({"role": "user", "content": message})
            self.request()
            self.log()
        logging.getLogger("agent").warning("a line of the log")
        return super().send(message)

    def log(self) -> Any: ...


@kind("failed", "send did not return within", when="daily")
class LogRecordHangs(Logging):
    def log(self) -> None:
        logging.getLogger("agent").warning("%s", Unreadable())


@kind("failed", "SystemExit")
class LogRecordExits(Logging):
    def log(self) -> None:
        logging.getLogger("agent").warning("%s", RaisesWhenShown())


@kind("failed")
class LogRecordHasWrongArguments(Logging):
    """pytest fails a test for it: here its agent."""

    def log(self) -> None:
        logging.getLogger("agent").warning("%d", "seven")


class HostileHandler(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        hang()


@kind("failed", "send did not return within")
class LogHandlerHangs(Logging):
    def log(self) -> None:
        handler = HostileHandler()
        logging.getLogger("agent.hostile").addHandler(handler)
        logging.getLogger("agent.hostile").warning("a line of the log")


class HostileWarning(UserWarning):
    __str__ = hang  # type: ignore[assignment]


class ExitingWarning(UserWarning):
    def __str__(self) -> str:
        raise SystemExit(0)


@kind("failed", "send did not return within")
class WarnsWithATextThatHangs(Leaving):
    def leave(self) -> None:
        warnings.warn(HostileWarning(), stacklevel=1)


@kind("failed", "SystemExit")
class WarnsWithATextThatExits(Leaving):
    def leave(self) -> None:
        warnings.warn(ExitingWarning(), stacklevel=1)


@kind("passed")
class WarnsTenThousandTimes(Leaving):
    def leave(self) -> None:
        for number in range(10_000):
            warnings.warn(f"warning {number} {'x' * 100}", stacklevel=1)


@kind("passed")
class WarnsOfAPlaceThatIsNone(Leaving):
    def leave(self) -> None:
        warnings.warn_explicit("a warning", UserWarning, "/nowhere\x00", -1, registry={}, module="\x1b[31m")


@kind("passed", options=("-W", "error"))
class GarbageRaisesATextThatHangs(Leaving):
    def leave(self) -> None:
        class Hostile(Cycle):
            def __del__(self) -> None:
                raise TextHangs

            __repr__ = hang

        Hostile()


@kind("passed", options=("-W", "error"))
class ThreadRaisesATextThatHangs(Leaving):
    def leave(self) -> None:
        def fail() -> None:
            raise TextHangs

        thread = threading.Thread(target=fail)
        thread.start()
        thread.join(1)


@kind("passed", options=("-W", "error"))
class ThreadHasANameThatHangs(Leaving):
    def leave(self) -> None:
        class Named(threading.Thread):
            name = property(hang)  # type: ignore[assignment]

            def run(self) -> None:
                raise ValueError("a bug")

        thread = Named()
        thread.start()
        thread.join(1)


@kind("error", "it blocks its event loop")
class TaskRaisesATextThatHangs(Right):
    async def send(self, message: str) -> Any:
        async def fails() -> None:
            raise TextHangs

        if self.is_hostile:
            self.left = asyncio.ensure_future(fails())
            await asyncio.sleep(0)
        return super().send(message)


@kind("failed", "send did not return within")
class RaisesAKeyErrorOfAKeyThatHangs(Raising):
    def error(self) -> BaseException:
        return KeyError(Unreadable())


@kind("failed", "AttributeError")
class RaisesOfAnObjectWithoutAttributes(Raising):
    """Python looks among the attributes of the object for one with a similar name."""

    def error(self) -> BaseException:
        hostile = type("Hostile", (), {"__dir__": hang, "__getattribute__": hang})()
        return AttributeError("no such thing", name="thing", obj=hostile)


@kind("failed", "SyntaxError")
class RaisesAnOddSyntaxError(Raising):
    def error(self) -> BaseException:
        return SyntaxError("odd", (7, "x", -3, ["text"], 1e9, None))  # type: ignore[arg-type]


@kind("failed", "UnicodeDecodeError")
class RaisesAnOddUnicodeError(Raising):
    def error(self) -> BaseException:
        error = UnicodeDecodeError("utf-8", b"x", 0, 1, "odd")
        error.start, error.end = 10**9, -7
        return error


@kind("failed", "ValueError: a bug")
class RaisesWithHostileNotes(Raising):
    def error(self) -> BaseException:
        error = ValueError("a bug")
        error.__notes__ = Unreadable()  # type: ignore[assignment]
        return error


@kind("failed", "ValueError: a bug")
class RaisesWithNotesThatAreNoTexts(Raising):
    def error(self) -> BaseException:
        error = ValueError("a bug")
        error.__notes__ = [7, "\x1b[31mred\x00", "x" * 5_000_000]  # type: ignore[list-item]
        return error


@kind("failed", "ValueError: a bug", options=("--showlocals", "--tb=long"))
class CrashesBesideLocalsThatHang(Raising):
    def send(self, message: str) -> Any:
        hostile = Unreadable() if self.is_hostile else None
        assert hostile is None or self
        return super().send(message)


@kind("failed", "ValueError: a bug", options=("--tb=native", "-l"))
class CrashesBesideLocalsThatExit(Raising):
    def send(self, message: str) -> Any:
        hostile = RaisesWhenShown() if self.is_hostile else None
        assert hostile is None or self
        return super().send(message)


class Crashing(Right):
    """Crashes in code that was compiled with a name of its own, after its first request."""

    def source(self) -> tuple[str, dict[str, Any]]:
        return "<made up>", {}

    def send(self, message: str) -> Any:
        if self.is_hostile:
            self.messages.append({"role": "user", "content": message})
            self.request()
            name, names = self.source()
            exec(compile("raise ValueError('a bug')", name, "exec"), names)
        return super().send(message)


class HostileLoader:
    get_source = hang


@kind("failed", "send did not return within")
class CrashesInCodeWhoseLoaderHangs(Crashing):
    def source(self) -> tuple[str, dict[str, Any]]:
        return "made_up.py", {"__name__": "made_up", "__loader__": HostileLoader(), "__spec__": None}


@kind("failed", "send did not return within", when="daily")
class CrashesInCodeOfAFifo(Crashing):
    """Whoever opens it to show its line waits for a writer."""

    def source(self) -> tuple[str, dict[str, Any]]:
        fifo = self.setup.state_dir / "code.py"
        os.mkfifo(fifo)
        return str(fifo), {"__name__": "made_up"}


@kind("failed", "ValueError: a bug")
class CrashesInCodeOfNoFile(Crashing):
    def source(self) -> tuple[str, dict[str, Any]]:
        return "\x1b[31m/nowhere\n\u202e.py", {"__name__": 7, "__file__": Unreadable()}


@kind("failed", "ValueError: a bug")
class CrashesInCodeOfAFolder(Crashing):
    def source(self) -> tuple[str, dict[str, Any]]:
        return str(self.setup.state_dir), {}


@kind("failed", "ValueError: a bug")
class CrashesInCodeThatIsBinary(Crashing):
    def source(self) -> tuple[str, dict[str, Any]]:
        code = self.setup.state_dir / "code.py"
        code.write_bytes(b"# coding: nothing\n" + bytes(range(256)) * 10_000)
        return str(code), {}


@kind("failed", "ValueError: a bug")
class CrashesInCodeOfALineOfMegabytes(Crashing):
    def source(self) -> tuple[str, dict[str, Any]]:
        code = self.setup.state_dir / "code.py"
        code.write_text("x" * 20_000_000)
        return str(code), {}


@kind("failed", "ValueError: a bug")
class EmptiesTheCacheOfLines(Raising):
    def error(self) -> BaseException:
        linecache.cache.clear()
        linecache.cache[__file__] = (7, None, ["\x00"] * 9, "odd")  # type: ignore[assignment]
        return ValueError("a bug")


@kind("passed")
class PrintsMegabytes(Leaving):
    def leave(self) -> None:
        print("x" * 5_000_000, "\x1b[31m\x00\u202e" * 1000)
        sys.stderr.write("y" * 1_000_000)


@kind("passed")
class PrintsBytesThatAreNoText(Leaving):
    def leave(self) -> None:
        os.write(1, bytes(range(256)))
        os.write(2, b"\xff\xfe\x00" * 1000)


@kind("passed")
class ReplyIsFullOfControlCharacters(Right):
    def send(self, message: str) -> Any:
        reply = super().send(message)
        return f"{reply}\x1b[2J\x00\u202e\r\n\x07" if self.is_hostile else reply


@kind("passed")
class ReplyIsHalfACharacter(Right):
    def send(self, message: str) -> Any:
        reply = super().send(message)
        return f"{reply}\ud800" if self.is_hostile else reply
