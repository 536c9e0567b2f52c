"""Kinds that raise exceptions which are hostile themselves: their text, their class, their causes."""

from typing import Any

from agent_conformance import AgentError, Cancelled, CannotRestore
from tests.hostile.right_agent import Right, hang, kind


class Raising(Right):
    """Raises something after its first request."""

    def error(self) -> BaseException:
        return ValueError("a bug")

    def send(self, message: str) -> Any:
        if self.is_hostile:
            self.messages.append({"role": "user", "content": message})
            self.request()
            raise self.error()
        return super().send(message)


class TextHangs(Exception):
    __str__ = hang  # type: ignore[assignment]


class TextExits(Exception):
    def __str__(self) -> str:
        raise SystemExit(0)


class TextInterrupts(Exception):
    def __str__(self) -> str:
        raise KeyboardInterrupt


class TextIsNone(Exception):
    def __str__(self) -> str:
        return None  # type: ignore[return-value]  # noqa: PLE0307


class TextRaisesItself(Exception):
    def __str__(self) -> str:
        raise self


@kind("failed", "send did not return within", when="daily")
class RaisesWithATextThatHangs(Raising):
    def error(self) -> BaseException:
        return TextHangs()


@kind("failed", "TextExits: (it has no text: its __str__ fails)", when="daily")
class RaisesWithATextThatExits(Raising):
    def error(self) -> BaseException:
        return TextExits()


@kind("failed", "TextInterrupts: (it has no text: its __str__ fails)", when="daily")
class RaisesWithATextThatInterrupts(Raising):
    def error(self) -> BaseException:
        return TextInterrupts()


@kind("failed", "TextInterrupts: (it has no text: its __str__ fails)", options=("-n", "2"))
class RaisesWithATextThatInterruptsInAWorker(RaisesWithATextThatInterrupts): ...


@kind("failed", "TextIsNone: (it has no text: its __str__ fails)")
class RaisesWithoutText(Raising):
    def error(self) -> BaseException:
        return TextIsNone()


@kind("failed", "TextRaisesItself: (it has no text: its __str__ fails)")
class RaisesWithATextThatRaisesIt(Raising):
    def error(self) -> BaseException:
        return TextRaisesItself()


@kind("failed", "ControlledHangs")
class GivesUpWithATextThatHangs(Raising):
    def error(self) -> BaseException:
        return type("ControlledHangs", (AgentError,), {"__str__": lambda self: "ok"})()

    def send(self, message: str) -> Any:
        if self.is_hostile:
            raise type("ControlledHangs", (ValueError,), {"__str__": lambda self: "text"})
        return super().send(message)


@kind("error", "the adapter's __init__ did not return within")
class InitRaisesWithATextThatHangs(Right):
    def __init__(self, setup: Any) -> None:
        super().__init__(setup)
        if self.is_hostile:
            raise TextHangs


@kind("error", "the adapter's __init__ raised TextExits")
class InitRaisesWithATextThatExits(Right):
    def __init__(self, setup: Any) -> None:
        super().__init__(setup)
        if self.is_hostile:
            raise TextExits


@kind("error", "the adapter's close did not return within")
class CloseRaisesWithATextThatHangs(Right):
    def close(self) -> None:
        if self.is_hostile:
            raise TextHangs


@kind("error", "the adapter's close raised TextInterrupts")
class CloseRaisesWithATextThatInterrupts(Right):
    def close(self) -> None:
        if self.is_hostile:
            raise TextInterrupts


class WithoutReason(CannotRestore):
    def __init__(self) -> None: ...


class WithOddReason(CannotRestore):
    def __init__(self) -> None:
        super().__init__(7)  # type: ignore[arg-type]


class WithHangingReason(CannotRestore):
    def __init__(self) -> None: ...

    @property
    def reason(self) -> str:
        return str(hang())


@kind("not verified", "cannot restore the history", when="daily")
class CannotRestoreWithoutReason(Right):
    def __init__(self, setup: Any) -> None:
        super().__init__(setup)
        if self.is_hostile:
            raise WithoutReason


@kind("not verified", "cannot restore the history: 7")
class CannotRestoreWithOddReason(Right):
    def __init__(self, setup: Any) -> None:
        super().__init__(setup)
        if self.is_hostile:
            raise WithOddReason


@kind("error", "the adapter's __init__ did not return within")
class CannotRestoreWithAHangingReason(Right):
    def __init__(self, setup: Any) -> None:
        super().__init__(setup)
        if self.is_hostile:
            raise WithHangingReason


@kind("not verified", "cannot restore the history")
class CannotRestoreInSend(Raising):
    def error(self) -> BaseException:
        return WithoutReason()


class Cyclic(ExceptionGroup[Exception]):
    @property
    def exceptions(self) -> Any:
        return (self,)


class Empty(ExceptionGroup[Exception]):
    exceptions = ()  # type: ignore[assignment]


class GroupHangs(ExceptionGroup[Exception]):
    exceptions = property(hang)  # type: ignore[assignment]


@kind("failed", "Cyclic", when="daily")
class RaisesACyclicGroup(Raising):
    def error(self) -> BaseException:
        return Cyclic("round", [ValueError("a bug")])


@kind("failed", "Empty")
class RaisesAnEmptyGroup(Raising):
    def error(self) -> BaseException:
        return Empty("nothing", [ValueError("a bug")])


@kind("failed", "GroupHangs: nothing (1 sub-exception)")
class RaisesAGroupThatHangs(Raising):
    def error(self) -> BaseException:
        return GroupHangs("nothing", [ValueError("a bug")])


@kind("failed", "ExceptionGroup")
class RaisesADeepGroup(Raising):
    def error(self) -> BaseException:
        error: Exception = ValueError("a bug")
        for _ in range(5000):
            error = ExceptionGroup("deep", [error])
        return error


@kind("failed", "ValueError: a bug")
class RaisesWithCausesInACircle(Raising):
    def error(self) -> BaseException:
        one, other = ValueError("a bug"), KeyError("other")
        one.__cause__, other.__cause__ = other, one
        return one


class IsEverything(Exception):
    """Says that it is whatever it is compared with."""

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        return hang()


@kind("failed", "send did not return within")
class RaisesWithAClassThatHangs(Raising):
    def error(self) -> BaseException:
        return IsEverything("a bug")


class NoName(type):
    @property
    def __name__(cls) -> str:  # type: ignore[override]
        raise SystemExit

    @property
    def __module__(cls) -> str:  # type: ignore[override]
        raise SystemExit


@kind("failed", "Odd")
class RaisesWithAClassWithoutAName(Raising):
    def error(self) -> BaseException:
        return NoName("Odd", (Exception,), {})("a bug")


class Traced(Exception):
    @property
    def agent_traceback(self) -> str:
        return str(hang())


@kind("failed", "send did not return within")
class RaisesWithATraceThatHangs(Raising):
    def error(self) -> BaseException:
        return Traced("a bug")


class Equal(Exception):
    def __eq__(self, other: object) -> bool:
        raise SystemExit

    __hash__ = None  # type: ignore[assignment]


@kind("failed", "Equal: a bug")
class RaisesWithHostileEquality(Raising):
    def error(self) -> BaseException:
        error = Equal("a bug")
        error.__cause__ = Equal("another")
        return error


@kind("failed", "Cancelled")
class RaisesCancelledWithoutCancel(Raising):
    def error(self) -> BaseException:
        return type("Uncontrolled", (ValueError,), {})(Cancelled("no"))


@kind("failed", "RecursionError")
class Recurses(Raising):
    def error(self) -> BaseException:
        return self.error()


@kind("failed", "RuntimeError: xx")
class RaisesAHugeText(Raising):
    def error(self) -> BaseException:
        return RuntimeError("x" * 20_000_000)


@kind("failed", "KeyboardInterrupt")
class RaisesKeyboardInterrupt(Raising):
    def error(self) -> BaseException:
        return KeyboardInterrupt()


@kind("failed", "SystemExit")
class RaisesSystemExit(Raising):
    def error(self) -> BaseException:
        return SystemExit(0)


@kind("failed", "GeneratorExit")
class RaisesGeneratorExit(Raising):
    def error(self) -> BaseException:
        return GeneratorExit()
