"""Bugs of agents whose tools are not functions of their own: the client runs them, or servers with names."""

from typing import Any

from agent_conformance import Setup, Tool, ToolCall
from tests.wrong_agents.sdk_loop import STOPPED, SdkLoop
from tests.wrong_agents.wrong import wrong

DEFERRED = "The client runs this call."


class ClientRunsTools(SdkLoop):
    """A run ends with the calls that the client has to run, and another one begins with their results."""

    def run_batch(self, answer: Any) -> None:
        self.messages.append(answer.model_dump(include={"role", "content", "tool_calls"}))
        self.messages += [self.result_of(call.id, DEFERRED) for call in answer.tool_calls]
        for call in answer.tool_calls:
            text = STOPPED if self.stopped else self.result(call.id, call.function.name, call.function.arguments)
            self.take_from_the_client(call.id, text)
        self.end_stopped()
        self.end_pending()

    def result_of(self, call_id: str, text: str) -> dict[str, Any]:
        return {"role": "tool", "tool_call_id": call_id, "content": text}

    def take_from_the_client(self, call_id: str, text: str) -> None:
        place = self.messages.index(self.result_of(call_id, DEFERRED))
        self.messages[place] = self.result_of(call_id, text)


@wrong("pydantic/pydantic-ai/issues/8181", ("round-trip/result-comes-back", "1.requests[0]"))
class DropsWhatTheClientGivesLater(ClientRunsTools):
    def take_from_the_client(self, call_id: str, text: str) -> None:
        return None


class ToolsOfServers(SdkLoop):
    """Each tool comes from one of two servers, and has the server's name before its own."""

    def __init__(self, setup: Setup) -> None:
        self.servers = {"web": setup.tools[::2], "web_scraper": setup.tools[1::2]}
        super().__init__(setup)

    def named(self) -> dict[str, Tool]:
        servers = self.servers.items()
        return {f"{server}_{tool.name}": tool for server, tools in servers for tool in tools if tool.enabled}

    def tools(self) -> list[Tool]:
        return [*self.named().values()]

    def declaration(self, tool: Tool) -> dict[str, Any]:
        declared = super().declaration(tool)
        declared["function"]["name"] = next(name for name, one in self.named().items() if one is tool)
        return declared

    def found(self, name: str) -> Tool | None:
        return self.named().get(name)

    def allowed(self, call: ToolCall) -> bool:
        return super().allowed(ToolCall(call.id, self.named()[call.name].name, call.arguments))


@wrong("NousResearch/hermes-agent/issues/30563", ("parallel/results-of-several-tools", "offered"))
class LosesToolsOfABuiltInName(ToolsOfServers):
    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        del self.servers["web"]


@wrong("bytedance/deer-flow/issues/3811", ("parallel/results-of-several-tools", "1.requests[0]"))
class AsksTheFirstServerWhoseNameFits(ToolsOfServers):
    def found(self, name: str) -> Tool | None:
        server = next((server for server in self.servers if name.startswith(f"{server}_")), "")
        tools = self.servers.get(server, ())
        return next((tool for tool in tools if tool.enabled and name == f"{server}_{tool.name}"), None)
