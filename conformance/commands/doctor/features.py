"""What a probe shows of one feature. Knows the features of the adapter's contract and transcripts; no agent.

Each function gives None where the feature works, else the `Problem`; `NotTried` where the probe cannot tell.
"""

from collections.abc import Callable

from conformance.commands.doctor.check import Problem
from conformance.commands.doctor.probing import Performed
from conformance.record.transcript import RecordedRequest
from fakes.tokens import count_tokens

Judge = Callable[[Performed], Problem | None]

EXCHANGES = 3
TOKENS = 2000
"""Twice what the probe allows, as everywhere: the agent counts tokens in another way."""


def deltas(performed: Performed) -> Problem | None:
    """Of the probe `round`: at least two, as its last reply comes in many pieces."""
    record = performed.turns[0]
    if len(record.deltas) > (1 if performed.case.mode == "stream" else 0):
        return None
    seen = "the whole reply as one" if record.deltas else "none; the reply came whole"
    return Problem(f"of the deltas that `send` should yield there is {seen}", "Yield each piece of text as it arrives.")


def live(performed: Performed) -> Problem | None:
    """Of the probe `cut`: what came before the stream broke was shown."""
    shown = "".join(delta for record in performed.turns for delta in record.deltas)
    if "The sea" in shown:
        return None
    return Problem(
        "deltas come only when the response has ended", "Yield text while the stream runs, if the agent can."
    )


def native_tools(performed: Performed) -> Problem | None:
    """Of the probe `round`: the second request answers the call in the wire's own form."""
    if len(performed.counted) < 2:
        return Problem("no request with the result of the call arrived", "Ask the model again when the tools have run.")
    last = performed.counted[1].view
    if any("7 degrees and rain" in result.text for message in last.messages for result in message.results):
        return None
    where = "as a plain message" if "7 degrees and rain" in last.texts else "nowhere"
    return Problem(
        f"the second request has the tool's result {where}", "Answer calls with the wire's own tool results."
    )


def own_tools(performed: Performed) -> Problem | None:
    """Of the probe `round`: something is offered that is no tool of the scenario's."""
    if own_tools_of(performed):
        return None
    return Problem(
        "only the tools of `setup.tools` are offered", "Scenarios without any tool are left out for no reason."
    )


def own_tools_of(performed: Performed) -> list[str]:
    names = {tool.name for tool in performed.case.scenario.tools}
    return [tool.name for tool in performed.counted[0].view.tools if tool.name not in names]


def history(performed: Performed) -> Problem | None:
    wanted = ("My name is Ann. What is a pear?", "A pear is fruit.", "a sweet fruit", "look_up")
    change = (
        "Begin with the messages of `setup.history`; "
        "the helpers of `conformance.adapter.history` have each wire's shape."
    )
    return _having(performed, wanted, turn=1, change=change)


def conversation(performed: Performed) -> Problem | None:
    wanted = ("My name is Ann.", "Hello from the Hotel Kestrel.")
    return _having(performed, wanted, turn=2, change="Keep the messages from one `send` to the next.")


def restart(performed: Performed) -> Problem | None:
    wanted = ("My name is Ann.", "Hello from the Hotel Kestrel.")
    return _having(
        performed, wanted, turn=2, change="Keep the conversation in `setup.state_dir`, and go on from there."
    )


def _having(performed: Performed, wanted: tuple[str, ...], *, turn: int, change: str) -> Problem | None:
    request = performed.first_of(turn)
    if request is None:
        return Problem(ending(performed), change)
    lost = next((text for text in wanted if text not in _told(request)), None)
    return Problem(f'the request of turn {turn} lacks "{lost}"', change) if lost else None


def _told(request: RecordedRequest) -> str:
    names = [call.name for message in request.view.messages for call in message.calls]
    return "\n".join([request.view.texts, *names])


def cancel(performed: Performed) -> Problem | None:
    outcome = performed.turns[0].outcome if performed.turns else ""
    change = "Give the adapter `cancel()`, which is called from another thread, and let `send` raise `Cancelled`."
    if outcome != "cancelled":
        return Problem(
            f"a turn that was cancelled while a tool ran did not end as cancelled: {ending(performed)}", change
        )
    refused = next((e.violation for e in performed.requests if e.refused and e.violation), None)
    if refused is None:
        return None
    change = "Close what was open, calls without a result above all, before the next message is sent."
    return Problem(f"the turn after one that was cancelled is refused: {refused.status} {refused.message}", change)


def observer(performed: Performed) -> Problem | None:
    record = performed.turns[0] if performed.turns else None
    if record is not None and record.outcome == "reply":
        return None
    return Problem(
        f"with an observer, a turn in which the model invents a tool went wrong: {ending(performed)}",
        "Give the agent `setup.observe` where it is not None.",
    )


def request_limit(performed: Performed) -> Problem | None:
    if not any(request.kind == "stopped" for request in performed.requests) and performed.counted:
        return None
    return Problem(
        f"given a limit of {EXCHANGES} requests, it made {len(performed.counted)} and was stopped",
        "Give `setup.limits.requests` to the agent as its limit of model requests a turn.",
    )


def exactly_limited(performed: Performed) -> Problem | None:
    """For an agent that does not declare it: a loop guard of its own may end the turn as well, only not there."""
    return None if 1 < len(performed.counted) <= EXCHANGES + 1 else Problem("")


def context_limit(performed: Performed) -> Problem | None:
    sizes = [count_tokens(request.view) for request in performed.requests]
    if len(sizes) > 6 and max(sizes) <= TOKENS:
        return None
    seen = f"the largest request has {max(sizes)} tokens; given was a limit of 1000" if sizes else ending(performed)
    if sizes and max(sizes) <= TOKENS:
        seen = f"the turn ended after {len(sizes)} requests: {ending(performed)}"
    return Problem(seen, "Give `setup.limits.context_tokens` to what prunes the agent's history.")


def tool_filter(performed: Performed) -> Problem | None:
    change = "Offer the tools whose `Tool.enabled` is true, and read that anew before each request."
    for turn, (wanted, unwanted) in enumerate((("get_weather", "get_tide"), ("get_tide", "get_weather")), 1):
        request = performed.first_of(turn)
        if request is None:
            return Problem(ending(performed), change) if turn == 1 else None
        if unwanted in request.offered:
            return Problem(f"{unwanted}, which is disabled in turn {turn}, is offered", change)
        if wanted not in request.offered:
            return Problem(f"{wanted}, which is enabled in turn {turn}, is not offered", change)
    return None


def failure(performed: Performed) -> Problem | None:
    record = performed.turns[0] if performed.turns else None
    if record is not None and record.outcome in ("reply", "error"):
        return None
    return Problem(
        f"where the provider answers 400, the turn ends like this: {ending(performed)}",
        "List the base class of such exceptions, one that the agent documents, in `errors`.",
    )


def ending(performed: Performed) -> str:
    """How the last turn ended, or why there was none."""
    if not performed.turns:
        return performed.verdict.reason
    record = performed.turns[-1]
    return f"{record.outcome}: {record.failure}" if record.failure else f'the reply "{record.reply[:60]}"'
