"""`kept-whole`: an empty text is a right result of a tool that returned nothing, and a lost one of any other."""

from typing import Any

import pytest

from tests.agents.plain import PlainAgent
from tests.trying import ONE_CALL, only_findings


class SendsNothing(PlainAgent):
    """The result of each call is an empty text."""

    def run(self, name: str, arguments: Any) -> str:
        super().run(name, arguments)
        return ""


def laws(returned: str) -> str:
    text = "wires: [openai-chat]\n" + ONE_CALL.replace("returns: 7 degrees and rain", f"returns: {returned}")
    return str([*only_findings(SendsNothing, text).values()])


@pytest.mark.parametrize("returned", ["null", "''", "[]", "{}"])
def test_nothing_may_be_an_empty_text(returned: str) -> None:
    assert "arrives" not in laws(returned)


@pytest.mark.parametrize("returned", ["0", "'false'", "7 degrees and rain"])
def test_anything_else_may_not(returned: str) -> None:
    assert "arrives" in laws(returned)
