"""Kinds that never stop asking, whatever the answer: the commonest bug of a loop."""

import time
from collections.abc import Iterator
from typing import Any, ClassVar

from tests.hostile.right_agent import CLIENT, Right, kind
from tests.hostile.right_agent import weekly_kind as once_a_week

ISOLATED = ("--agent-isolate",)
STOPPED = "the suite answered no more"
TOO_LONG = "the limit of a turn (--agent-turn-limit)"
SHORT = ("--agent-turn-limit=8",)
"""More than any right turn takes on a busy machine."""


class Asks(Right):
    """`pause` is less than the silence that ends a turn."""

    pause: ClassVar = 0.0
    more: ClassVar[dict[str, Any]] = {}

    def send(self, message: str) -> Any:
        if not self.is_hostile:
            return super().send(message)
        body = {"model": self.setup.model, "messages": [{"role": "user", "content": message}], **self.more}
        headers = {"authorization": f"Bearer {self.setup.api_key}"}
        while True:
            CLIENT.post(f"{self.setup.base_url}/chat/completions", json=body, headers=headers)
            time.sleep(self.pause)


@kind("failed", STOPPED)
class AsksForEver(Asks): ...


@kind("failed", STOPPED, when="daily")
class AsksForEverWithNamesOfItsTools(Asks):
    tool_names: ClassVar[dict[str, str]] = {}


@kind("failed", STOPPED, options=ISOLATED)
class AsksForEverIsolated(AsksForEverWithNamesOfItsTools): ...


@kind("failed", STOPPED, options=("-n", "2"), exit=1)
class AsksForEverInAWorker(AsksForEverWithNamesOfItsTools): ...


class AsksOnTheSide(Asks):
    def side_request(self, body: dict[str, Any]) -> bool:
        return "side" in body


@kind("failed", STOPPED)
class AsksForEverWithSideRequests(AsksOnTheSide): ...


@once_a_week("failed", STOPPED, options=ISOLATED)
class AsksForEverWithSideRequestsIsolated(AsksOnTheSide): ...


@once_a_week("failed", STOPPED, options=("--agent-transport=socket",))
class AsksForEverWithSideRequestsOnASocket(AsksOnTheSide): ...


class AsksWhatIsRefused(AsksOnTheSide):
    tool_names: ClassVar[dict[str, str]] = {}
    more: ClassVar = {"tool_choice": "auto"}


@kind("failed", "accepted:openai/tool-choice-without-tools")
class AsksWhatIsRefusedForEver(AsksWhatIsRefused): ...


@once_a_week("failed", "accepted:openai/tool-choice-without-tools", options=ISOLATED)
class AsksWhatIsRefusedForEverIsolated(AsksWhatIsRefused): ...


@once_a_week("failed", "accepted:openai/tool-choice-without-tools", options=("-n", "2"), exit=1)
class AsksWhatIsRefusedForEverInAWorker(AsksWhatIsRefused): ...


class AsksOnTheSideAlone(Asks):
    """Every request is a side request: none of them counts."""

    def side_request(self, body: dict[str, Any]) -> bool:
        return self.is_hostile


@once_a_week("failed", STOPPED)
class AsksOnTheSideForEver(AsksOnTheSideAlone): ...


@once_a_week("failed", STOPPED, options=ISOLATED)
class AsksOnTheSideForEverIsolated(AsksOnTheSideAlone): ...


class AsksNowAndThen(Asks):
    """A request a second is no silence: only the turn's own limit ends it."""

    pause: ClassVar = 1.0


@kind("failed", TOO_LONG, options=SHORT)
class AsksNowAndThenForEver(AsksNowAndThen): ...


@once_a_week("failed", TOO_LONG, options=(*SHORT, *ISOLATED))
class AsksNowAndThenForEverIsolated(AsksNowAndThen): ...


class CallsItsToolNowAndThen(Right):
    def send(self, message: str) -> Any:
        reply = super().send(message)
        while self.is_hostile:
            self.setup.tools[0].call({"city": "Oslo"})
            time.sleep(1.0)
        return reply


@kind("failed", TOO_LONG, options=SHORT)
class CallsItsToolForEver(CallsItsToolNowAndThen): ...


@once_a_week("failed", TOO_LONG, options=(*SHORT, *ISOLATED))
class CallsItsToolForEverIsolated(CallsItsToolNowAndThen): ...


class AsksForModels(Asks):
    """What is answered at any time, and counts nowhere."""

    def send(self, message: str) -> Any:
        reply = super(Asks, self).send(message)
        self.ask_for_models()
        return reply

    def ask_for_models(self) -> None:
        while self.is_hostile:
            CLIENT.get(f"{self.setup.base_url}/models", headers={"authorization": f"Bearer {self.setup.api_key}"})


@kind("failed", TOO_LONG, options=SHORT)
class AsksForModelsForEver(AsksForModels): ...


@once_a_week("failed", TOO_LONG, options=(*SHORT, *ISOLATED))
class AsksForModelsForEverIsolated(AsksForModels): ...


class StreamsNowAndThen(Right):
    """Deltas and requests take turns, so that neither is ever alone."""

    features: ClassVar = {*Right.features, "deltas"}

    def send(self, message: str) -> Iterator[str]:
        yield super().send(message)
        while self.is_hostile:
            yield "x"
            CLIENT.get(f"{self.setup.base_url}/models")
            time.sleep(0.5)


@once_a_week("failed", TOO_LONG, options=SHORT)
class StreamsForEver(StreamsNowAndThen): ...


@once_a_week("failed", TOO_LONG, options=(*SHORT, *ISOLATED))
class StreamsForEverIsolated(StreamsNowAndThen): ...


@once_a_week("error", "the adapter's __init__ did not return within")
class StartsForEver(AsksForModels):
    """Asks for models before its first turn."""

    def __init__(self, setup: Any) -> None:
        super().__init__(setup)
        self.ask_for_models()
