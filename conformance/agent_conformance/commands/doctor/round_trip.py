"""What the probe `round` shows on a target: whether it is reached, what requests contain, whether tools run.

Each function returns the `Failure` of one run of the probe, or None.
"""

from collections.abc import Callable

from agent_conformance.commands.doctor.probe_runner import Failure, ProbeRun, crash
from agent_conformance.judge.case_evidence import flat
from agent_conformance.judge.declarations import lost_properties
from agent_conformance.run.agent.agent_setup import API_KEY
from agent_conformance.run.case_session import MODEL_HOSTS
from agent_conformance.scenario.derived.routes import first_target
from agent_conformance.scenario.model import ToolSpec
from agent_conformance.transcripts.redaction import redacted
from fake_providers import Request, ViewTool, wire_named

Judge = Callable[[ProbeRun], Failure | None]

EXPECTED_REPLY = "so take the umbrella"
"""A part of the probe's last reply, which the agent's reply must contain."""

WITHOUT_KEY = Request("POST", "/", {}, b"")

BASE_URL = "Pass `setup.base_url`, with its path, to the client that sends model requests."
PATHS = (
    "Send requests of `setup.wire` to paths below `setup.base_url`. It has the form that the wire's official SDK "
    "takes: with `/v1` at its end for OpenAI, without it for Anthropic and Gemini."
)


def reached(probe_run: ProbeRun) -> Failure | None:
    """Why the target does not work: no request arrived, it was refused, or it has the other mode."""
    if probe_run.transcript is None:
        return Failure(
            probe_run.verdict.reason, "`__init__` must make an agent from `setup`, for each wire in `wires`."
        )
    if not probe_run.counted:
        hosts = [host for host in probe_run.foreign if MODEL_HOSTS.search(host.partition(":")[0])]
        if hosts:
            return Failure(f"it sends its request to {hosts[0]}, not to `setup.base_url`", BASE_URL)
        refused = _refused(probe_run)
        if refused is not None:
            return refused
        strays = [f"{e.http.method} {e.http.path}" for e in probe_run.requests if e.kind == "unknown"]
        if strays:
            return Failure(f"it sends {strays[0]}, which is not a request of this wire", PATHS)
        return Failure(
            f"no request arrived; {_turn_ending(probe_run)}", f"`send` must send a model request. {BASE_URL}"
        )
    if probe_run.transcript.lists_no_tools and probe_run.verdict.outcome == "error":
        return Failure(
            probe_run.verdict.reason, "See the program's log: where it reads its MCP servers, and of what kind."
        )
    if probe_run.case.mode == "stream" and not probe_run.counted[0].view.stream:
        fix = "Stream if `setup.stream` is true, or take 'stream' out of `modes`."
        return Failure("its request is for a plain response", fix)
    return _refused(probe_run)


def streams_always(probe_run: ProbeRun) -> Failure | None:
    """It streams in the mode `plain`, as some SDKs do on some wires. Cases are judged all the same: advice."""
    if probe_run.case.mode == "plain" and probe_run.counted and probe_run.counted[0].view.stream:
        return Failure(
            "its request is for a stream: cases in the mode plain show the same as those in the mode stream",
            "Send plain requests if `setup.stream` is false, if the agent can.",
        )
    return None


def _refused(probe_run: ProbeRun) -> Failure | None:
    for request in probe_run.requests:
        if request.violation is not None and request.refused:
            violation = request.violation
            place = f" at {violation.at}" if violation.at else ""
            return Failure(
                f"the provider refuses its request {request.number}{place}: {violation.status} {violation.message}",
                "If the adapter itself makes requests or restores messages, fix it there; else the agent is at fault.",
            )
    return None


def _turn_ending(probe_run: ProbeRun) -> str:
    record = probe_run.turns[0]
    if record.failure:
        article = "an" if record.outcome == "error" else "a"
        return f"the turn ended in {article} {record.outcome}: {record.described_failure}"
    return f'`send` returned "{_short(record.reply)}"'


def base_url(probe_run: ProbeRun) -> Failure | None:
    hosts = [host for host in probe_run.foreign if MODEL_HOSTS.search(host.partition(":")[0])]
    return Failure(f"it also sends requests to {', '.join(hosts)}", BASE_URL) if hosts else None


def other_hosts(probe_run: ProbeRun) -> Failure | None:
    """Hosts that serve no model: telemetry, price lists. Advice."""
    hosts = [host for host in probe_run.foreign if not MODEL_HOSTS.search(host.partition(":")[0])]
    if not hosts:
        return None
    return Failure(
        f"it tries to reach {', '.join(hosts)}, which is blocked", "Switch off telemetry and downloads in the adapter."
    )


def api_key(probe_run: ProbeRun) -> Failure | None:
    """If the provider needs one: Ollama does not."""
    if wire_named(probe_run.case.wire).missing_key(WITHOUT_KEY) is None:
        return None
    for recorded in probe_run.counted:
        request = recorded.http
        sent = (*request.headers.values(), request.path)
        if not any(API_KEY in value or redacted(API_KEY) in value for value in sent):
            return Failure("its request has another key than `setup.api_key`", "Pass `setup.api_key` to the client.")
    return None


def model(probe_run: ProbeRun) -> Failure | None:
    case = probe_run.case
    expected = first_target(case.scenario, case.wire, case.provider).model
    other = next((request.view.model for request in probe_run.counted if request.view.model != expected), None)
    if other is None:
        return None
    got = f"its request names the model {other!r}; `setup.model` is {expected!r}"
    return Failure(got, "Pass `setup.model` to the client.")


def system(probe_run: ProbeRun) -> Failure | None:
    wanted = probe_run.case.scenario.system
    if probe_run.cannot:
        return Failure(
            f"it cannot be told one: {probe_run.cannot.removeprefix('cannot restore the history: ')}",
            "Scenarios that have one are not verified.",
        )
    if all(wanted in request.view.system for request in probe_run.counted):
        return None
    return Failure(
        f'its request has no system message with "{wanted}"',
        "Pass `setup.system` on as the instructions; without it, scenarios that check it fail.",
    )


def side_requests(probe_run: ProbeRun) -> Failure | None:
    """A request without the tools that another one offers. Advice: it may cause the problems below."""
    bare = next((request for request in probe_run.counted if not request.view.tools), None)
    if bare is None or not any(request.view.tools for request in probe_run.counted):
        return None
    return Failure(
        f"request {bare.number} offers no tool, and another one does; it has used up a reply of the script",
        "If it is a side request, such as one for a title or a summary, declare it: `side_request(request)` of the "
        "adapter, or side=REGEX in front of an acp: command. It may be the cause of problems below.",
    )


def tools_offered(probe_run: ProbeRun) -> Failure | None:
    tools = {tool.name: tool for tool in probe_run.counted[0].view.tools}
    for spec in probe_run.case.scenario.tools:
        tool = tools.get(spec.name)
        lost = "the tool" if tool is None else _lost(spec, tool)
        if lost:
            offered = ", ".join(tools) or "no tool"
            return Failure(
                f"the first request lacks {lost} {spec.name}; it offers {offered}",
                "Offer every tool of `setup.tools` with its name, `description` and `parameters`. If the agent "
                "renames them, give the adapter `tool_names`.",
            )
    return None


def _lost(spec: ToolSpec, tool: ViewTool) -> str:
    if flat(spec.description) not in flat(tool.description):
        return "the description of"
    lost = [name for name, certain in lost_properties(spec.parameters, tool.parameters) if certain]
    return f"the parameter {lost[0]} of" if lost else ""


def tools_executed(probe_run: ProbeRun) -> Failure | None:
    record = probe_run.turns[0]
    wanted = ("get_weather", {"city": "Oslo"})
    ran = [(attempt.tool, attempt.arguments) for attempt in record.executions]
    if ran == [wanted]:
        return None
    if ran:
        shown = ", ".join(f"{name}({arguments})" for name, arguments in ran)
        return Failure(f"the model made one call of get_weather; these ran: {shown}", "Run each call once.")
    if (problem := crash(probe_run)) is not None and not record.attempts:
        return problem
    if record.attempts:
        attempt = record.attempts[0]
        return Failure(
            f"{attempt.tool} was called with {attempt.arguments!r}, which its schema refuses",
            "Pass the complete arguments to `Tool.call`, as the model wrote them.",
        )
    was_called = not any(request.withheld for request in record.requests)
    called = "called get_weather, and no tool ran" if was_called else "was not offered get_weather, and did not call it"
    return Failure(
        f"the model {called}",
        "The agent's tool must run `tool.call(arguments)` or `await tool.acall(arguments)` of `setup.tools`.",
    )


def reply_returned(probe_run: ProbeRun) -> Failure | None:
    record = probe_run.turns[0]
    if record.outcome != "reply":
        fix = "Find out why. If the agent fails on purpose, that is an `AgentError` or a class in `errors`."
        return Failure(_turn_ending(probe_run), fix)
    if EXPECTED_REPLY in record.reply or any(request.withheld for request in record.requests):
        return None
    return Failure(
        f'the reply of the model has "... {EXPECTED_REPLY} ..."; `send` returned "{_short(record.reply)}"',
        "Return the agent's reply from `send`, or yield it. If the agent replies through a tool of its own, declare "
        "`reply_tool`.",
    )


def _short(text: str) -> str:
    line = flat(text)
    return line if len(line) <= 60 else f"{line[:60]}..."
