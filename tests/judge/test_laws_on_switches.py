"""`named-model`, on right agents of three styles and on wrong ones; and what a change of the model needs and makes."""

import asyncio
import shlex
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import pytest

from agent_conformance import Message, Setup
from agent_conformance.attach.command import command_adapter
from agent_conformance.reference import Adapter
from tests.agents.plain import SHAPES, PlainAgent
from tests.judge.trying_laws import BRIDGE, assert_breaks_only, assert_right
from tests.trying import ONE_CALL, only_findings

TURNS = """
wires: [openai-chat]
system: Be brief.
tools:
  - name: look_up
    description: Looks up a balance.
    parameters: {}
    returns: the balance is 340 euros
conversation:
  - user: I am Ann. What is my balance?
    model:
      - calls: [{name: look_up}]
      - text: You have 340 euros.
  - user: Say it again.
    switch: SWITCH
    model:
      - text: Ann, it is 340 euros.
    expect:
      reply: Ann, it is 340 euros.
      requests: [{at: 1, contains: [I am Ann., the balance is 340 euros]}]
  - user: Look once more.
    model:
      - calls: [{name: look_up}]
      - text: Still 340 euros.
"""
MODEL = TURNS.replace("SWITCH", "{model: {openai-chat: gpt-5.4}}")
ELSEWHERE = TURNS.replace("SWITCH", "{wire: anthropic-messages}")
FEATURES = PlainAgent.features | {"model-switch"}


class StartsAnother(PlainAgent):
    """Keeps what was said as it was said, and tells a new instance of itself in words."""

    features = FEATURES

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        self.said: list[Message] = []

    def send(self, message: str) -> Any:
        self.said.append(Message("user", message))
        reply = super().send(message)
        self.said.append(Message("assistant", reply))
        return reply

    def answer(self, results: list[tuple[Any, str, str]]) -> None:
        super().answer(results)
        self.said += [Message("user", f"{name} returned: {text}") for _, name, text in results]

    def switch(self, setup: Setup) -> None:
        said = self.said
        self.__init__(replace(setup, history=tuple(said)))  # type: ignore[misc]
        self.said = said


class KeepsItsShape(PlainAgent):
    """Its provider is the same: the messages stay as they are."""

    features = FEATURES

    def switch(self, setup: Setup) -> None:
        self.setup = setup
        self.shape = SHAPES[setup.wire](setup)


class OnALoop(KeepsItsShape):
    async def switch(self, setup: Setup) -> None:  # type: ignore[override]
        await asyncio.sleep(0)
        super().switch(setup)

    async def send(self, message: str) -> str:
        return str(await asyncio.to_thread(super().send, message))


class KeepsTheOldModel(KeepsItsShape):
    def switch(self, setup: Setup) -> None:
        super().switch(replace(setup, model=self.setup.model))


class AsksForANamesake(KeepsItsShape):
    """Of a longer name that ends as that of the model does."""

    def switch(self, setup: Setup) -> None:
        super().switch(replace(setup, model=f"not-{setup.model}"))


class WritesTheProvider(KeepsItsShape):
    def switch(self, setup: Setup) -> None:
        super().switch(replace(setup, model=f"openai/{setup.model}"))


class DoesNotSwitch(KeepsItsShape):
    def switch(self, setup: Setup) -> None:
        pass


class CannotSwitch(KeepsItsShape):
    def switch(self, setup: Setup) -> None:
        raise KeyError(setup.model)


class SaysSoOnly(PlainAgent):
    features = FEATURES


@pytest.mark.parametrize("agent", [StartsAnother, KeepsItsShape, OnALoop, WritesTheProvider, Adapter])
def test_agent_that_goes_on_with_another_model_is_right(agent: Any) -> None:
    assert_right(agent, MODEL)


@pytest.mark.parametrize("agent", [StartsAnother, Adapter])
def test_agent_that_goes_on_with_another_provider_is_right(agent: Any) -> None:
    assert_right(agent, ELSEWHERE)


@pytest.mark.parametrize("text", [MODEL, ELSEWHERE])
def test_agent_in_another_process_is_right(text: str) -> None:
    adapter = command_adapter(
        f"{shlex.quote(sys.executable)} {BRIDGE} agent_conformance.reference:Adapter", cwd=Path.cwd()
    )

    assert_right(adapter, text)


@pytest.mark.parametrize("agent", [KeepsTheOldModel, AsksForANamesake, DoesNotSwitch])
def test_requests_for_the_old_model_are_one_finding(agent: Any) -> None:
    assert_breaks_only("named-model", agent, MODEL)


def test_requests_to_the_old_provider_are_one_finding() -> None:
    assert_breaks_only("named-model", DoesNotSwitch, ELSEWHERE)


def test_a_crash_on_the_change_is_that_of_the_turn() -> None:
    assert_breaks_only("answers", CannotSwitch, MODEL)


def test_agent_without_the_feature_or_the_wire_is_not_verified() -> None:
    class OneWire(KeepsItsShape):
        wires: ClassVar = ("openai-chat",)

    assert only_findings(PlainAgent, MODEL)["openai-chat+plain"] == ["not-verified: needs model-switch"]
    assert only_findings(OneWire, ELSEWHERE)["openai-chat+plain"] == ["not-verified: needs wire anthropic-messages"]


def test_adapter_without_the_method_has_no_verdict() -> None:
    [found] = only_findings(SaysSoOnly, MODEL).values()

    assert found == ["error: the adapter declares the feature model-switch, and has no method switch(setup)"]


def test_a_change_to_the_same_model_makes_no_case() -> None:
    assert only_findings(Adapter, TURNS.replace("SWITCH", "{model: {openai-chat: gpt-4.1}}")) == {}
    assert only_findings(Adapter, TURNS.replace("SWITCH", "{wire: openai-chat}")) == {}
    assert only_findings(Adapter, TURNS.replace("SWITCH", "{model: {ollama-chat: qwen3}}")) == {}


class NamesItsOwnModel(PlainAgent):
    def body(self) -> dict[str, Any]:
        return super().body() | {"model": "gpt-4.1-mini"}


def test_agent_may_have_a_model_of_its_own_where_there_is_one_provider() -> None:
    assert_right(NamesItsOwnModel, f"wires: [openai-chat]\n{ONE_CALL}")
