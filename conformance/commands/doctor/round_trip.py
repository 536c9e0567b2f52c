"""What one round on a target shows: whether it is reached, what each request carries, what becomes of the tools.

Each function gives the `Problem` of one performance of the probe `round`, or None. Knows transcripts; no agent.
"""

from collections.abc import Callable

from conformance.commands.doctor.check import Problem
from conformance.commands.doctor.probing import Performed
from conformance.judge.declarations import lost_properties
from conformance.judge.evidence import flat
from conformance.run.agent_setup import API_KEY, model_of
from conformance.run.session import MODEL_HOSTS
from conformance.scenario.model import ToolSpec
from fakes import Request, ViewTool, wire_named

Judge = Callable[[Performed], Problem | None]

TOLD = "so take the umbrella"
"""Words of the probe's last reply, which the agent's reply must have."""

WITHOUT_KEY = Request("POST", "/", {}, b"")

BASE_URL = "Give `setup.base_url`, whole and with its path, to the client that asks the model."
PATHS = (
    "Post what `setup.wire` names, to paths below `setup.base_url`: that has the form that the wire's official SDK "
    "takes, with `/v1` at its end for OpenAI's and without for Anthropic's and Gemini's."
)


def reaching(performed: Performed) -> Problem | None:
    """Why the target does not work: nothing arrived, it was refused, or it was asked for in the other mode."""
    if performed.transcript is None:
        return Problem(performed.verdict.reason, "`__init__` makes an agent for each wire in `wires`, of its `setup`.")
    if not performed.counted:
        return _not_reached(performed)
    if performed.case.mode == "stream" and not performed.counted[0].view.stream:
        change = "Ask as `setup.stream` says, or take 'stream' out of `modes`."
        return Problem("its request asks for a plain response", change)
    return _refused(performed)


def streaming_always(performed: Performed) -> Problem | None:
    """Asked to be plain, it streams. Some SDKs do on some wires, and cases are judged all the same: advice."""
    if performed.case.mode == "plain" and performed.counted and performed.counted[0].view.stream:
        return Problem(
            "its request asks for a stream all the same: its cases in plain show what those in stream show",
            "Ask as `setup.stream` says, where the agent can.",
        )
    return None


def _not_reached(performed: Performed) -> Problem:
    hosts = [host for host in performed.foreign if MODEL_HOSTS.search(host.partition(":")[0])]
    if hosts:
        return Problem(f"it asks {hosts[0]}, not the provider that it is given", BASE_URL)
    refused = _refused(performed)
    if refused is not None:
        return refused
    strays = [f"{e.http.method} {e.http.path}" for e in performed.requests if e.kind == "unknown"]
    if strays:
        return Problem(f"it asks {strays[0]}, which is no request of this wire", PATHS)
    return Problem(f"no request arrived; {_ending(performed)}", f"`send` must ask the model. {BASE_URL}")


def _refused(performed: Performed) -> Problem | None:
    for request in performed.requests:
        if request.violation is not None and request.refused:
            violation = request.violation
            place = f" at {violation.at}" if violation.at else ""
            return Problem(
                f"the provider refuses its request {request.number}{place}: {violation.status} {violation.message}",
                "Where the adapter makes requests or restores messages itself, mend that; else the agent is at fault.",
            )
    return None


def _ending(performed: Performed) -> str:
    record = performed.turns[0]
    if record.failure:
        return f"the turn ended in {'an' if record.outcome == 'error' else 'a'} {record.outcome}: {record.failure}"
    return f'send gave "{_short(record.reply)}"'


def base_url(performed: Performed) -> Problem | None:
    hosts = [host for host in performed.foreign if MODEL_HOSTS.search(host.partition(":")[0])]
    return Problem(f"it also asks {', '.join(hosts)}", BASE_URL) if hosts else None


def other_hosts(performed: Performed) -> Problem | None:
    """Hosts that serve no model: telemetry, price lists. Advice."""
    hosts = [host for host in performed.foreign if not MODEL_HOSTS.search(host.partition(":")[0])]
    if not hosts:
        return None
    return Problem(
        f"it looks for {', '.join(hosts)}, and is not let through", "Switch off telemetry and downloads in the adapter."
    )


def api_key(performed: Performed) -> Problem | None:
    """Where the provider asks for one: Ollama does not."""
    if wire_named(performed.case.wire).missing_key(WITHOUT_KEY) is None:
        return None
    for recorded in performed.counted:
        request = recorded.http
        if not any(API_KEY in value for value in (*request.headers.values(), request.path)):
            return Problem("its request has another key than the one given", "Give `setup.api_key` to the client.")
    return None


def model(performed: Performed) -> Problem | None:
    given = model_of(performed.case)
    other = next((request.view.model for request in performed.counted if request.view.model != given), None)
    if other is None:
        return None
    return Problem(f"its request names the model {other!r}; given was {given!r}", "Give `setup.model` to the client.")


def system(performed: Performed) -> Problem | None:
    wanted = performed.case.scenario.system
    if all(wanted in request.view.system for request in performed.counted):
        return None
    return Problem(
        f'its request has no system message with "{wanted}"',
        "Pass `setup.system` on as the instructions: scenarios that read it fail otherwise.",
    )


def side_requests(performed: Performed) -> Problem | None:
    """A request without the tools that another one offers. Advice: what follows may be its doing."""
    bare = next((request for request in performed.counted if not request.view.tools), None)
    if bare is None or not any(request.view.tools for request in performed.counted):
        return None
    return Problem(
        f"request {bare.number} offers no tool, and another one does; it has taken up a reply of the script",
        "If it is a side request, a title or a summary, say so with `side_request(request)`. What does not work "
        "below may come from this.",
    )


def offering(performed: Performed) -> Problem | None:
    tools = {tool.name: tool for tool in performed.counted[0].view.tools}
    for spec in performed.case.scenario.tools:
        tool = tools.get(spec.name)
        lost = "the tool" if tool is None else _lost(spec, tool)
        if lost:
            offered = ", ".join(tools) or "no tool"
            return Problem(
                f"the first request lacks {lost} {spec.name}; it offers {offered}",
                "Offer every tool of `setup.tools` with its name, `description` and `parameters`. Where the agent "
                "renames them, give the adapter `tool_names`.",
            )
    return None


def _lost(spec: ToolSpec, tool: ViewTool) -> str:
    if flat(spec.description) not in flat(tool.description):
        return "the description of"
    lost = [name for name, certain in lost_properties(spec.parameters, tool.parameters) if certain]
    return f"the parameter {lost[0]} of" if lost else ""


def executing(performed: Performed) -> Problem | None:
    record = performed.turns[0]
    wanted = ("get_weather", {"city": "Oslo"})
    ran = [(attempt.tool, attempt.arguments) for attempt in record.executions]
    if ran == [wanted]:
        return None
    if ran:
        shown = ", ".join(f"{name}({arguments})" for name, arguments in ran)
        return Problem(f"one call of get_weather was asked for; these ran: {shown}", "Run each call once.")
    if record.attempts:
        attempt = record.attempts[0]
        return Problem(
            f"{attempt.tool} was called with {attempt.arguments!r}, which its schema refuses",
            "Give `Tool.call` the whole object of arguments, as the model wrote it.",
        )
    return Problem(
        "the model called get_weather, and no tool was run",
        "Have the agent's tool run `tool.call(arguments)` or `await tool.acall(arguments)` of `setup.tools`.",
    )


def replying(performed: Performed) -> Problem | None:
    record = performed.turns[0]
    if record.outcome != "reply":
        return Problem(_ending(performed), "A controlled failure is an `AgentError` or a class in `errors`.")
    if TOLD in record.reply:
        return None
    return Problem(
        f'the model ended with "... {TOLD} ..."; send gave "{_short(record.reply)}"',
        "Return the agent's reply from `send`, or yield it. An agent that replies through a tool of its own has "
        "`reply_tool`.",
    )


def _short(text: str) -> str:
    line = flat(text)
    return line if len(line) <= 60 else f"{line[:60]}..."
