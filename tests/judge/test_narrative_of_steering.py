"""The narrative has what the user said during a turn, at its place among the requests."""

import pytest

from agent_conformance.scenario.model import Steer, Turn
from agent_conformance.transcripts.narrative import narrative
from agent_conformance.transcripts.transcript import Attempt, RecordedRequest, Transcript, TurnRecord
from fake_providers import Request, View

TURN = Turn(user="How long is the hall?", steer=[Steer(at="tool", user="Use metres.")])


def lines_of(steered_after: int | None, requests: int = 2) -> list[str]:
    """What happened in a turn, one word for each request, each attempt and what the user said."""
    made = [
        RecordedRequest("reply", place, Request("POST", "/", {}, b""), View("m", False))
        for place in range(1, requests + 1)
    ]
    attempt = Attempt(1, "measure", {}, accepted=True, enabled=True, requests_before=1)
    record = TurnRecord(
        1, TURN, requests=made, attempts=[attempt], steered_after=[] if steered_after is None else [steered_after]
    )
    known = {"request": "request", "ran": "ran", "the": "said"}
    words = [line.split()[0] for line in narrative(Transcript("whole", turns=[record])).splitlines()[2:]]
    return [known[word] for word in words if word in known]


@pytest.mark.parametrize(
    ("steered_after", "expected"),
    [
        (None, ["request", "ran", "request"]),
        (1, ["request", "said", "ran", "request"]),
        (2, ["request", "ran", "request", "said"]),
    ],
)
def test_what_the_user_said_stands_after_the_requests_that_had_arrived(
    steered_after: int | None, expected: list[str]
) -> None:
    assert lines_of(steered_after) == expected
