import asyncio

import pytest
from reference_setups import WIRES, Recorder, calls, scripted_fake, sent, setup_for, start_adapter

from agent_conformance import AgentError, Limits, Message, Reply, ToolCall
from fake_providers.reply import Call, Fault
from fake_providers.reply import Reply as Scripted

DONE = Scripted(text="It is 7 degrees in Oslo.")


@pytest.fixture(params=[(wire, stream) for wire in WIRES for stream in (False, True)], ids=lambda p: f"{p[0]}-{p[1]}")
def run_script(request, tmp_path):
    """Runs a script and returns reply, deltas, the fake and the tools that ran; the provider must refuse nothing."""
    wire, stream = request.param

    def run(*replies, messages=("What is the weather?",), tools=None, **more):
        recorder = Recorder()
        tools = [recorder.tool()] if tools is None else [tool(recorder) for tool in tools]
        fake = scripted_fake(wire, *replies)
        adapter = start_adapter(setup_for(wire, tmp_path, tools=tools, stream=stream, **more), fake)
        try:
            reply, deltas = sent(adapter, *messages)
        finally:
            assert [violation.rule for violation in fake.violations] == []
        return reply, deltas, fake, recorder.ran

    run.wire, run.stream = wire, stream
    return run


def test_result_goes_back_natively_and_the_reply_is_streamed(run_script):
    reply, deltas, fake, ran = run_script(calls("get_weather", city="Oslo"), DONE)

    assert reply == deltas == "It is 7 degrees in Oslo."
    assert ran == [("get_weather", {"city": "Oslo"})]
    assert [result.text for result in fake.views[1].messages[-1].results] == ["7 degrees"]


@pytest.mark.parametrize("wire", WIRES)
def test_streamed_text_is_shown_in_the_pieces_in_which_it_comes(wire, tmp_path):
    said = Scripted(text="It is 7 degrees in Oslo.", chunks=("It is ", "7 degrees ", "in Oslo."))
    adapter = start_adapter(setup_for(wire, tmp_path, stream=True), scripted_fake(wire, said))

    async def pieces():
        return [piece async for piece in adapter.send("What is the weather?") if not isinstance(piece, Reply)]

    assert asyncio.run(pieces()) == ["It is", " 7 degrees", " in Oslo."]


def test_parallel_calls_are_each_answered_in_order(run_script):
    _, _, fake, ran = run_script(calls("get_weather", "ghost", "get_weather", city="Oslo"), DONE)

    results = fake.views[1].messages[-1].results
    assert len(ran) == 2
    assert [("7 degrees" in result.text, "ghost" in result.text) for result in results] == [
        (True, False),
        (False, True),
        (True, False),
    ]


def test_unknown_name_is_answered_with_the_name_and_the_list(run_script):
    reply, _, fake, ran = run_script(calls("ghost"), DONE)

    result = fake.views[1].messages[-1].results[0].text
    assert (reply, ran) == ("It is 7 degrees in Oslo.", [])
    assert "ghost" in result
    assert "get_weather" in result


def test_unknown_name_for_ever_ends_the_turn(run_script):
    reply, _, fake, ran = run_script(*(calls("ghost") for _ in range(30)))

    assert reply.strip()
    assert ran == []
    assert len(fake.requests) == 5


def test_new_unknown_names_for_ever_end_the_turn(run_script):
    reply, _, fake, _ = run_script(*(calls(f"ghost_{n}") for n in range(30)))

    assert reply.strip()
    assert len(fake.requests) <= 9


def test_same_call_with_the_same_result_ends_the_turn(run_script):
    reply, _, fake, ran = run_script(*(calls("get_weather", city="Oslo") for _ in range(30)))

    assert reply.strip()
    assert len(ran) == 3
    assert len(fake.requests) <= 10


def test_limit_on_requests_is_kept(run_script):
    _, _, fake, ran = run_script(
        *(calls("get_weather", city=f"City {n}") for n in range(30)), limits=Limits(requests=4)
    )

    assert len(fake.requests) == 4
    assert len(ran) == 3


def test_tool_error_is_sent_to_the_model(run_script):
    reply, _, fake, _ = run_script(calls("get_weather"), DONE, tools=[lambda r: r.tool(returns="no power", fails=True)])

    assert reply == "It is 7 degrees in Oslo."
    assert "no power" in fake.views[1].messages[-1].results[0].text


def test_no_tools_leave_no_trace_in_the_request(run_script):
    reply, _, fake, _ = run_script(Scripted(text="Hello."), tools=[])

    assert reply == "Hello."
    assert fake.views[0].fields == frozenset()
    assert fake.views[0].system == ""


def test_disabled_tool_is_neither_offered_nor_run(run_script):
    tools = [lambda r: r.tool(), lambda r: r.tool("shell", is_enabled=lambda: False)]

    _, _, fake, ran = run_script(calls("shell"), DONE, tools=tools)

    assert [tool.name for tool in fake.views[0].tools] == ["get_weather"]
    assert ran == []


def test_call_written_as_text_runs_once_and_goes_back_natively(run_script):
    text = '<tool_call>{"name": "get_weather", "arguments": {"city": "Oslo"}}</tool_call>'

    reply, deltas, fake, ran = run_script(Scripted(text=text), DONE)

    assert reply == deltas == "It is 7 degrees in Oslo."
    assert ran == [("get_weather", {"city": "Oslo"})]
    assert "<tool_call>" not in fake.views[1].texts
    assert fake.views[1].messages[-1].results


def test_text_with_native_calls_is_not_read_for_calls(run_script):
    text = '<tool_call>{"name": "get_weather", "arguments": {"city": "Rome"}}</tool_call>'

    _, deltas, _, ran = run_script(Scripted(text=text, calls=(Call("get_weather", {"city": "Oslo"}),)), DONE)

    assert ran == [("get_weather", {"city": "Oslo"})]
    assert "tool_call" not in deltas


def test_call_that_cannot_run_gets_another_request(run_script):
    reply, deltas, fake, ran = run_script(Scripted(text="<tool_call>utter nonsense, no call</tool_call>"), DONE)

    assert reply == deltas == "It is 7 degrees in Oslo."
    assert ran == []
    assert len(fake.requests) == 2
    assert "nonsense" not in fake.views[1].texts


def test_empty_answer_gets_another_request_and_then_is_an_error(run_script):
    reply, _, fake, _ = run_script(Scripted(text=""), DONE)

    assert reply == "It is 7 degrees in Oslo."
    with pytest.raises(AgentError, match="empty"):
        run_script(*(Scripted(text="") for _ in range(9)), messages=("Again?",))
    assert len(fake.requests) == 2


def test_calls_of_a_message_that_was_cut_off_do_not_run(run_script):
    cut = Scripted(calls=(Call("get_weather", {"city": "Oslo"}),), finish="length")

    reply, _, fake, ran = run_script(cut, DONE)

    assert (reply, ran) == ("It is 7 degrees in Oslo.", [])
    assert "cut off" in fake.views[1].messages[-1].results[0].text


def test_reply_is_never_of_an_earlier_turn(run_script):
    with pytest.raises(AgentError):
        run_script(Scripted(text="Paris."), *(Scripted(text="") for _ in range(9)), messages=("Capital?", "And now?"))


def test_temporary_fault_repeats_the_request_and_no_tool(run_script):
    fault = Scripted(fault=Fault(status=503, retry_after=0.001))

    reply, _, fake, ran = run_script(calls("get_weather", city="Oslo"), fault, fault, DONE)

    assert reply == "It is 7 degrees in Oslo."
    assert len(ran) == 1
    assert fake.requests[1].body == fake.requests[3].body


def test_permanent_fault_is_an_error_after_a_few_attempts(run_script):
    fault = Scripted(fault=Fault(status=500, retry_after=0.001))

    with pytest.raises(AgentError, match="500"):
        run_script(*(fault for _ in range(9)))


def test_refusal_of_the_request_is_not_repeated(run_script):
    with pytest.raises(AgentError, match="400"):
        run_script(Scripted(fault=Fault(status=400)), DONE)


def test_broken_history_is_repaired(run_script):
    history = (
        Message("assistant", "", tool_calls=(ToolCall("a", "get_weather", {}),)),
        Message("tool", "lost", tool_call_id="a"),
        Message("user", "Hello."),
        Message("assistant", "", tool_calls=(ToolCall("b", "get_weather", {}), ToolCall("b", "get_weather", {}))),
        Message("tool", "orphan", tool_call_id="zzz"),
        Message("system", "Be kind."),
    )

    reply, _, fake, _ = run_script(Scripted(text="Hello."), history=history)

    assert reply == "Hello."
    assert fake.views[0].messages[0].role == "user"
    assert "Be kind." in fake.views[0].system


def test_limit_on_tokens_keeps_the_question_in_every_request(run_script):
    big = [lambda r: r.tool(returns="x" * 4000)]
    script = [*(calls("get_weather", city=f"City {n}") for n in range(6)), DONE]

    reply, _, fake, ran = run_script(*script, tools=big, limits=Limits(context_tokens=1500))

    assert reply == "It is 7 degrees in Oslo."
    assert len(ran) == 6
    for view in fake.views:
        assert "What is the weather?" in view.texts
        assert len(view.texts) < 1500 * 4


def test_odd_names_are_offered_under_valid_ones_and_run(run_script):
    reply, _, fake, ran = run_script(calls("node_js"), DONE, tools=[lambda r: r.tool("node.js")])

    assert reply == "It is 7 degrees in Oslo."
    assert ran == [("node.js", {})]
    assert [tool.name for tool in fake.views[0].tools] == ["node_js"]
