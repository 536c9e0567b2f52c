import asyncio

import pytest
from reference_setups import WIRES, Recorder, calls, scripted_fake, sent, setup_for, start_adapter

from agent_conformance import Cancelled
from agent_conformance.agents.reference import state
from agent_conformance.agents.reference.history import Call, Entry, Result, Thought
from fake_providers.reply import Fault
from fake_providers.reply import Reply as Scripted

DONE = Scripted(text="Done.")


def test_restarted_conversation_continues(tmp_path):
    wire = WIRES[0]
    setup = setup_for(wire, tmp_path, tools=[Recorder().tool()])
    sent(start_adapter(setup, scripted_fake(wire, calls("get_weather"), DONE)), "One.")
    fake = scripted_fake(wire, DONE)

    sent(start_adapter(setup, fake), "Two.")

    assert [message.role for message in fake.views[0].messages] == ["user", "assistant", "tool", "assistant", "user"]
    assert "One." in fake.views[0].texts


def test_conversation_is_the_same_after_saving_and_loading(tmp_path):
    call = Call("a", "look", {"x": [1]}, signature="s")
    history = (
        Entry("user", "Hé \ud800"),
        Entry("model", "So.", (call, Call("b", "look", None, "bad")), thoughts=(Thought("hm", "s"),), signature="t"),
        Entry("results", results=(Result("a", "look", "7"), Result("b", "look", "Error", is_error=True))),
    )

    state.save(history, tmp_path)

    assert state.load(tmp_path) == history


def test_conversation_is_saved_where_no_folder_is_yet(tmp_path):
    folder = tmp_path / "sessions" / "one"

    state.save((Entry("user", "Hello."),), folder)

    assert state.load(folder) == (Entry("user", "Hello."),)


def test_nothing_or_garbage_on_disk_is_no_conversation(tmp_path):
    assert state.load(tmp_path) is None

    (tmp_path / state.FILE).write_text("[{")

    assert state.load(tmp_path) is None


@pytest.mark.parametrize("wire", WIRES)
def test_conversation_continues_after_a_cancelled_turn(wire, tmp_path):
    recorder = Recorder()
    adapter = None

    def cancelling(arguments):
        recorder.ran.append(arguments)
        adapter.cancel()
        return "7 degrees"

    tool = recorder.tool()
    tool._run = cancelling

    async def arun(arguments):
        return cancelling(arguments)

    tool._arun = arun
    fake = scripted_fake(wire, calls("get_weather", "get_weather"), DONE)
    adapter = start_adapter(setup_for(wire, tmp_path, tools=[tool], stream=True), fake)

    async def drive():
        with pytest.raises(Cancelled):
            async for _ in adapter.send("Look."):
                pass
        return "".join([piece async for piece in adapter.send("Go on.")])

    assert "Done." in asyncio.run(drive())
    assert fake.violations == []
    assert len(recorder.ran) == 2


@pytest.mark.parametrize("wire", WIRES)
def test_turn_can_be_cancelled_between_two_pieces(wire, tmp_path):
    fake = scripted_fake(wire, Scripted(text="Once upon a time there was a fox."), DONE)
    adapter = start_adapter(setup_for(wire, tmp_path, stream=True), fake)
    shown = []

    async def cancelled_at_first_piece():
        async for piece in adapter.send("A story."):
            shown.append(piece)
            adapter.cancel()
            await asyncio.sleep(0)

    async def drive():
        with pytest.raises(Cancelled):
            await cancelled_at_first_piece()
        return "".join([piece async for piece in adapter.send("Go on.")])

    assert "Done." in asyncio.run(drive())
    assert fake.violations == []
    assert len(shown) == 1


def test_waiting_for_the_provider_can_be_cancelled_from_another_thread(tmp_path):
    import threading

    import httpx2

    from agent_conformance.agents.reference import Adapter

    requested = threading.Event()

    class Silent(httpx2.AsyncBaseTransport):
        async def handle_async_request(self, request):
            requested.set()
            await asyncio.Event().wait()

    adapter = Adapter(setup_for(WIRES[0], tmp_path), transport=Silent())
    threading.Thread(target=lambda: (requested.wait(), adapter.cancel())).start()

    async def drive():
        with pytest.raises(Cancelled):
            async for _ in adapter.send("Look."):
                pass
        await adapter.close()
        return asyncio.current_task().cancelling()

    assert asyncio.run(drive()) == 0, "whoever called the agent is not cancelled"


def test_every_request_says_that_its_body_is_json(tmp_path):
    fake = scripted_fake(WIRES[0], calls("get_weather"), DONE)

    sent(start_adapter(setup_for(WIRES[0], tmp_path, tools=[Recorder().tool()]), fake), "Look.")

    assert [request.headers["content-type"] for request in fake.requests] == ["application/json"] * 2


def test_cancelling_while_no_turn_runs_changes_nothing(tmp_path):
    adapter = start_adapter(setup_for(WIRES[0], tmp_path), scripted_fake(WIRES[0], DONE))

    adapter.cancel()
    reply, _ = sent(adapter, "Look.")
    adapter.cancel()

    assert reply == "Done."


def test_failed_turn_is_closed_in_the_history(tmp_path):
    wire = WIRES[0]
    fake = scripted_fake(wire, Scripted(fault=Fault(status=400)), DONE)
    adapter = start_adapter(setup_for(wire, tmp_path), fake)

    async def drive():
        with pytest.raises(Exception, match="400"):
            async for _ in adapter.send("One."):
                pass
        return [piece async for piece in adapter.send("Two.")]

    asyncio.run(drive())

    assert [message.role for message in fake.views[-1].messages] == ["user", "assistant", "user"]


def test_observer_gets_an_unknown_tool_and_may_raise(tmp_path):
    reported = []

    def observe(event):
        reported.append(event["event"])
        raise RuntimeError("the observer is broken")

    wire = WIRES[0]
    fake = scripted_fake(wire, calls("get_weather", "ghost"), DONE)
    setup = setup_for(wire, tmp_path, tools=[Recorder().tool()], observe=observe)

    reply, _ = sent(start_adapter(setup, fake), "Look.")

    assert reply == "Done."
    assert reported == ["unknown-tool"]
