"""A second provider: right agents of three styles pass, and wrong ones have one finding."""

import shlex
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agent_conformance import Message, Setup
from agent_conformance.attach.command import command_adapter
from agent_conformance.reference import Adapter
from tests.agents.plain import SHAPES, GaveUp, PlainAgent
from tests.judge.trying_laws import BRIDGE, assert_breaks_only, assert_right
from tests.trying import only_findings

TEXT = """
wires: [openai-chat]
fallback: FALLBACK
tools:
  - name: pay
    description: Pays a bill.
    parameters: {}
    returns: paid as number 4711
conversation:
  - user: Pay my bill.
    model:
      - calls: [{name: pay}]
        until: answered
      - fault: {status: 429, retry_after: 0}
        forever: true
      - text: I paid it.
    expect:
      executed: [{pay: {}}]
      reply: I paid it.
      requests: [{at: 2, contains: [paid as number 4711]}]
  - user: Thank you.
    model:
      - text: You are welcome.
"""
SAME = TEXT.replace("FALLBACK", "{provider: groq}")
ELSEWHERE = TEXT.replace("FALLBACK", "{provider: anthropic, wire: anthropic-messages}")


class AsksTheOtherOnce(PlainAgent):
    """Sends a request that failed to the second provider, and the next one to the first again."""

    features = PlainAgent.features | {"fallback"}

    def post(self, body: dict[str, Any]) -> dict[str, Any]:
        try:
            return super().post(body)
        except GaveUp:
            first = self.setup
            second = first.fallback
            assert second is not None
            self.setup = replace(first, base_url=second.base_url, api_key=self.key_there())
            self.shape = SHAPES[first.wire](self.setup)
            try:
                return super().post({**body, "model": self.name_there()})
            finally:
                self.setup, self.shape = first, SHAPES[first.wire](first)

    def key_there(self) -> str:
        assert self.setup.fallback is not None
        return self.setup.fallback.api_key

    def name_there(self) -> str:
        assert self.setup.fallback is not None
        return self.setup.fallback.model


class MovesThere(PlainAgent):
    """Goes on with the second provider for good, and tells it in words what was said and found."""

    features = AsksTheOtherOnce.features

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        self.said: list[Message] = []

    def begin(self, message: str) -> None:
        super().begin(message)
        self.said = [*getattr(self, "said", []), Message("user", message)]

    def answer(self, results: list[tuple[Any, str, str]]) -> None:
        super().answer(results)
        self.said += [Message("user", f"{name} returned: {text}") for _, name, text in results]

    def reply(self, text: str) -> str:
        self.said.append(Message("assistant", text))
        return text

    def ask(self) -> Any:
        try:
            return super().ask()
        except GaveUp:
            second = self.setup.fallback
            if second is None:
                raise
            there = replace(self.setup, wire=second.wire, provider=second.provider, base_url=second.base_url)
            said = self.said
            there = replace(there, api_key=second.api_key, model=second.model)
            PlainAgent.__init__(self, replace(there, history=tuple(said), fallback=None))
            self.said = said
            return super().ask()


class NamesTheFirstModel(AsksTheOtherOnce):
    def name_there(self) -> str:
        return self.setup.model


class AsksNobody(PlainAgent):
    features = AsksTheOtherOnce.features


class BeginsAgain(AsksTheOtherOnce):
    """Forgets what it did in the turn, as an agent that runs a failed turn once more."""

    def post(self, body: dict[str, Any]) -> dict[str, Any]:
        try:
            return PlainAgent.post(self, body)
        except GaveUp:
            place = max(at for at, message in enumerate(self.messages) if message["role"] == "user")
            del self.messages[place + 1 :]
            return super().post({**body, "messages": self.messages})


@pytest.mark.parametrize("agent", [AsksTheOtherOnce, MovesThere, Adapter])
def test_agent_that_asks_a_second_provider_is_right(agent: Any) -> None:
    assert_right(agent, SAME)


@pytest.mark.parametrize("agent", [MovesThere, Adapter])
def test_agent_that_asks_on_another_wire_is_right(agent: Any) -> None:
    assert_right(agent, ELSEWHERE)


def test_agent_in_another_process_is_right() -> None:
    adapter = command_adapter(
        f"{shlex.quote(sys.executable)} {BRIDGE} agent_conformance.reference:Adapter", cwd=Path.cwd()
    )

    assert_right(adapter, ELSEWHERE)


def test_the_name_of_the_first_model_is_one_finding() -> None:
    assert_breaks_only("named-model", NamesTheFirstModel, SAME)


def test_a_turn_that_ends_with_the_first_provider_is_one_finding() -> None:
    assert_breaks_only("1.outcome", AsksNobody, SAME)


def test_a_turn_that_is_begun_again_has_lost_its_call() -> None:
    assert only_findings(BeginsAgain, SAME)["openai-chat+plain"] == ["paired"]


def test_without_the_feature_or_the_wire_it_is_not_verified() -> None:
    class OneWire(AsksTheOtherOnce):
        wires = ("openai-chat",)  # type: ignore[assignment]

    assert only_findings(PlainAgent, SAME)["openai-chat+plain"] == ["not-verified: needs fallback"]
    assert only_findings(OneWire, ELSEWHERE)["openai-chat+plain"] == ["not-verified: needs wire anthropic-messages"]


def test_a_second_provider_that_does_not_speak_the_wire_makes_no_case() -> None:
    assert only_findings(Adapter, SAME.replace("groq", "gemini").replace("openai-chat", "ollama-chat")) == {}
    assert only_findings(Adapter, SAME.replace("groq", "openai")) == {}


class HandsTheKeyOn(AsksTheOtherOnce):
    def key_there(self) -> str:
        return self.setup.api_key


def test_key_of_the_first_provider_is_sent_to_no_other() -> None:
    assert_breaks_only("key-kept", HandsTheKeyOn, SAME)
