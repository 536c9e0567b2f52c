"""What an agent asks about models, while it is made and in a turn, is answered and takes up no reply of the script."""

from typing import Any, ClassVar

import pytest

from agent_conformance import Setup
from tests.agents.plain import CLIENT, PlainAgent
from tests.trying import ONE_CALL, only_findings

LISTS = {"gemini-generate": "/v1beta/models", "ollama-chat": "/api/tags", "anthropic-messages": "/v1/models"}


class ListsModels(PlainAgent):
    wires = tuple(wire for wire in PlainAgent.wires if wire != "bedrock-converse")  # another service lists its models
    seen: ClassVar[set[tuple[str, int, bool]]] = set()

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        self.look(setup)

    def send(self, message: str) -> Any:
        self.look(self.setup)
        return super().send(message)

    def look(self, setup: Setup) -> None:
        path = LISTS.get(setup.wire, "/models")
        response = CLIENT.get(setup.base_url + path, headers=self.shape.headers)
        self.seen.add((setup.wire, response.status_code, setup.model in response.text))


@pytest.mark.parametrize("transport", ["process", "socket"])
def test_agent_may_look_for_its_model_at_any_time(transport: str) -> None:
    ListsModels.seen.clear()

    assert not any(only_findings(ListsModels, ONE_CALL, transport=transport).values())
    assert ListsModels.seen == {(wire, 200, True) for wire in ListsModels.wires}


def test_model_of_the_scenario_is_the_one_that_is_listed() -> None:
    ListsModels.seen.clear()

    assert not any(
        only_findings(ListsModels, "model: {openai-chat: gpt-4o}\nwires: [openai-chat]\n" + ONE_CALL).values()
    )
    assert ListsModels.seen == {("openai-chat", 200, True)}
