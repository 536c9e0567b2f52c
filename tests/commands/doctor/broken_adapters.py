"""Adapters that are each wrong in one named way, based on the small right agent. Knows no check of the doctor."""

import threading
from collections.abc import AsyncIterator
from typing import Any

import httpx2

from agent_conformance import AgentError, Cancelled, Setup, Tool, ToolCall
from agent_conformance.agents.reference import Adapter as Reference
from agent_mutants import mutant_adapter, named
from tests.agents.plain import Chat, GaveUp, PlainAgent


class OnChat(PlainAgent):
    """The right agent, on one wire."""

    wires: tuple[str, ...] = ("openai-chat",)


class YieldsNoDeltas(OnChat):
    features = OnChat.features | {"deltas"}


class IgnoresHistory(OnChat):
    def restore(self, role: str, run: Any) -> None:
        pass


class IsPlainInStream(OnChat):
    modes: tuple[str, ...] = ("plain", "stream")


class ForgetsTools(OnChat):
    def tools(self) -> list[Tool]:
        return []


class ForgetsDescriptions(OnChat):
    def body(self) -> dict[str, Any]:
        body = super().body()
        for tool in body.get("tools", ()):
            tool["function"]["description"] = ""
        return body


class UsesAnotherHost(OnChat):
    def post(self, body: dict[str, Any]) -> dict[str, Any]:
        try:
            httpx2.post("https://api.openai.com/v1/chat/completions", json=body, trust_env=False, verify=False)
        except httpx2.ConnectError as error:
            raise GaveUp(str(error)) from error
        raise AssertionError("a case reached the network")


class AlsoUsesAnotherHost(OnChat):
    def begin(self, message: str) -> None:
        super().begin(message)
        lookup("api.openai.com")


class ContactsTelemetry(OnChat):
    def begin(self, message: str) -> None:
        super().begin(message)
        lookup("telemetry.example.org")


class NeverCalls(OnChat):
    def send(self, message: str) -> str:
        return "Hello."


class PostsToTheWrongPath(OnChat):
    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        self.shape.path = "/answers"


class HasItsOwnKey(OnChat):
    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        self.shape.headers = {"authorization": "Bearer sk-mine"}


class HasItsOwnModel(OnChat):
    def body(self) -> dict[str, Any]:
        return super().body() | {"model": "gpt-4o-mini"}


class ForgetsTheSystem(OnChat):
    def body(self) -> dict[str, Any]:
        body = super().body()
        return body | {"messages": [message for message in body["messages"] if message["role"] != "system"]}


class SendsWhatIsRefused(OnChat):
    def body(self) -> dict[str, Any]:
        return super().body() | {"temperature": "warm"}


class ExecutesTwice(OnChat):
    def run(self, name: str, arguments: Any) -> str:
        super().run(name, arguments)
        return super().run(name, arguments)


class ExecutesNothing(OnChat):
    def run(self, name: str, arguments: Any) -> str:
        return "7 degrees and rain"


class LosesArguments(OnChat):
    def run(self, name: str, arguments: Any) -> str:
        super().run(name, {})
        return "7 degrees and rain"


class LosesTheReply(OnChat):
    def reply(self, text: str) -> str:
        return "Done."


class ReturnsANumber(OnChat):
    def send(self, message: str) -> Any:
        super().send(message)
        return 7


class FailsInInit(OnChat):
    def __init__(self, setup: Setup) -> None:
        raise KeyError("OPENAI_API_KEY")


class HangsAtOnce(OnChat):
    release = threading.Event()

    def send(self, message: str) -> Any:
        self.release.wait(30)


class Forgets(OnChat):
    def begin(self, message: str) -> None:
        self.messages = self.shape.user(message)


class AnswersInProse(OnChat):
    """Tool results go back as a user message."""

    def take(self, response: dict[str, Any]) -> Any:
        text, calls = super().take(response)
        if calls:
            self.messages.pop()
        return text, calls

    def answer(self, results: Any) -> None:
        self.messages += self.shape.user("\n".join(text for _, _, text in results))


class HasNoLimit(OnChat):
    def most(self) -> int:
        return 50


class OffersWhatIsDisabled(OnChat):
    def body(self) -> dict[str, Any]:
        return self.shape.body(self.messages, list(self.setup.tools))


class ClaimsToPrune(OnChat):
    features = OnChat.features | {"context-limit"}


class ClaimsToLoseItsPatience(OnChat):
    features = OnChat.features | {"idle-limit"}


class ClaimsToRestart(OnChat):
    features = OnChat.features | {"restart"}


class ClaimsToBeCancelled(OnChat):
    features = OnChat.features | {"cancel"}


class ClaimsToHaveTools(OnChat):
    features = OnChat.features | {"own-tools"}


class CrashesOnItsObserver(OnChat):
    def run(self, name: str, arguments: Any) -> str:
        if self.setup.observe is not None:
            self.setup.observe(next(tool for tool in self.tools() if tool.name == name))
        return super().run(name, arguments)


class TellsItsObserverNothing(OnChat):
    def report(self, names: list[str]) -> None:
        pass


class RaisesItsOwnError(OnChat):
    def post(self, body: dict[str, Any]) -> dict[str, Any]:
        try:
            return super().post(body)
        except AgentError as error:
            raise RuntimeError("the provider said no") from error


class FailsUnlisted(RaisesItsOwnError):
    errors: tuple[type[Exception], ...] = ()


class RequestsATitle(OnChat):
    def begin(self, message: str) -> None:
        super().begin(message)
        self.post(Chat(self.setup).body(self.shape.user(f"A title, please: {message}"), []))


class DeclaresItsTitles(RequestsATitle):
    def side_request(self, request: dict[str, Any]) -> bool:
        return "A title, please" in str(request)


class HasToolsOfItsOwn(OnChat):
    def body(self) -> dict[str, Any]:
        body = super().body()
        parameters = {"type": "object", "properties": {}}
        own = {"type": "function", "function": {"name": "think", "description": "", "parameters": parameters}}
        return body | {"tools": [*body.get("tools", ()), own]}


class DeclaresTooLittle(PlainAgent):
    wires = ("openai-chat",)
    features: frozenset[str] = frozenset()


class HidesItsStreams(Reference):
    """Can do more than it declares."""

    wires = ("openai-chat",)
    modes = ("plain",)
    features = Reference.features - {"deltas", "restart", "cancel", "observer"}


class YieldsAtTheEnd(Reference):
    wires = ("openai-chat",)
    modes = ("stream",)

    async def send(self, message: str, **session: Any) -> AsyncIterator[str]:  # type: ignore[override]
        pieces = [piece async for piece in super().send(message, **session)]
        for piece in pieces:
            yield piece


class YieldsTheWhole(Reference):
    wires = ("openai-chat",)
    modes = ("stream",)

    async def send(self, message: str, **session: Any) -> AsyncIterator[str]:  # type: ignore[override]
        pieces = [str(piece) async for piece in super().send(message, **session)]
        yield pieces[-1]


class StreamsInPlain(Reference):
    wires = ("openai-chat",)

    def __init__(self, setup: Setup) -> None:
        from dataclasses import replace

        super().__init__(replace(setup, stream=True))


def lookup(host: str) -> None:
    import contextlib
    import socket

    with contextlib.suppress(OSError):
        socket.getaddrinfo(host, 443)


class SendsEmptyTools(OnChat):
    """Always sends `tools`, and makes every refusal an error of its own that says nothing of it."""

    def body(self) -> dict[str, Any]:
        return {"tools": [], **super().body()}

    def post(self, body: dict[str, Any]) -> dict[str, Any]:
        try:
            return super().post(body)
        except AgentError:
            raise GaveUp("the model is not reachable") from None


class StreamsWithEmptyTools(mutant_adapter(named("M1b"))):  # type: ignore[misc]
    """The same, with everything else that an agent can do."""

    wires = ("openai-chat",)


class RefusedInTheSecondTurn(OnChat):
    def body(self) -> dict[str, Any]:
        users = [message for message in self.messages if message["role"] == "user"]
        later = len(users) > 1 and not self.setup.history
        return super().body() | ({"temperature": "warm"} if later else {})


class CrashesInTheSecondTurn(OnChat):
    def begin(self, message: str) -> None:
        if self.messages and not self.setup.history:
            raise TypeError("unsupported operand")
        super().begin(message)


class RefusedWithHistory(OnChat):
    def restore(self, role: str, run: Any) -> None:
        if role != "tool":
            super().restore(role, run)


class CrashesWithHistory(OnChat):
    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        if setup.history:
            self.messages = [self.messages[99]]


class CannotStartAgain(Reference):
    wires = ("openai-chat",)
    modes = ("plain",)

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        if any(setup.state_dir.iterdir()):
            raise OSError("the file is locked")


class CrashesBeforeTheTool(OnChat):
    def run(self, name: str, arguments: Any) -> str:
        raise KeyError(name)


class StaysBusy(Reference):
    """A turn that was cancelled leaves it unable to take the next message."""

    wires = ("openai-chat",)
    modes = ("plain",)
    is_busy = False

    async def send(self, message: str, **session: Any) -> AsyncIterator[str]:  # type: ignore[override]
        if self.is_busy:
            raise RuntimeError("a turn is running")
        try:
            async for piece in super().send(message, **session):
                yield piece
        except Cancelled:
            self.is_busy = True
            raise


class AnswersTheOldMessage(StaysBusy):
    """After a turn that was cancelled it goes on with it."""

    async def send(self, message: str, **session: Any) -> AsyncIterator[str]:  # type: ignore[override]
        if self.is_busy:
            message = "What is the weather in Oslo?"
            self.is_busy = False
        async for piece in super().send(message, **session):
            yield piece


class LoopError(Exception):
    """Whatever went wrong in the loop."""


class WrapsEverything(OnChat):
    """Lists a class that wraps every exception."""

    errors = (LoopError,)

    def send(self, message: str) -> Any:
        try:
            return super().send(message)
        except Exception as error:
            raise LoopError("the loop failed") from error


class AsksNobody(OnChat):
    features = OnChat.features | {"approval"}


class AsksForForm(AsksNobody):
    def run(self, name: str, arguments: Any) -> str:
        self.setup.approve(ToolCall(None, name, arguments))
        return super().run(name, arguments)


class IsDeaf(OnChat):
    features = OnChat.features | {"steering"}

    def steer(self, message: str) -> None:
        pass


class HearsTheLast(OnChat):
    features = OnChat.features | {"steering"}

    def begin(self, message: str) -> None:
        super().begin(message)
        self.heard: list[dict[str, Any]] = []

    def steer(self, message: str) -> None:
        self.heard = self.shape.user(message)

    def answer(self, results: list[tuple[Any, str, str]]) -> None:
        super().answer(results)
        self.messages += self.heard


class CollectsToolsOnce(OnChat):
    def begin(self, message: str) -> None:
        super().begin(message)
        self.collected = super().tools()

    def tools(self) -> list[Tool]:
        return self.collected


class MixesSessions(OnChat):
    features = OnChat.features | {"sessions"}

    def send(self, message: str, session: str | None = None) -> Any:
        return super().send(message)


class IsBlind(OnChat):
    features = OnChat.features | {"images"}


class ReadsTextAlone(OnChat):
    features = OnChat.features | {"user-images"}

    def send(self, message: Any) -> Any:
        return super().send(message if isinstance(message, str) else message[0].text)


class KeepsItsModel(OnChat):
    features = OnChat.features | {"model-switch"}

    def switch(self, setup: Setup) -> None:
        pass


class KeepsAllThatWasSaid(OnChat):
    features = OnChat.features | {"compaction"}

    def compact(self) -> None:
        pass


class OffersWhatIsDeferred(OnChat):
    features = OnChat.features | {"tool-search"}


class FindsNoTool(OnChat):
    features = OnChat.features | {"tool-search"}

    def tools(self) -> list[Tool]:
        query = {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]}
        search = Tool("search_tools", "Finds tools.", query, run=str, arun=None)  # type: ignore[arg-type]
        kept = [tool for tool in super().tools() if not tool.deferred]
        return [search, *kept] if len(kept) < len(super().tools()) else kept

    def run(self, name: str, arguments: Any) -> str:
        return "[]" if name == "search_tools" else super().run(name, arguments)


class AsksNobodyElse(OnChat):
    features = OnChat.features | {"fallback"}
