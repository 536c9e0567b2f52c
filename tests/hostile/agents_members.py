"""Kinds whose adapter's members hang, raise or have a wrong type: whatever is read or called beside `send`."""

import json
import re
from collections.abc import Iterator
from typing import Any, ClassVar

from tests.hostile.right_agent import Right, hang, kind


class Hints(Right):
    """Does something in place of a member, in its hostile case only."""

    def do(self) -> Any: ...


class OfSideRequest(Hints):
    def side_request(self, body: dict[str, Any]) -> Any:
        return self.do() if self.is_hostile else False


@kind("error", "the adapter's side_request did not return within", when="daily")
class SideRequestHangs(OfSideRequest):
    do = hang


@kind("error", "the adapter's side_request did not return within", options=("--agent-transport=socket",))
class SideRequestHangsOnASocket(OfSideRequest):
    do = hang


@kind("error", "the adapter's side_request raised ZeroDivisionError", when="daily")
class SideRequestRaises(OfSideRequest):
    def do(self) -> Any:
        return 1 / 0


@kind("error", "the adapter's side_request raised ZeroDivisionError", options=("--agent-transport=socket",))
class SideRequestRaisesOnASocket(SideRequestRaises): ...


@kind("error", "the adapter's side_request raised SystemExit")
class SideRequestExits(OfSideRequest):
    def do(self) -> Any:
        raise SystemExit(0)


@kind("error", "the adapter's side_request raised KeyboardInterrupt")
class SideRequestInterrupts(OfSideRequest):
    def do(self) -> Any:
        raise KeyboardInterrupt


@kind("error", "the adapter's side_request returned a dict; return True, False, or the text of the reply", when="daily")
class SideRequestReturnsDict(OfSideRequest):
    def do(self) -> Any:
        return {"a": 1}


@kind("error", "the adapter's side_request returned a coroutine")
class SideRequestIsAsync(Right):
    features = frozenset(Right.features)

    def __init__(self, setup: Any) -> None:
        super().__init__(setup)
        if self.is_hostile:
            self.side_request = self.later

    async def later(self, body: Any) -> bool:
        return False


@kind("passed")
class SideRequestEditsTheBody(OfSideRequest):
    def side_request(self, body: dict[str, Any]) -> Any:
        body.clear()
        return False


class OfToolNames(Hints):
    def __init__(self, setup: Any) -> None:
        super().__init__(setup)
        if self.is_hostile:
            self.tool_names = lambda name: self.do()


@kind("error", "the adapter's tool_names did not return within", when="daily")
class ToolNamesHangs(OfToolNames):
    do = hang


@kind("error", "the adapter's tool_names did not return within", options=("--agent-transport=socket",))
class ToolNamesHangsOnASocket(OfToolNames):
    do = hang


@kind("error", "the adapter's tool_names raised ZeroDivisionError")
class ToolNamesRaises(OfToolNames):
    def do(self) -> Any:
        return 1 / 0


@kind("error", "the adapter's tool_names gave an int for `boom`; give a text, or None")
class ToolNamesGivesInt(OfToolNames):
    def do(self) -> Any:
        return 7


class FixedToolNames(Right):
    given: Any = None

    def __init__(self, setup: Any) -> None:
        super().__init__(setup)
        if self.is_hostile:
            self.tool_names = self.given


@kind(
    "error",
    "the adapter's tool_names is an int; make it a mapping or a function from a tool's name to that on",
    when="daily",
)
class ToolNamesIsInt(FixedToolNames):
    given = 7


@kind("error", "the adapter's tool_names is a tuple")
class ToolNamesIsList(FixedToolNames):
    given = ("boom",)


@kind("error", "the adapter's tool_names gave a list for `boom`")
class ToolNamesMapsToList(FixedToolNames):
    given: ClassVar = {"boom": ["boom"]}


class _Slow(dict[str, str]):
    def get(self, name: str, default: Any = None) -> Any:
        hang()

    __getitem__ = __contains__ = get
    __iter__ = items = keys = hang


@kind("error", "the adapter's tool_names did not return within")
class ToolNamesIsAMappingThatHangs(FixedToolNames):
    given = _Slow(boom="boom")


def _reading(name: str, does: Any) -> type:
    """An agent one of whose members does something when it is read, in the hostile case."""

    class Reading(Right):
        def __getattribute__(self, read: str) -> Any:
            if read == name and self.is_hostile:
                return does()
            return super().__getattribute__(read)

    return Reading


def _divide() -> None:
    _ = 1 / 0


@kind("error", "send did not return within", when="daily")
class SendIsAPropertyThatHangs(_reading("send", hang)): ...


@kind("failed", "ZeroDivisionError")
class SendIsAPropertyThatRaises(_reading("send", _divide)): ...


@kind("error", "the adapter's close did not return within", when="daily")
class CloseIsAPropertyThatHangs(_reading("close", hang)): ...


@kind("error", "the adapter's close raised ZeroDivisionError")
class CloseIsAPropertyThatRaises(_reading("close", _divide)): ...


@kind("error", "the adapter's side_request or tool_names did not return within")
class SideRequestIsAPropertyThatHangs(_reading("side_request", hang)): ...


@kind("error", "the adapter's side_request or tool_names raised ZeroDivisionError")
class SideRequestIsAPropertyThatRaises(_reading("side_request", _divide)): ...


@kind("error", "the adapter's side_request or tool_names did not return within")
class ToolNamesIsAPropertyThatHangs(_reading("tool_names", hang)): ...


@kind("error", "the adapter's close did not return within")
class CloseHangs(Right):
    def close(self) -> None:
        if self.is_hostile:
            hang()


@kind("error", "the adapter's close raised SystemExit")
class CloseExits(Right):
    def close(self) -> None:
        if self.is_hostile:
            raise SystemExit(0)


@kind("error", "the adapter's __init__ did not return within")
class InitHangs(Right):
    def __init__(self, setup: Any) -> None:
        super().__init__(setup)
        if self.is_hostile:
            hang()


class Crashing(Right):
    def send(self, message: str) -> Any:
        if self.is_hostile:
            self.messages.append({"role": "user", "content": message})
            self.request()
            raise ValueError("a bug")
        return super().send(message)


@kind("failed", "ValueError: a bug", when="daily")
class LogTailHangs(Crashing):
    @property
    def log_tail(self) -> str:
        return str(hang())


@kind("failed", "ValueError: a bug")
class LogTailRaises(Crashing):
    @property
    def log_tail(self) -> str:
        raise ZeroDivisionError


@kind("failed", "ValueError: a bug")
class LogTailIsNoText(Crashing):
    log_tail = 7


@kind("error", "the adapter's `scrub`: the regular expression", options=("--snapshot-update",))
class ScrubIsSlow(Right):
    """The pattern explodes on the reply of the hostile case alone."""

    scrub = (r"(a|aa)+$",)


@kind("failed", "a reply that is not blank, or a controlled failure")
class SendIsNotCallable(Right):
    def __init__(self, setup: Any) -> None:
        super().__init__(setup)
        if self.is_hostile:
            self.send = 7


@kind("error", "send yielded a int; yield text")
class YieldsAnInt(Right):
    def send(self, message: str) -> Any:
        reply = super().send(message)
        yield 7 if self.is_hostile else reply


class _Text(str):
    """A text whose every method is hostile."""

    __slots__ = ()
    __eq__ = __ne__ = __contains__ = __iter__ = __len__ = __str__ = __getitem__ = hang  # type: ignore[assignment]
    __format__ = __add__ = lower = split = strip = replace = splitlines = hang  # type: ignore[assignment]
    __hash__ = str.__hash__


@kind("passed", when="daily")
class ReplyIsAHostileText(Right):
    def send(self, message: str) -> Any:
        reply = super().send(message)
        return _Text(reply) if self.is_hostile else reply


@kind("passed")
class DeltasAreHostileTexts(Right):
    def send(self, message: str) -> Iterator[str]:
        reply = super().send(message)
        yield _Text(reply) if self.is_hostile else reply


class _Dict(dict[str, Any]):
    def __repr__(self) -> str:
        raise SystemExit


@kind("failed")
class ArgumentsAreNoJson(Right):
    def run(self, function: dict[str, Any]) -> str:
        arguments = json.loads(function["arguments"])
        function = dict(function)
        tool = next(tool for tool in self.setup.tools if tool.name == function["name"])
        return str(tool.call(_Dict(arguments, bad=re) if self.is_hostile else arguments))
