"""An agent in another language, against a strict fake on a socket."""

from pathlib import Path

import pytest
from command_setups import a_setup, a_tool, turn

from agent_conformance import AgentError, ToolError
from agent_conformance.attach.command import command_adapter
from fake_providers import Call, Fault, Reply
from fake_providers.serving.loopback import serve

AGENT = Path(__file__).parent.parent / "agents" / "node_agent.mjs"
OSLO = Call("get_weather", {"city": "Oslo"})


@pytest.fixture(scope="module")
def adapter():
    cls = command_adapter(f"node {AGENT}")
    yield cls
    cls.launcher.end(cls.launcher.take()[0], gracefully=True)


def in_node(adapter, replies, *, tools=(), messages=("Weather?",)):
    with serve("openai", replies=replies) as fake:
        agent = adapter(a_setup(tools=tools, base_url=fake.base_url))
        try:
            got = [turn(agent, message)[1] for message in messages]
        finally:
            agent.close()
    assert not fake.violations
    return got, fake


def test_node_agent_calls_a_tool_and_replies(adapter):
    received = []
    weather = a_tool("get_weather", lambda arguments: received.append(arguments) or {"degrees": 7})
    got, fake = in_node(adapter, [Reply(calls=(OSLO,)), Reply(text="It is 7 degrees.")], tools=(weather,))

    assert got == ["It is 7 degrees."]
    assert received == [{"city": "Oslo"}]
    assert fake.views[-1].messages[-1].results[0].text == '{"degrees": 7}'


def test_node_agent_answers_an_unknown_tool(adapter):
    weather = a_tool("get_weather", lambda _: "7")
    replies = [Reply(calls=(Call("get_wether", {}),)), Reply(text="Sorry.")]
    got, fake = in_node(adapter, replies, tools=(weather,))

    assert got == ["Sorry."]
    assert fake.views[-1].messages[-1].results[0].text == "Error: there is no tool get_wether. Available: get_weather."


def test_node_agent_sends_a_tool_error_to_the_model(adapter):
    def fail(_):
        raise ToolError("no such city")

    _, fake = in_node(adapter, [Reply(calls=(OSLO,)), Reply(text="Sorry.")], tools=(a_tool("get_weather", fail),))

    assert fake.views[-1].messages[-1].results[0].text == "Error: no such city"


def test_node_agent_keeps_its_conversation(adapter):
    got, fake = in_node(adapter, [Reply(text="Hello."), Reply(text="Bye.")], messages=("Hi", "Bye"))

    assert got == ["Hello.", "Bye."]
    assert [message.text for message in fake.views[-1].messages] == ["Hi", "Hello.", "Bye"]


def test_node_agent_stops_at_the_limit(adapter):
    weather = a_tool("get_weather", lambda _: "7")

    with pytest.raises(AgentError, match="no answer within the limit"):
        in_node(adapter, [Reply(calls=(OSLO,))] * 30, tools=(weather,))


def test_node_agent_reports_a_provider_that_fails(adapter):
    with pytest.raises(AgentError, match="the provider answered 500"):
        in_node(adapter, [Reply(fault=Fault(status=500))])
