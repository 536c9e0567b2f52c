"""One agent from the first request to the last feature: which probes are performed, and what they come to.

Knows what is declared and how the probes are judged; nothing of how it is printed.
"""

import inspect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from conformance.adapter.contract import FEATURE_NAMES, DeclaredAgent
from conformance.commands.doctor import features, round_trip
from conformance.commands.doctor.check import Check, Problem, Status
from conformance.commands.doctor.probing import Performed, Prober
from conformance.scenario.model import MODE_NAMES
from fakes import WIRES

OF_REQUESTS: dict[str, round_trip.Judge] = {
    "base_url": round_trip.base_url,
    "api_key": round_trip.api_key,
    "model": round_trip.model,
}
OF_TOOLS: dict[str, round_trip.Judge] = {
    "offered": round_trip.offering,
    "executed": round_trip.executing,
    "reply": round_trip.replying,
}
ADVICE: dict[str, round_trip.Judge] = {
    "system": round_trip.system,
    "other hosts": round_trip.other_hosts,
    "side requests": round_trip.side_requests,
}
PROBED: dict[str, features.Judge] = {
    "history": features.history,
    "conversation": features.conversation,
    "request-limit": features.request_limit,
    "context-limit": features.context_limit,
    "tool-filter": features.tool_filter,
    "restart": features.restart,
    "cancel": features.cancel,
    "observer": features.observer,
}
"""The features with a probe of their own, which has their name."""

OF_ROUNDS: dict[str, features.Judge] = {
    "deltas": features.deltas,
    "native-tools": features.native_tools,
    "own-tools": features.own_tools,
}
NO_SCENARIO = "no scenario of this version asks for it"


@dataclass(frozen=True, slots=True)
class Report:
    """What was found, in the order it is printed. `has_stuck_thread`: a thread never ended, so use `os._exit`."""

    agent: DeclaredAgent
    checks: tuple[Check, ...]
    has_stuck_thread: bool = False

    @property
    def is_clean(self) -> bool:
        """Whether all that is declared, and all that every case needs, works."""
        return not self.with_status("not working")

    def with_status(self, status: Status) -> tuple[Check, ...]:
        return tuple(check for check in self.checks if check.status == status)


def examine(agent: DeclaredAgent, *, timeout: float = 10.0) -> Report:
    """Perform the probes; `timeout` is how many seconds of silence are a hang. Raises nothing that an agent did."""
    with Prober(agent, timeout=timeout) as prober:
        examination = _Examination(agent, prober)
        checks = tuple(examination.checks())
        return Report(agent, checks, prober.has_stuck_thread)


@dataclass(slots=True)
class _Examination:
    agent: DeclaredAgent
    prober: Prober
    right: list[Performed] = field(default_factory=list)
    """Rounds on declared targets that were reached, streamed where they should."""

    def checks(self) -> Iterator[Check]:
        yield from self._declared_targets()
        if not self.right:
            for feature in sorted(self.agent.features):
                yield Check("features", feature, "not tried", "no target works yet")
            return
        yield from self._other_targets()
        yield from self._of_rounds("requests", OF_REQUESTS, "not working")
        yield from self._of_rounds("requests", ADVICE, "advice")
        yield from self._of_rounds("tools", OF_TOOLS, "not working")
        yield from self._features()
        yield self._errors()

    def _declared_targets(self) -> Iterator[Check]:
        for wire in self.agent.wires:
            if wire not in WIRES:
                yield Check("reached", wire, "not tried", "there is no fake for this wire yet")
                continue
            for mode in self.agent.modes:
                performed = self.prober.perform("round", wire=wire, mode=mode)
                problem = round_trip.reaching(performed)
                advice = round_trip.streaming_always(performed)
                if performed.counted and (performed.counted[0].view.stream or mode == "plain"):
                    self.right.append(performed)
                if problem is None and advice is not None:
                    yield _check("reached", performed.target, "advice", advice)
                else:
                    yield _check("reached", performed.target, "not working", problem)

    def _other_targets(self) -> Iterator[Check]:
        """The other mode on the main wire, then other wires in the main mode: declared too little?"""
        main = self.right[0].case
        others = [(main.wire, mode) for mode in MODE_NAMES if mode not in self.agent.modes]
        others += [(wire, main.mode) for wire in WIRES if wire not in self.agent.wires]
        for wire, mode in others:
            performed = self.prober.perform("round", wire=wire, mode=mode)
            judges = (round_trip.reaching, round_trip.streaming_always, round_trip.executing, round_trip.replying)
            works = performed.transcript is not None and not any(judge(performed) for judge in judges)
            where = f"{mode!r} to `modes`" if wire == main.wire else f"{wire!r} to `wires`"
            if works:
                yield Check("reached", performed.target, "works, not declared", change=f"Add {where}.")
            else:
                yield Check("reached", performed.target, "not declared")

    def _of_rounds(self, group: str, judges: dict[str, round_trip.Judge], failing: Status) -> Iterator[Check]:
        for topic, judge in judges.items():
            check = _check(group, topic, failing, _first(self.right, judge))
            if check.status != "ok" or failing != "advice" or topic == "system":
                yield check

    def _features(self) -> Iterator[Check]:
        for feature in FEATURE_NAMES:
            if feature not in self.agent.features and feature in self._unspoken():
                continue
            if feature in OF_ROUNDS:
                yield self._feature(feature, _first(self._telling(), OF_ROUNDS[feature]))
                if feature == "deltas":
                    yield from self._live()
            elif feature in PROBED:
                yield self._probed(feature)
            elif feature in self.agent.features:
                yield Check("features", feature, "not tried", NO_SCENARIO)
            else:
                yield Check("features", feature, "not declared")

    def _telling(self) -> list[Performed]:
        """The rounds that tell of features: streams where there are any, as plain responses have no deltas."""
        streams = [performed for performed in self.right if performed.case.mode == "stream"]
        return streams or self.right[:1]

    def _probed(self, feature: str) -> Check:
        declared = feature in self.agent.features
        if not declared and feature == "cancel" and not _may_be_cancelled(self.agent):
            return Check("features", feature, "not declared")
        performed = self._perform(feature)
        problem = PROBED[feature](performed)
        if not declared and feature == "request-limit":
            problem = features.exactly_limited(performed)
        if not declared and feature == "observer" and not performed.observed:
            return Check("features", feature, "not declared")
        return self._feature(feature, problem)

    def _feature(self, feature: str, problem: Problem | None) -> Check:
        if feature in self.agent.features:
            check = _check("features", feature, "not working", problem)
            leave = f"Else take {feature!r} out of `features`."
            return (
                check
                if problem is None
                else _check("features", feature, "not working", Problem(problem.seen, f"{problem.change} {leave}"))
            )
        if problem is None:
            return Check("features", feature, "works, not declared", change=f"Add {feature!r} to `features`.")
        return Check("features", feature, "not declared")

    def _live(self) -> Iterator[Check]:
        """Whether deltas come while the stream runs, where there are any at all."""
        context = self._telling()
        if "deltas" not in self.agent.features or context[0].case.mode == "plain" or _first(context, features.deltas):
            return
        problem = features.live(self._perform("cut"))
        if problem is not None:
            yield _check("features", "live deltas", "advice", problem)

    def _errors(self) -> Check:
        problem = features.failure(self._perform("failure"))
        declared = len(self.agent.errors) > 1
        return _check("features", "errors", "not working" if declared else "not declared", problem)

    def _perform(self, name: str) -> Performed:
        main = self._telling()[0].case
        return self.prober.perform(name, wire=main.wire, mode=main.mode)

    def _unspoken(self) -> Sequence[str]:
        """Features that the agent cannot declare, because the protocol has no words for them."""
        if not self.agent.spec.startswith("cmd:"):
            return ()
        from conformance.agents.command.messages import NO_MESSAGES_FOR

        return NO_MESSAGES_FOR


def _check(group: str, topic: str, failing: Status, problem: Problem | None) -> Check:
    return Check(group, topic, "ok") if problem is None else Check(group, topic, failing, problem.seen, problem.change)


def _first(performances: Sequence[Performed], judge: Callable[[Performed], Problem | None]) -> Problem | None:
    """The first problem among performances, with its target where there are several."""
    for performed in performances:
        problem = judge(performed)
        if problem is not None:
            where = f"on {performed.target}, " if len(performances) > 1 else ""
            return Problem(f"{where}{problem.seen}", problem.change)
    return None


def _may_be_cancelled(agent: DeclaredAgent) -> bool:
    """A turn of a synchronous adapter without `cancel` would only hang until the timeout."""
    send = getattr(agent.adapter, "send", None)
    is_async = inspect.iscoroutinefunction(send) or inspect.isasyncgenfunction(send)
    return is_async or callable(getattr(agent.adapter, "cancel", None))
