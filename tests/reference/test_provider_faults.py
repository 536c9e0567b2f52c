"""The reference agent meets every named fault on every wire: it ignores noise, and retries after a fault."""

from dataclasses import replace
from pathlib import Path

import httpx2
import pytest
from reference_setups import WIRES, Recorder, sent, setup_for

from agent_conformance import AgentError
from agent_conformance.agents.reference import Adapter
from fake_providers import Call, Fault, Reply, ScriptedFake
from fake_providers.faults import FAULTS
from fake_providers.provider_facts import own_provider
from fake_providers.replies.transport_faults import features_of
from fake_providers.transport.answerer import Answerer, Mounts
from fake_providers.transport.hook import InterceptedRequest
from fake_providers.wire_facts import can_express
from tests.tables import rows

SAID = "It is 7 degrees in Zürich 🌏, and the wind comes from the west."
CALL = Reply(calls=(Call("get_weather", {"city": "Zürich"}),))
LASTING = {("quota", "openai-chat"), ("quota", "openai-responses")}
CELLS = [
    (name, wire, stream)
    for name, fault in FAULTS.items()
    for wire in WIRES
    for stream in (False, True)
    if fault.connection != "silent"
    and (name, wire) not in LASTING
    and all(can_express(feature, wire=wire, mode="stream" if stream else "plain") for feature in features_of(fault))
]


WHOLE = {("no-terminator", wire) for wire in ("openai-chat", "bedrock-converse", "cohere-chat")}
"""A finish without `[DONE]` is a whole answer: compatible servers leave it out. Bedrock's last event has the usage."""


class Hurried(Adapter):
    """The reference agent without its pauses."""

    defences = replace(Adapter.defences, retry_delay=lambda error, attempt: 0.0)


class Real(httpx2.AsyncBaseTransport):
    """The fake's responses as httpx2 sees them, with noise, early ends and losses."""

    def __init__(self, fake: ScriptedFake) -> None:
        mounts = Mounts("reference")
        self._prefix = f"/{mounts.mount(fake)}"
        self._answerer = Answerer(mounts)

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        await request.aread()
        response: httpx2.Response = await InterceptedRequest(
            httpx2, request, self._answerer, prefix=self._prefix
        ).aanswer()
        return response


def run_turn(fake: ScriptedFake, wire: str, folder: Path, *, stream: bool) -> tuple[str, str, list[object]]:
    """The reply, the deltas joined, and what ran."""
    tools = Recorder()
    setup = setup_for(wire, folder, tools=[tools.tool()], stream=stream)
    reply, deltas = sent(Hurried(setup, transport=Real(fake)), "How warm is it?")
    return reply, deltas, list(tools.ran)


@rows("name, wire, stream", CELLS, group=lambda cell: cell[1])
def test_every_fault_is_survived(name: str, wire: str, stream: bool, tmp_path: Path) -> None:
    fault = FAULTS[name]
    script = [CALL, Reply(text=SAID)]
    faults = {2: fault} if (name, wire) in WHOLE else {1: fault, 2: fault, 3: fault}
    fake = ScriptedFake(own_provider(wire), script, wire=wire, faults=faults)
    folder = tmp_path / f"{name}-{stream}"
    folder.mkdir()

    reply, deltas, ran = run_turn(fake, wire, folder, stream=stream)

    assert reply == SAID
    assert deltas in ("", SAID)
    assert ran == [("get_weather", {"city": "Zürich"})]
    assert fake.violations == []


@pytest.mark.slow
@pytest.mark.parametrize("wire", WIRES)
def test_stream_cut_at_any_byte_is_retried_and_shown_once(wire: str, tmp_path: Path) -> None:
    length = len(_whole(wire, tmp_path))
    places = [*range(0, length, max(1, length // 60)), length - 1]
    for at in places:
        fake = ScriptedFake(own_provider(wire), [Reply(text=SAID)], wire=wire, faults={1: Fault(cut_at=at)})

        assert run_turn(fake, wire, tmp_path, stream=True) == (SAID, SAID, []), f"cut at byte {at} of {length}"


def _whole(wire: str, folder: Path) -> bytes:
    bodies: list[bytes] = []

    class Listening(ScriptedFake):
        def handle(self, request):  # type: ignore[no-untyped-def]
            response = super().handle(request)
            bodies.append(response.body)
            return response

    run_turn(Listening(own_provider(wire), [Reply(text=SAID)], wire=wire), wire, folder, stream=True)
    return bodies[0]


def test_fault_that_stays_ends_in_a_controlled_failure(tmp_path: Path) -> None:
    for name in ("reset", "page-under-200", "empty-body", "no-finish"):
        fake = ScriptedFake("openai", [Reply(text=SAID)], faults=dict.fromkeys(range(1, 9), FAULTS[name]))

        with pytest.raises(AgentError):
            run_turn(fake, "openai-chat", tmp_path, stream=True)
        assert len(fake.requests) == 4


@pytest.mark.parametrize(("name", "wire"), sorted(LASTING))
def test_used_up_quota_gets_one_request(name: str, wire: str, tmp_path: Path) -> None:
    fake = ScriptedFake(own_provider(wire), [Reply(text=SAID)], wire=wire, faults={1: FAULTS[name]})

    with pytest.raises(AgentError, match="exceeded your current quota"):
        run_turn(fake, wire, tmp_path, stream=False)
    assert len(fake.requests) == 1
