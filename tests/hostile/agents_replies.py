"""Kinds of `send` that return, yield or await what no agent should."""

import asyncio
from collections.abc import Iterator
from typing import Any

from agent_conformance import Reply, Withdrawn
from tests.hostile.right_agent import Right, hang
from tests.hostile.right_agent import weekly_kind as kind


class Replying(Right):
    """Replaces the reply of its hostile case."""

    def instead(self, reply: str) -> Any: ...

    def send(self, message: str) -> Any:
        reply = super().send(message)
        return self.instead(reply) if self.is_hostile else reply


@kind("failed", "characters in one turn")
class YieldsForEver(Replying):
    def instead(self, reply: str) -> Iterator[str]:
        while True:
            yield "x" * 1000


@kind("failed", "deltas of 0 characters in one turn")
class YieldsNothingForEver(Replying):
    def instead(self, reply: str) -> Iterator[str]:
        while True:
            yield ""


@kind("failed", "characters in one turn")
class YieldsAHugeDelta(Replying):
    def instead(self, reply: str) -> Iterator[str]:
        yield "x" * 100_000_000


@kind("failed", 'the reply ""')
class YieldsNone(Replying):
    def instead(self, reply: str) -> Iterator[Any]:
        yield None


@kind("error", "send yielded a bytes")
class YieldsBytes(Replying):
    def instead(self, reply: str) -> Iterator[Any]:
        yield b"7"


@kind("failed")
class YieldsAfterItsReply(Replying):
    def instead(self, reply: str) -> Iterator[str]:
        yield Reply(reply)
        yield "more"


@kind("failed")
class WithdrawsWhatItNeverShowed(Replying):
    def instead(self, reply: str) -> Iterator[Any]:
        yield Withdrawn(10**9)
        yield Withdrawn(-7)


@kind("error", "send yielded a int")
class GeneratorIgnoresItsEnd(Replying):
    def instead(self, reply: str) -> Iterator[Any]:
        try:
            yield 7
        except GeneratorExit:
            yield reply


class NextHangs:
    def __iter__(self) -> Any:
        return self

    __next__ = hang


@kind("failed", "send did not return within")
class IteratorHangs(Replying):
    def instead(self, reply: str) -> Any:
        return NextHangs()


class AwaitHangs:
    __await__ = hang


@kind("failed", "send did not return within")
class AwaitableHangs(Replying):
    def instead(self, reply: str) -> Any:
        return AwaitHangs()


@kind("error", "send returned ")
class ReturnsBytes(Replying):
    def instead(self, reply: str) -> Any:
        return reply.encode()


@kind("error", "send returned ")
class ReturnsAnObjectThatHangs(Replying):
    def instead(self, reply: str) -> Any:
        return type("Hostile", (), {"__str__": hang, "__repr__": hang, "__bool__": hang, "__eq__": hang})()


@kind("error", "send returned ")
class ReturnsItsClass(Replying):
    def instead(self, reply: str) -> Any:
        return type(self)


@kind("failed", "a reply of 6000050 characters")
class RepliesInMegabytes(Replying):
    def instead(self, reply: str) -> Any:
        return reply + "\n" * 1_000_000 + "x" * 5_000_000


class Awaiting(Right):
    """Does something in its event loop before the reply."""

    async def disturb(self) -> Any: ...

    async def send(self, message: str) -> Any:
        reply = super().send(message)
        if self.is_hostile:
            await self.disturb()
        return reply


@kind("failed", "send did not return within", when="daily")
class BlocksItsLoop(Awaiting):
    async def disturb(self) -> None:
        hang()


@kind("failed", "send did not return within")
class AwaitsForEver(Awaiting):
    async def disturb(self) -> None:
        await asyncio.get_running_loop().create_future()


@kind("failed", "send did not return within")
class IgnoresItsCancellation(Awaiting):
    async def disturb(self) -> None:
        while True:
            try:
                await asyncio.sleep(3600)
            except asyncio.CancelledError:
                continue


@kind("failed", "CancelledError")
class CancelsItself(Awaiting):
    async def disturb(self) -> None:
        task = asyncio.current_task()
        assert task is not None
        task.cancel()
        await asyncio.sleep(0)


@kind("failed")
class CancelsAllTasks(Awaiting):
    async def disturb(self) -> None:
        for task in asyncio.all_tasks():
            task.cancel()
        await asyncio.sleep(0.01)


@kind("failed")
class StopsItsLoop(Awaiting):
    async def disturb(self) -> None:
        asyncio.get_running_loop().stop()
        await asyncio.sleep(0.01)


@kind("passed")
class SetsAHandlerOfItsLoopThatRaises(Awaiting):
    async def disturb(self) -> None:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(hang)
        loop.call_soon(lambda: 1 / 0 if False else None)


@kind("passed")
class LeavesTenThousandTasks(Awaiting):
    async def disturb(self) -> None:
        self.left = [asyncio.ensure_future(asyncio.sleep(3600)) for _ in range(10_000)]
        await asyncio.sleep(0)


@kind("failed", "RuntimeError")
class ReturnsACoroutineOfACoroutine(Right):
    def send(self, message: str) -> Any:
        return self.outer(message) if self.is_hostile else super().send(message)

    async def outer(self, message: str) -> Any:
        Right.send(self, message)
        raise RuntimeError("coroutine raised StopIteration")


@kind("error", "send yielded a int")
class AsyncGeneratorYieldsAnInt(Right):
    async def send(self, message: str) -> Any:
        reply = super().send(message)
        yield 7 if self.is_hostile else reply


@kind("failed", "send did not return within")
class AsyncGeneratorHangsAtItsEnd(Right):
    async def send(self, message: str) -> Any:
        reply = super().send(message)
        try:
            yield reply
        finally:
            if self.is_hostile:
                hang()
