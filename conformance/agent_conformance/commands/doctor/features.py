"""Whether a probe run shows that a feature works.

Each function returns None if the feature works, else the `Failure`.
"""

from collections.abc import Callable, Iterable

from agent_conformance.commands.doctor.probe_runner import Failure, ProbeRun, crash, obstacle, refusal
from agent_conformance.judge.expectations.requests import last_pictures
from agent_conformance.run.provider.model_script import json_object
from agent_conformance.transcripts.transcript import RecordedRequest
from fake_providers.values.tokens import count_tokens

Judge = Callable[[ProbeRun], Failure | None]

REQUESTS = 3
AFTER_CANCEL = "Hello again."
TOKENS = 2000
"""Twice the limit of the probe: the agent may count tokens in another way."""


def deltas(probe_run: ProbeRun) -> Failure | None:
    """In the probe `round`: at least two, as its last reply comes in many pieces."""
    record = probe_run.turns[0]
    if len(record.deltas) > (1 if probe_run.case.mode == "stream" else 0):
        return None
    if (problem := crash(probe_run)) is not None:
        return problem
    got = "yields the whole reply as one delta" if record.deltas else "yields no deltas"
    return Failure(f"`send` {got}", "Yield each piece of text as it arrives.")


def live_deltas(probe_run: ProbeRun) -> Failure | None:
    """In the probe `cut`: the text before the stream broke was shown."""
    shown = "".join(delta for record in probe_run.turns for delta in record.deltas)
    if "The sea" in shown:
        return None
    return obstacle(probe_run) or Failure(
        "deltas come only after the response has ended", "Yield text while the stream runs, if the agent can."
    )


def native_tools(probe_run: ProbeRun) -> Failure | None:
    """In the probe `round`: the second request has the result in the wire's own form."""
    if len(probe_run.counted) < 2:
        return crash(probe_run) or Failure(
            "there was no second request, with the result of the call", "Send another request after the tools have run."
        )
    last = probe_run.counted[1].view
    if any("7 degrees and rain" in result.text for message in last.messages for result in message.results):
        return None
    where = "as a plain message" if "7 degrees and rain" in last.texts else "nowhere"
    return Failure(
        f"the second request has the tool's result {where}", "Send results in the wire's own form of tool results."
    )


def own_tools(probe_run: ProbeRun) -> Failure | None:
    """In the probe `round`: a tool is offered that is not one of the scenario."""
    if own_tools_of(probe_run):
        return None
    return Failure(
        "only the tools of `setup.tools` are offered",
        "Scenarios that expect a request without tools are left out without need.",
    )


def own_tools_of(probe_run: ProbeRun) -> list[str]:
    names = {tool.name for tool in probe_run.case.scenario.tools}
    return [tool.name for tool in probe_run.counted[0].view.tools if tool.name not in names]


def history(probe_run: ProbeRun) -> Failure | None:
    wanted = ("My name is Ann. What is a pear?", "A pear is fruit.", "a sweet fruit", "look_up")
    fix = (
        "Start with the messages of `setup.history`; "
        "the helpers of `agent_conformance.adapter.history` have each wire's shape."
    )
    return _lacks_text(probe_run, wanted, turn=1, fix=fix)


def conversation(probe_run: ProbeRun) -> Failure | None:
    wanted = ("My name is Ann.", "Hello from the Hotel Kestrel.")
    return _lacks_text(probe_run, wanted, turn=2, fix="Keep the messages from one `send` to the next.")


def restart(probe_run: ProbeRun) -> Failure | None:
    wanted = ("My name is Ann.", "Hello from the Hotel Kestrel.")
    return _lacks_text(
        probe_run, wanted, turn=2, fix="Keep the conversation in `setup.state_dir`, and continue from it."
    )


def _lacks_text(probe_run: ProbeRun, wanted: tuple[str, ...], *, turn: int, fix: str) -> Failure | None:
    request = probe_run.first_of(turn)
    if request is None:
        return obstacle(probe_run) or Failure(turn_ending(probe_run), fix)
    lost = next((text for text in wanted if text not in _texts_of(request)), None)
    return Failure(f'the request of turn {turn} lacks "{lost}"', fix) if lost else None


def _texts_of(request: RecordedRequest) -> str:
    names = [call.name for message in request.view.messages for call in message.calls]
    return "\n".join([request.view.texts, *names])


def cancel(probe_run: ProbeRun) -> Failure | None:
    outcome = probe_run.turns[0].outcome if probe_run.turns else ""
    fix = "Give the adapter `cancel()`, which is called from another thread, and let `send` raise `Cancelled`."
    if outcome != "cancelled":
        unseen = not (probe_run.turns and probe_run.turns[0].attempts)
        got = f"a turn that was cancelled while a tool ran did not end with `Cancelled`: {turn_ending(probe_run)}"
        return (obstacle(probe_run) if unseen else None) or Failure(got, fix)
    # One more message is accepted and answered, and nothing of the cancelled turn goes on in it.
    refused = next((e.violation for e in probe_run.requests if e.refused and e.violation), None)
    if refused is not None:
        fix = "Before the next message, close what is open, above all calls without a result."
        return Failure(f"the turn after one that was cancelled is refused: {refused.status} {refused.message}", fix)
    fix = "`send` raises `Cancelled` only when nothing of the turn runs any more, and the agent can take a message."
    record = probe_run.turns[1] if len(probe_run.turns) > 1 else None
    if record is None:
        return Failure(f"no message could be sent after a turn that was cancelled: {turn_ending(probe_run)}", fix)
    before = probe_run.turns[0].turn.user_text
    texts = [request.view.texts for request in record.counted]
    if any(before in text and record.turn.user_text not in text for text in texts):
        return Failure("a turn that was cancelled goes on: its next request arrives in the turn after it", fix)
    if record.outcome != "reply" or AFTER_CANCEL not in record.reply:
        return Failure(f"the message after a turn that was cancelled ends in {turn_ending(probe_run)}", fix)
    return None


def observer(probe_run: ProbeRun) -> Failure | None:
    record = probe_run.turns[0] if probe_run.turns else None
    fix = "Pass `setup.observe` to the agent if it is not None."
    if record is None or record.outcome != "reply":
        got = f"with an observer, a turn in which the model invents a tool failed: {turn_ending(probe_run)}"
        return refusal(probe_run) or Failure(got, fix)
    if not probe_run.event_count:
        return Failure("nothing was reported to the observer in a turn with calls", fix)
    return None


def request_limit(probe_run: ProbeRun) -> Failure | None:
    if not any(request.kind == "stopped" for request in probe_run.requests) and probe_run.counted:
        return _before_the_limit(probe_run)
    return obstacle(probe_run) or Failure(
        f"with a limit of {REQUESTS} requests, it sent {len(probe_run.counted)} and was stopped",
        "Pass `setup.limits.requests` to the agent as its limit of model requests per turn.",
    )


def stops_at_the_limit(probe_run: ProbeRun) -> Failure | None:
    """For an agent that does not declare it: its own loop guard may end the turn too, but at another number."""
    in_time = 1 < len(probe_run.counted) <= REQUESTS + 1
    return _before_the_limit(probe_run) if in_time else Failure("")


def _before_the_limit(probe_run: ProbeRun) -> Failure | None:
    """What ended the turn where it was not the limit."""
    return (refusal(probe_run) or crash(probe_run)) if len(probe_run.counted) < REQUESTS else None


def context_limit(probe_run: ProbeRun) -> Failure | None:
    sizes = [count_tokens(request.view) for request in probe_run.requests]
    if len(sizes) > 6 and max(sizes) <= TOKENS:
        return None
    got = f"the largest request has {max(sizes)} tokens; the limit is 1000" if sizes else turn_ending(probe_run)
    problem = refusal(probe_run) or crash(probe_run)
    if problem is not None and max(sizes, default=0) <= TOKENS:
        return problem
    if sizes and max(sizes) <= TOKENS:
        got = f"the turn ended after {len(sizes)} requests: {turn_ending(probe_run)}"
    return Failure(got, "Pass `setup.limits.context_tokens` to the code that prunes the agent's history.")


def idle_limit(probe_run: ProbeRun) -> Failure | None:
    if probe_run.requests and probe_run.turns[0].outcome == "hang":
        got = "the agent waits for a response that has fallen silent"
        return Failure(got, "Give `setup.limits.idle_seconds` to the HTTP client, as its timeout for reading.")
    return refusal(probe_run) or crash(probe_run)


def tool_filter(probe_run: ProbeRun) -> Failure | None:
    fix = "Offer the tools whose `Tool.enabled` is true, and read it again before each request."
    for turn, (wanted, unwanted) in enumerate((("get_weather", "get_tide"), ("get_tide", "get_weather")), 1):
        request = probe_run.first_of(turn)
        if request is None:
            return obstacle(probe_run) or (Failure(turn_ending(probe_run), fix) if turn == 1 else None)
        if unwanted in request.offered:
            return Failure(f"{unwanted}, which is disabled in turn {turn}, is offered", fix)
        if wanted not in request.offered:
            return Failure(f"{wanted}, which is enabled in turn {turn}, is not offered", fix)
    return None


def tools_within_a_turn(probe_run: ProbeRun) -> Failure | None:
    later = [one for one in probe_run.counted if any(message.results for message in one.view.messages)]
    if not later or "get_tide" in later[0].offered:
        return None
    return Failure(
        "get_tide, which another tool has enabled, is not offered in the next request of the turn",
        "Read `Tool.enabled` again before each request, and not once a turn.",
    )


def failure(probe_run: ProbeRun) -> Failure | None:
    record = probe_run.turns[0] if probe_run.turns else None
    if record is not None and record.outcome in ("reply", "error"):
        return None
    return Failure(
        f"after a 400 of the provider the turn ends with {turn_ending(probe_run)}",
        "List the documented base class of such exceptions in `errors`.",
    )


def hidden_crash(probe_runs: Iterable[ProbeRun]) -> Failure | None:
    """In any probe: a controlled failure with a bug in its chain of causes."""
    for record in (record for probe_run in probe_runs for record in probe_run.turns):
        if record.hidden_crash:
            name = record.class_of_failure
            return Failure(
                f"{name}, a class in `errors`, wraps what is a bug: {record.hidden_crash}",
                f"A class that wraps every exception hides crashes. List narrower classes, or in place of {name} the "
                "package that raises on purpose, as a text: 'package.module'.",
            )
    return None


def without_tools(probe_run: ProbeRun) -> Failure | None:
    """Where there are no tools, the request is accepted."""
    problem = obstacle(probe_run)
    if problem is None:
        return None
    got = f"where there are no tools, {problem.got}"
    rule = next((request.violation.rule for request in probe_run.requests if request.violation), "")
    if "tools" not in rule:
        return Failure(got, problem.fix)
    return Failure(
        got, f"Leave out `tools` if there are none. `pytest --agent-tolerate={rule}` judges what this hides."
    )


def turn_ending(probe_run: ProbeRun) -> str:
    """How the last turn ended, or why there was none."""
    if not probe_run.turns:
        return probe_run.verdict.reason
    record = probe_run.turns[-1]
    return f"{record.outcome}: {record.described_failure}" if record.failure else f'the reply "{record.reply[:60]}"'


def images(probe_run: ProbeRun) -> Failure | None:
    fix = "Send the parts of type `image` that `Tool.call` returns as pictures, in the result or after it."
    return _picture(probe_run, requests=2, what="the picture of a result is not in the next request", fix=fix)


def user_images(probe_run: ProbeRun) -> Failure | None:
    fix = "Let `send` take a list of `Part`, and send those of type `image` as pictures."
    return _picture(probe_run, requests=1, what="the picture of the user is not in the request", fix=fix)


def _picture(probe_run: ProbeRun, *, requests: int, what: str, fix: str) -> Failure | None:
    if len(probe_run.counted) < requests:
        return obstacle(probe_run) or Failure(turn_ending(probe_run), fix)
    return None if last_pictures(probe_run.counted[requests - 1].view) else Failure(what, fix)


PROPERTIES = {"place_name", "temperature_celsius"}


def structured_output(probe_run: ProbeRun) -> Failure | None:
    fix = (
        "Send `setup.output_schema` with the request that the model answers, where the wire has a field for it, as a "
        "tool of your own (`reply_tool`) or in the prompt, and return the JSON as it is."
    )
    if not probe_run.turns or probe_run.turns[0].outcome != "reply":
        return obstacle(probe_run) or Failure(turn_ending(probe_run), fix)
    value = json_object(probe_run.turns[0].reply)
    if value is not None and value.keys() == PROPERTIES:
        return None
    return Failure("the reply is not JSON of the schema in the setup", fix)


def tool_choice(probe_run: ProbeRun) -> Failure | None:
    fix = "Send `setup.tool_choice` in the first request of a turn, in the wire's own form, and not after the result."
    first, second = probe_run.counted[:1], probe_run.counted[1:2]
    if not first:
        return obstacle(probe_run) or Failure(turn_ending(probe_run), fix)
    if not first[0].view.forces:
        return Failure("the first request forces no call", fix)
    if second and second[0].view.forces == first[0].view.forces:
        return Failure("a request after the result forces the same call again", fix)
    return None


SAID = ("Please answer in Norwegian.", "And in one sentence.")


def approval(probe_run: ProbeRun) -> Failure | None:
    record = probe_run.turns[0] if probe_run.turns else None
    fix = "Call `setup.approve(call)` before a tool with `Tool.approval` runs, and run it only if that returns true."
    if record is None or not (record.approvals or record.executions):
        return obstacle(probe_run) or Failure(f"nobody was asked to allow a call: {turn_ending(probe_run)}", fix)
    if not record.approvals:
        return Failure("a tool with `approval` ran without a question to the user", fix)
    return Failure("a call that the user denied ran all the same", fix) if record.executions else None


def steering(probe_run: ProbeRun) -> Failure | None:
    fix = "Let `steer(message)` add the message to the conversation as the user's, after the results of open calls."
    request = probe_run.first_of(2)
    if request is None or not probe_run.turns[0].steered_after:
        return obstacle(probe_run) or Failure(turn_ending(probe_run), fix)
    said = "\n".join(one.text for request in probe_run.counted for one in request.view.messages if one.role == "user")
    lost = [text for text in SAID[: len(probe_run.turns[0].steered_after)] if text not in said]
    if not lost:
        return None
    what = "what was said" if len(lost) == len(SAID) else f'"{lost[0]}", one of two messages that were sent'
    return Failure(f"{what} while a tool ran is in no message of the user", fix)


def sessions(probe_run: ProbeRun) -> Failure | None:
    fix = "Let `send` take `session`, the name of a conversation, and keep the messages of each by its name."
    first, second, third = (probe_run.first_of(turn) for turn in (1, 2, 3))
    if first is None or second is None or third is None:
        return obstacle(probe_run) or Failure(turn_ending(probe_run), fix)
    if "My name is Ann." in second.view.texts:
        return Failure("a request of the second session has the words of the first", fix)
    has_forgotten = "My name is Ann." not in third.view.texts
    return Failure("the first session is forgotten after a message in the second", fix) if has_forgotten else None


def server_tools(probe_run: ProbeRun) -> Failure | None:
    fix = "Declare `setup.server_tools` in each request, and send a reply that the provider has paused back as it is."
    if len(probe_run.counted) > 1 and probe_run.turns[0].outcome == "reply":
        return None
    return obstacle(probe_run) or Failure(
        f"a turn that the provider has paused does not go on: {turn_ending(probe_run)}", fix
    )


def model_switch(probe_run: ProbeRun) -> Failure | None:
    fix = "Let `switch(setup)` take the new `setup.model` and `setup.base_url`, and keep the conversation."
    request = probe_run.first_of(2)
    if request is None:
        return obstacle(probe_run) or Failure(turn_ending(probe_run), fix)
    wanted = probe_run.turns[1].target
    if wanted is not None and not request.view.model.endswith(wanted.model):
        return Failure(f"the request after the change names the model {request.view.model!r}", fix)
    has_forgotten = "My name is Ann." not in request.view.texts
    return Failure("the conversation is forgotten with the change of the model", fix) if has_forgotten else None


def compaction(probe_run: ProbeRun) -> Failure | None:
    fix = "Let `compact()` put a summary, or less, in place of what was said, also in all later requests."
    before, request = probe_run.turns[0].counted[-1:], probe_run.first_of(2)
    if request is None or not before:
        return obstacle(probe_run) or Failure(turn_ending(probe_run), fix)
    was, now = (count_tokens(one.view) for one in (before[0], request))
    return None if now < was else Failure(f"the request before it has {was} tokens, the one after it {now}", fix)


def tool_search(probe_run: ProbeRun) -> Failure | None:
    fix = "Offer a tool with `Tool.deferred` once a tool of the agent's own, such as `search_tools`, has found it."
    request = probe_run.first_of(1)
    if request is None:
        return obstacle(probe_run) or Failure(turn_ending(probe_run), fix)
    searched = [one for one in probe_run.turns[0].requests if one.kind == "search"]
    first = (searched or [request])[0]
    if "get_weather" in first.offered:
        return Failure("a deferred tool is offered before any search", fix)
    if not searched:
        return Failure("no tool is offered by which the model can find others", fix)
    found = probe_run.turns[0].executions
    return None if found else Failure("a tool that was searched for by its name is not offered after that", fix)


def fallback(probe_run: ProbeRun) -> Failure | None:
    fix = "Where the provider fails for good, send the request to that of `setup.fallback`, for its model."
    request = probe_run.first_of(1)
    if request is None or request.target is None:
        return Failure(f"the second provider was not asked: {turn_ending(probe_run)}", fix)
    if request.view.model.endswith(request.target.model):
        return None
    return Failure(f"the request to the second provider names the model {request.view.model!r}", fix)
