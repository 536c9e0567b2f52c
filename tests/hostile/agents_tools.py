"""Kinds that call tools as no agent should, or when no agent may."""

import asyncio
import copy
import json
import threading
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, ClassVar

from agent_conformance import ToolError
from tests.hostile.agents_errors import TextHangs
from tests.hostile.right_agent import LeavingThreads, Right, hang
from tests.hostile.right_agent import weekly_kind as kind


class Calling(Right):
    """Makes something else of the arguments, in its hostile case."""

    def arguments(self, given: dict[str, Any]) -> Any:
        return given

    def run(self, function: dict[str, Any]) -> str:
        arguments = json.loads(function["arguments"])
        tool = next(tool for tool in self.setup.tools if tool.name == function["name"])
        return tool.text(tool.call(self.arguments(arguments) if self.is_hostile else arguments))


@kind("failed")
class ArgumentsAreCyclic(Calling):
    def arguments(self, given: dict[str, Any]) -> Any:
        given["itself"] = given
        return given


@kind("failed")
class ArgumentsAreDeep(Calling):
    def arguments(self, given: dict[str, Any]) -> Any:
        deep: Any = []
        for _ in range(100_000):
            deep = [deep]
        return {**given, "deep": deep}


@kind("failed")
class ArgumentsAreMegabytes(Calling):
    def arguments(self, given: dict[str, Any]) -> Any:
        return {"city": "x" * 20_000_000}


@kind("failed")
class ArgumentsAreNotANumber(Calling):
    def arguments(self, given: dict[str, Any]) -> Any:
        return {"city": float("nan"), "more": 10**5000}


@kind("failed")
class ArgumentsHaveOtherKeys(Calling):
    def arguments(self, given: dict[str, Any]) -> Any:
        return {7: "Oslo", None: "Oslo", (1, 2): "Oslo"}


@kind("failed")
class ArgumentsAreHalfACharacter(Calling):
    def arguments(self, given: dict[str, Any]) -> Any:
        return {"city": "\ud800"}


class _Mapping(Mapping[str, Any]):
    __getitem__ = __iter__ = __len__ = __repr__ = hang  # type: ignore[assignment]


@kind("failed", "send did not return within")
class ArgumentsHang(Calling):
    def arguments(self, given: dict[str, Any]) -> Any:
        return _Mapping()


class _Dict(dict[str, Any]):
    items = keys = __iter__ = hang


@kind("failed")
class ArgumentsAreADictThatHangs(Calling):
    def arguments(self, given: dict[str, Any]) -> Any:
        return _Dict(city="Bergen")


@kind("failed")
class CallsThousandsOfTimes(Calling):
    def arguments(self, given: dict[str, Any]) -> Any:
        for _ in range(5000):
            self.setup.tools[0].call(given)
        return given


@kind("failed")
class CallsInManyThreads(Calling):
    def arguments(self, given: dict[str, Any]) -> Any:
        with ThreadPoolExecutor(50) as pool:
            list(pool.map(self.setup.tools[0].call, [given] * 500))
        return given


@kind("passed")
class CallsAfterItsCase(LeavingThreads):
    """Again and again, while the next case runs."""

    stop: ClassVar = threading.Event()

    def send(self, message: str) -> Any:
        reply = super().send(message)
        if self.is_hostile and len(self.messages) < 5:  # and not in the follow-up
            tool = self.setup.tools[0]

            def go_on() -> None:
                while not self.stop.wait(0.001):
                    tool.call({"city": "Oslo"})

            self.leave(go_on)
        return reply


@kind("failed")
class CallsAToolOfAnEarlierCase(Right):
    earlier: ClassVar[list[Any]] = []

    def run(self, function: dict[str, Any]) -> str:
        if self.is_hostile:
            return str(self.earlier[0].call({"city": "Oslo"}))
        self.earlier.append(self.setup.tools[0])
        return super().run(function)


@kind("failed")
class NeverAwaitsItsCall(Right):
    def run(self, function: dict[str, Any]) -> str:
        if self.is_hostile:
            return str(self.setup.tools[0].acall({"city": "Oslo"}))
        return super().run(function)


@kind("passed")
class AwaitsItsCallInALoopOfItsOwn(Right):
    def run(self, function: dict[str, Any]) -> str:
        if not self.is_hostile:
            return super().run(function)
        tool = self.setup.tools[0]
        with ThreadPoolExecutor(1) as pool:
            return tool.text(pool.submit(asyncio.run, tool.acall({"city": "Oslo"})).result())


@kind("failed", "TypeError")
class ReplacesWhatToolsAre(Right):
    def send(self, message: str) -> Any:
        reply = super().send(message)
        if self.is_hostile and len(self.messages) < 5:
            for tool in self.setup.tools:
                tool.name, tool.description, tool.parameters = 7, None, hang  # type: ignore[assignment]
                tool._run = tool._arun = tool._is_enabled = hang
        return reply


@kind("passed")
class CopiesItsSetup(Right):
    def send(self, message: str) -> Any:
        if self.is_hostile:
            self.setup = copy.copy(self.setup)
        return super().send(message)


@kind("failed", "ToolError")
class RaisesAToolErrorWithATextThatHangs(Right):
    def run(self, function: dict[str, Any]) -> str:
        if self.is_hostile:
            raise type("HostileToolError", (ToolError,), {"__str__": TextHangs.__str__})
        return super().run(function)
