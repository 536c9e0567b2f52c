"""An adapter that knows nothing of pictures gets a text where a tool returns one, and is accused of nothing."""

import json
from typing import Any

from tests.agents.plain import PlainAgent
from tests.trying import only_findings

SCREENSHOT = """
wires: [openai-chat]
tools:
  - name: screenshot
    description: A picture of a page.
    parameters: {}
    content: [{text: the login page}, {image: {width: 8, height: 8}}]
conversation:
  - user: Take a screenshot.
    model:
      - calls: [{name: screenshot}]
      - text: It is the login page.
    expect:
      requests: [{at: 2, added: {contains: [the login page]}}]
"""


class Careful(PlainAgent):
    """Right: what is no text goes to the model as JSON."""

    features = PlainAgent.features - {"images"}

    def run(self, name: str, arguments: Any) -> str:
        (tool,) = self.tools()
        value = tool.call(arguments)
        return value if isinstance(value, str) else json.dumps(value)


class CarefulWithPictures(Careful):
    """Wrong: it declares that it sends pictures, and makes JSON of a `Part`."""

    features = PlainAgent.features | {"images"}


def test_careful_agent_without_pictures_is_right() -> None:
    assert [list(found) for found in only_findings(Careful, SCREENSHOT).values()] == [[]]


def test_agent_that_declares_pictures_gets_parts() -> None:
    assert "answers" in str(only_findings(CarefulWithPictures, SCREENSHOT))
