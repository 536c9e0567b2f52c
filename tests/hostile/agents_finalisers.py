"""Kinds whose code runs when nobody calls it: finalisers, garbage, threads and tasks that were left behind."""

import asyncio
import gc
import threading
import time
from typing import Any

from tests.hostile.right_agent import TIMEOUT, Right, hang, kind


class Cycle:
    """Garbage that only a collection finds."""

    def __init__(self) -> None:
        self.itself = self
        self.ballast = [[] for _ in range(100)]


class HangingCycle(Cycle):
    __del__ = hang


class RaisingCycle(Cycle):
    def __del__(self) -> None:
        raise ValueError("out of __del__")


class ExitingCycle(Cycle):
    def __del__(self) -> None:
        raise SystemExit(0)


class Leaving(Right):
    """Leaves something behind after its turn."""

    def leave(self) -> Any: ...

    def send(self, message: str) -> Any:
        reply = super().send(message)
        if self.is_hostile and len(self.messages) < 5:  # and not in the follow-up
            self.leave()
        return reply


@kind("passed", when="daily")
class GarbageHangs(Leaving):
    def leave(self) -> None:
        HangingCycle()


@kind("passed", options=("--agent-transport=socket",))
class GarbageHangsOnASocket(GarbageHangs): ...


@kind("passed")
class ManyGarbageHangs(Right):
    """In every place where a collection may begin."""

    def request(self) -> dict[str, Any]:
        if self.is_hostile:
            HangingCycle()
        return super().request()


@kind("failed", "send did not return within")
class CollectsGarbageThatHangs(Leaving):
    def leave(self) -> None:
        HangingCycle()
        gc.collect()


@kind("passed", options=("-W", "error"), when="daily")
class GarbageRaises(Leaving):
    def leave(self) -> None:
        RaisingCycle()


@kind("passed", options=("-W", "error"))
class GarbageExits(Leaving):
    def leave(self) -> None:
        ExitingCycle()


@kind("error", "the adapter's close did not return within")
class AdapterHangsInDel(Right):
    def __del__(self) -> None:
        if self.is_hostile:
            hang()


@kind("passed", options=("-W", "error"))
class AdapterRaisesInDel(Right):
    def __del__(self) -> None:
        if self.is_hostile:
            raise ValueError("out of __del__")


@kind("failed", "send did not return within")
class ErrorHangsInDel(Right):
    def send(self, message: str) -> Any:
        if self.is_hostile:
            self.messages.append({"role": "user", "content": message})
            self.request()
            raise type("Odd", (ValueError,), {"__del__": hang})("a bug")
        return super().send(message)


@kind("failed", "send did not return within", when="daily")
class WrongGeneratorHangsAtItsEnd(Right):
    def send(self, message: str) -> Any:
        try:
            reply = super().send(message)
            yield 7 if self.is_hostile else reply
        finally:
            if self.is_hostile:
                hang()


@kind("error", "the adapter's close did not return within")
class LeftGeneratorHangsAtItsEnd(Leaving):
    def leave(self) -> None:
        def waits() -> Any:
            try:
                yield
            finally:
                hang()

        self.left = waits()
        next(self.left)


@kind("passed")
class LeftGeneratorInACycleHangsAtItsEnd(Leaving):
    def leave(self) -> None:
        def waits() -> Any:
            own = self  # a cycle
            try:
                yield own
            finally:
                hang()

        self.left = waits()
        next(self.left)


@kind("passed")
class LeftAsyncGeneratorHangsAtItsEnd(Right):
    async def send(self, message: str) -> Any:
        async def waits() -> Any:
            try:
                yield
            finally:
                await asyncio.sleep(3600)

        if self.is_hostile:
            self.left = waits()
            await anext(self.left)
        return super().send(message)


@kind("passed")
class LeftTaskIgnoresItsCancellation(Right):
    async def send(self, message: str) -> Any:
        async def stays() -> None:
            while True:
                try:
                    await asyncio.sleep(3600)
                except asyncio.CancelledError:
                    continue

        if self.is_hostile:
            self.left = asyncio.ensure_future(stays())
            await asyncio.sleep(0)
        return super().send(message)


@kind("passed")
class LeftTaskBlocksAtItsCancellation(Right):
    async def send(self, message: str) -> Any:
        async def stays() -> None:
            try:
                await asyncio.sleep(3600)
            finally:
                hang()

        if self.is_hostile:
            self.left = asyncio.ensure_future(stays())
            await asyncio.sleep(0)
        return super().send(message)


@kind("passed", options=("-W", "error"), when="daily")
class ThreadRaises(Leaving):
    def leave(self) -> None:
        thread = threading.Thread(target=lambda: 1 / 0)
        thread.start()
        thread.join()


@kind("passed", options=("-W", "error"))
class ThreadRaisesLater(Leaving):
    def leave(self) -> None:
        threading.Timer(0.01, lambda: 1 / 0).start()


@kind("passed", options=("-W", "error"))
class TaskRaises(Right):
    async def send(self, message: str) -> Any:
        async def fails() -> None:
            raise ValueError("out of a task")

        if self.is_hostile:
            self.left = asyncio.ensure_future(fails())
            await asyncio.sleep(0)
        return super().send(message)


@kind("passed", options=("-W", "error"))
class CoroutineIsNeverAwaited(Leaving):
    def leave(self) -> None:
        async def nobody() -> None: ...

        nobody()


@kind("passed", options=("-W", "error"))
class FileIsNeverClosed(Leaving):
    def leave(self) -> None:
        open(__file__, encoding="utf-8")  # noqa: SIM115


@kind("failed", "send did not return within")
class SwitchesCollectionOn(Leaving):
    def leave(self) -> None:
        HangingCycle()
        gc.set_threshold(1, 1, 1)
        gc.enable()


@kind("failed", "send did not return within", when="daily")
class ReturnsLate(Right):
    """Its thread goes on after its case is over, and sends a request again."""

    def send(self, message: str) -> Any:
        reply = super().send(message)
        if self.is_hostile:
            time.sleep(TIMEOUT + 1.5)
            self.request()
        return reply
