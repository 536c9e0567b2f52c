"""A side request uses up no reply of the script, and gets the reply that its adapter declares."""

from typing import Any, ClassVar

from tests.agents.plain import PlainAgent
from tests.trying import ONE_CALL, only_findings


class AsksForATitle(PlainAgent):
    """Requests a title of the conversation first, and does not declare that request a side request."""

    titles: ClassVar[list[str]] = []

    def begin(self, message: str) -> None:
        super().begin(message)
        body = self.shape.body(self.shape.user(f"A title, please: {message}"), [])
        self.titles.append(self.shape.read(self.post(body))[1])


class SaysSo(AsksForATitle):
    titles: ClassVar[list[str]] = []

    def side_request(self, body: dict[str, Any]) -> bool:
        return "A title, please" in str(body)


class SaysHowToAnswer(AsksForATitle):
    titles: ClassVar[list[str]] = []

    def side_request(self, body: dict[str, Any]) -> str:
        return '{"title": "Weather"}' if "A title, please" in str(body) else ""


def test_side_request_that_is_declared_is_answered_ok() -> None:
    assert not any(only_findings(SaysSo, ONE_CALL).values())
    assert set(SaysSo.titles) == {"OK"}


def test_side_request_is_answered_with_the_text_that_the_adapter_gives() -> None:
    assert not any(only_findings(SaysHowToAnswer, ONE_CALL).values())
    assert set(SaysHowToAnswer.titles) == {'{"title": "Weather"}'}


def test_side_request_that_is_not_declared_takes_up_a_reply() -> None:
    assert any(only_findings(AsksForATitle, ONE_CALL).values())
    assert "OK" not in AsksForATitle.titles
