"""Which calls of the provider's own tools a scripted reply may have. Knows the format, and no wire."""

from agent_conformance.scenario.checks.mistakes import Found
from agent_conformance.scenario.model import ReplySpec, Scenario
from agent_conformance.scenario.yaml_files.reading import KeyPath


def mistakes_in_server_calls(scenario: Scenario) -> Found:
    """Path and sentence of each mistake in `server_calls` and `finish: pause`."""
    for number, turn in enumerate(scenario.conversation):
        is_open = False
        for index, reply in enumerate(turn.model):
            path: KeyPath = ("conversation", number, "model", index)
            yield from _of_reply(reply, path, declared=list(scenario.server_tools), is_open=is_open)
            is_open = any(call.result is None for call in reply.server_calls)


def _of_reply(reply: ReplySpec, path: KeyPath, *, declared: list[str], is_open: bool) -> Found:
    if reply.finish == "pause" and (reply.calls or not reply.server_calls):
        yield (*path, "finish"), "`finish: pause` needs `server_calls`, and has no `calls` beside them."
    for index, call in enumerate(reply.server_calls):
        at = (*path, "server_calls", index)
        if call.name not in declared:
            yield (*at, "name"), f"`{call.name}` is not among the `server_tools` of this scenario. Name it there."
        if call.result is None and (reply.finish != "pause" or call is not reply.server_calls[-1]):
            yield at, "only the last call of a reply with `finish: pause` may be left open. Give its `result`."
        if call.arguments is None and (index or not is_open or call.result is None):
            yield (
                at,
                "without `arguments` it is the call that the reply before left open, and that left none. Give them.",
            )
