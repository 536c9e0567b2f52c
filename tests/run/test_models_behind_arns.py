"""A scenario says which model an ARN stands for, and the rules of its family hold."""

import pytest

from tests.agents.plain import PlainAgent
from tests.trying import only_findings

ARN = "arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/abc"
BEGINS_WITH_THE_ASSISTANT = """
wires: [bedrock-converse]
modes: first
model: {{bedrock-converse: "{model}"}}
{served}
history:
  - assistant: What can I do for you?
conversation:
  - user: Say hello.
    model:
      - text: Hello.
"""


class Unrepaired(PlainAgent):
    wires = ("bedrock-converse",)


@pytest.mark.parametrize(
    ("model", "served", "refused"),
    [
        (ARN, "", False),
        (ARN, "served_model: us.anthropic.claude-sonnet-4-6", False),
        (ARN, "served_model: us.meta.llama3-3-70b-instruct-v1:0", True),
        ("us.anthropic.claude-sonnet-4-6", "served_model: us.meta.llama3-3-70b-instruct-v1:0", False),
    ],
)
def test_rules_of_the_model_behind_an_arn_hold(model: str, served: str, refused: bool) -> None:
    text = BEGINS_WITH_THE_ASSISTANT.format(model=model, served=served)

    found = only_findings(Unrepaired, text)

    assert list(found.values()) == [["accepted:bedrock/start-with-user" if refused else "user-first"]]
