"""Kinds that edit what they were handed, or change the process that they run in."""

import asyncio
import contextlib
import gc
import logging
import os
import random
import resource
import shutil
import socket
import sys
import threading
from dataclasses import FrozenInstanceError
from typing import Any

from agent_conformance import Setup
from tests.hostile.right_agent import Right, kind


class Honest(Right):
    """Drops a property of each tool, on a copy."""

    def request(self) -> dict[str, Any]:
        if self.is_hostile:
            for tool in self.setup.tools:
                schema = {**tool.parameters, "properties": dict(tool.parameters["properties"])}
                schema["properties"].pop("city", None)
                tool.parameters = schema
        return super().request()


@kind("failed", "offered")
class DropsAPropertyOnACopy(Honest): ...


@kind("failed", "offered", when="daily")
class DropsAPropertyInPlace(Right):
    """The same, in place."""

    def request(self) -> dict[str, Any]:
        if self.is_hostile:
            for tool in self.setup.tools:
                tool.parameters["properties"].pop("city", None)  # type: ignore[index]
        return super().request()


@kind("passed")
class SpoilsSchemasAtItsEnd(Right):
    def close(self) -> None:
        if self.is_hostile:
            for tool in self.setup.tools:
                tool.parameters.clear()  # type: ignore[attr-defined]
                tool.parameters["type"] = 7  # type: ignore[index]


@kind("passed")
class SpoilsResults(Right):
    def run(self, function: dict[str, Any]) -> str:
        import json

        tool = next(tool for tool in self.setup.tools if tool.name == function["name"])
        value = tool.call(json.loads(function["arguments"]))
        text = tool.text(value)
        if self.is_hostile and isinstance(value, dict):
            value.clear()
            value["spoiled"] = object()
        return text


@kind("passed")
class SpoilsArguments(Right):
    def run(self, function: dict[str, Any]) -> str:
        import json

        tool = next(tool for tool in self.setup.tools if tool.name == function["name"])
        arguments = json.loads(function["arguments"])
        value = tool.call(arguments)
        if self.is_hostile:
            arguments.clear()
        return tool.text(value)


@kind("passed")
class EditsItsSetup(Right):
    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        if self.is_hostile:
            with contextlib.suppress(FrozenInstanceError):
                object.__setattr__(setup.limits, "requests", 1)
            object.__setattr__(setup, "history", ())


class Changing(Right):
    def change(self) -> Any: ...

    def send(self, message: str) -> Any:
        reply = super().send(message)
        if self.is_hostile and len(self.messages) < 5:  # and not in the follow-up
            self.change()
        return reply


@kind("passed", when="daily")
class DeletesTheFolderAboveItsState(Changing):
    def change(self) -> None:
        shutil.rmtree(self.setup.state_dir.parent)


@kind("passed")
class PutsAFileInPlaceOfTheFolder(Changing):
    def change(self) -> None:
        shutil.rmtree(self.setup.state_dir.parent)
        self.setup.state_dir.parent.write_text("")


@kind("passed")
class LocksTheFolder(Changing):
    def change(self) -> None:
        self.setup.state_dir.parent.chmod(0)


@kind("passed")
class DeletesItsWorkingDirectory(Changing):
    def change(self) -> None:
        folder = self.setup.state_dir / "here"
        folder.mkdir()
        os.chdir(folder)
        folder.rmdir()


@kind("passed")
class ClosesTheStreams(Changing):
    def change(self) -> None:
        sys.stdout.close()
        sys.stderr.close()
        sys.stdin.close()


@kind("passed")
class ReplacesTheStreams(Changing):
    def change(self) -> None:
        sys.stdout = sys.stderr = None  # type: ignore[assignment]


@kind("passed")
class EmptiesTheEnvironment(Changing):
    def change(self) -> None:
        os.environ.clear()


@kind("passed")
class ChangesTheLimits(Changing):
    def change(self) -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (10, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))


@kind("passed")
class ChangesTheEventLoopPolicy(Changing):
    def change(self) -> None:
        class Policy(asyncio.DefaultEventLoopPolicy):
            def new_event_loop(self) -> Any:
                raise RuntimeError("no loop")

        asyncio.set_event_loop_policy(Policy())


@kind("passed")
class SwitchesCollectionOff(Changing):
    def change(self) -> None:
        gc.disable()
        gc.unfreeze()


@kind("passed")
class SilencesLogging(Changing):
    def change(self) -> None:
        logging.disable(logging.CRITICAL)
        logging.raiseExceptions = False


@kind("passed")
class ChangesTheRecursionLimit(Changing):
    def change(self) -> None:
        sys.setrecursionlimit(100)


@kind("passed")
class SetsATimeoutForAllSockets(Changing):
    def change(self) -> None:
        socket.setdefaulttimeout(0.000001)


@kind("passed")
class SeedsRandom(Changing):
    def change(self) -> None:
        random.seed(0)


@kind("passed")
class TracesAllThreads(Changing):
    def change(self) -> None:
        def trace(*arguments: Any) -> Any:
            return None

        threading.settrace(trace)
        threading.setprofile(trace)


@kind("passed")
class ReplacesTheHooks(Changing):
    def change(self) -> None:
        def broken(*arguments: Any) -> None:
            raise RuntimeError("no hook")

        sys.excepthook = sys.unraisablehook = broken
        threading.excepthook = broken


@kind("passed")
class SetsASmallStack(Changing):
    def change(self) -> None:
        threading.stack_size(32 * 1024)


@kind("passed")
class DrawsMemory(Changing):
    def change(self) -> None:
        Changing.kept = bytearray(200_000_000)  # type: ignore[attr-defined]
