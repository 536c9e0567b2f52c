"""The command `agent-conformance doctor`: which probes run, what their results mean, and what is printed."""

import atexit
import contextlib
import inspect
import os
import re
import sys
import textwrap
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from shutil import get_terminal_size
from typing import Any

from agent_conformance.adapter.contract import FEATURE_NAMES, DeclaredAgent
from agent_conformance.attach.loading import AgentNotFound, load_agent
from agent_conformance.attach.ready_made import outdated
from agent_conformance.commands.doctor import features, round_trip
from agent_conformance.commands.doctor.probe_runner import TOPICS, Check, Failure, ProbeRun, ProbeRunner, Status
from agent_conformance.commands.shared import ends_command, print_json
from agent_conformance.commands.shared.settings import python_path
from agent_conformance.run.process.descriptors import no_output
from agent_conformance.scenario.model import MODE_NAMES
from agent_conformance.transcripts.shown_texts import shown
from fake_providers import WIRES
from fake_providers.wire_facts import FORCE_CALLS

REQUEST_CHECKS: dict[str, round_trip.Judge] = {
    "base_url": round_trip.base_url,
    "api_key": round_trip.api_key,
    "model": round_trip.model,
}
TOOL_CHECKS: dict[str, round_trip.Judge] = {
    "offered": round_trip.tools_offered,
    "executed": round_trip.tools_executed,
    "reply": round_trip.reply_returned,
}
ADVICE_CHECKS: dict[str, round_trip.Judge] = {
    "system": round_trip.system,
    "other hosts": round_trip.other_hosts,
    "side requests": round_trip.side_requests,
}
FEATURE_PROBES: dict[str, features.Judge] = {
    "history": features.history,
    "conversation": features.conversation,
    "request-limit": features.request_limit,
    "context-limit": features.context_limit,
    "idle-limit": features.idle_limit,
    "tool-filter": features.tool_filter,
    "restart": features.restart,
    "cancel": features.cancel,
    "observer": features.observer,
    "approval": features.approval,
    "steering": features.steering,
    "sessions": features.sessions,
    "model-switch": features.model_switch,
    "compaction": features.compaction,
    "images": features.images,
    "user-images": features.user_images,
    "structured-output": features.structured_output,
    "tool-choice": features.tool_choice,
    "tool-search": features.tool_search,
}
"""The features with a probe of their own, which has their name."""

ROUND_FEATURES: dict[str, features.Judge] = {
    "deltas": features.deltas,
    "native-tools": features.native_tools,
    "own-tools": features.own_tools,
}
ONLY_IF_DECLARED = frozenset(
    {
        "idle-limit",
        "sessions",
        "model-switch",
        "compaction",
        "images",
        "user-images",
        "structured-output",
        "tool-choice",
        "tool-search",
    }
)
"""What an agent without the feature cannot be tried for: it would crash, or ignore what is new to it."""
QUESTIONS = {
    "open-models": "Does it talk to open models too, as on vLLM, or to another provider of the wire, such as DeepSeek? "
    "Then add 'open-models' to `features`.",
    "fixed-tools": "Are all its tools in its own code, none of an MCP server or a plugin? Then add 'fixed-tools'.",
}
"""What no probe shows."""
ON_ONE_WIRE: dict[str, tuple[str, features.Judge]] = {
    "server-tools": ("anthropic-messages", features.server_tools),
    "fallback": ("openai-chat", features.fallback),
}
"""Features with a probe on one wire alone: of the only provider that has it, or with one that has another beside it."""
PROGRAM_FIXES = {
    "base_url": "Say how it finds its model: acp:MY_BASE_URL={base_url} my-agent, or home=FOLDER.",
    "api_key": "Say how it finds its key: acp:MY_API_KEY={api_key} my-agent.",
    "model": "Say how it finds the model's name: acp:MY_MODEL={model} my-agent.",
    "side requests": "Say how they are recognised: acp:side=REGEX my-agent.",
    "offered": "See its log: it may have refused the MCP server of its session.",
}
"""What to change of a command."""
NO_SCENARIO = "no scenario of this version needs it"


@dataclass(frozen=True, slots=True)
class Report:
    """What was found, in the order it is printed. `has_stuck_thread`: a thread never ended, so use `os._exit`.

    `transcripts` are those of the probes, as text; `seconds` is how long they took.
    """

    agent: DeclaredAgent
    checks: tuple[Check, ...]
    has_stuck_thread: bool = False
    transcripts: tuple[str, ...] = ()
    seconds: float = 0.0

    @property
    def is_clean(self) -> bool:
        """Whether all that is declared, and all that every case needs, works."""
        return not self.with_status("not working")

    def with_status(self, status: Status) -> tuple[Check, ...]:
        return tuple(check for check in self.checks if check.status == status)


def make_report(agent: DeclaredAgent, *, timeout: float = 10.0) -> Report:
    """Run the probes. An agent that is silent for `timeout` seconds hangs. Raises no error of the agent."""
    started = time.monotonic()
    with ProbeRunner(agent, timeout=timeout) as runner:
        checks = tuple(_Doctor(agent, runner).checks())
        seconds = time.monotonic() - started
        return Report(agent, checks, runner.session.has_stuck_thread, tuple(runner.texts), seconds)


@dataclass(slots=True)
class _Doctor:
    agent: DeclaredAgent
    runner: ProbeRunner
    reached_runs: list[ProbeRun] = field(default_factory=list)
    """Runs of the probe `round` on declared targets that were reached, streamed where they should be."""

    @property
    def _is_program(self) -> bool:
        """A command and nothing else: there is no adapter in which something could be declared or mended."""
        return self.agent.spec.startswith("acp:")

    def checks(self) -> Iterator[Check]:
        for check in self._all_checks():
            is_to_mend = self._is_program and check.status != "ok"
            yield replace(check, fix=PROGRAM_FIXES.get(check.topic, "")) if is_to_mend else check

    def _all_checks(self) -> Iterator[Check]:
        for wire in self.agent.wires:
            if wire not in WIRES:
                yield Check("reached", wire, "not tried", "there is no fake for this wire yet")
                continue
            for mode in self.agent.modes:
                probe_run = self.runner.run("round", wire=wire, mode=mode)
                problem = round_trip.reached(probe_run)
                advice = round_trip.streams_always(probe_run)
                if probe_run.counted and (probe_run.counted[0].view.stream or mode == "plain"):
                    self.reached_runs.append(probe_run)
                if problem is None and advice is not None:
                    yield _check("reached", probe_run.target, "advice", advice)
                else:
                    yield _check("reached", probe_run.target, "not working", problem)
        if not self.reached_runs:
            for feature in sorted(self.agent.features):
                yield Check("features", feature, "not tried", "no target works yet")
            return
        yield from self._other_targets()
        yield from self._round_checks("requests", REQUEST_CHECKS, "not working")
        yield from self._round_checks("requests", ADVICE_CHECKS, "advice")
        # What was answered apart.
        sides = [request for request in self.reached_runs[0].requests if request.kind == "side"]
        if sides:
            got = f"{len(sides)} beside the conversation, such as for a title: answered apart, and counted nowhere"
            yield Check("requests", "side requests", "ok", got)
        # Whether a request is accepted where there are no tools. The agent is at fault, as a rule: advice.
        problem = features.without_tools(self._run("without-tools"))
        if problem is not None:
            yield _check("requests", "without tools", "advice", problem)
        yield from self._round_checks("tools", TOOL_CHECKS, "not working")
        yield from self._features()
        problem = features.failure(self._run("failure"))
        declared = len(self.agent.errors) > 1 or bool(self.agent.raised_in)
        yield _check("features", "errors", "not working" if declared else "not declared", problem)
        # Whether a class in `errors` wraps bugs. A response that no client can read makes most agents show
        # it.
        if len(self.agent.errors) < 2:
            return
        is_plain = self._feature_runs()[0].case.mode == "plain"
        unreadable = self._run("unreadable" if is_plain else "unreadable-stream")
        problem = features.hidden_crash([self._run("failure"), unreadable])
        if problem is not None:
            yield _check("features", "errors", "advice", problem)

    def _other_targets(self) -> Iterator[Check]:
        """What works and is not declared: the other mode on the main wire, then other wires in the main mode."""
        if self._is_program:
            return
        main = self.reached_runs[0].case
        others = [(main.wire, mode) for mode in MODE_NAMES if mode not in self.agent.modes]
        others += [(wire, main.mode) for wire in WIRES if wire not in self.agent.wires]
        for wire, mode in others:
            probe_run = self.runner.run("round", wire=wire, mode=mode)
            judges = (
                round_trip.reached,
                round_trip.streams_always,
                round_trip.tools_executed,
                round_trip.reply_returned,
            )
            works = probe_run.transcript is not None and not any(judge(probe_run) for judge in judges)
            where = f"{mode!r} to `modes`" if wire == main.wire else f"{wire!r} to `wires`"
            if works:
                yield Check("reached", probe_run.target, "works, not declared", fix=f"Add {where}.")
            else:
                yield Check("reached", probe_run.target, "not declared")

    def _round_checks(self, group: str, judges: dict[str, round_trip.Judge], failing: Status) -> Iterator[Check]:
        for topic, judge in judges.items():
            check = _check(group, topic, failing, _first(self.reached_runs, judge))
            if check.status != "ok" or failing != "advice" or topic == "system":
                yield check

    def _features(self) -> Iterator[Check]:
        for feature in FEATURE_NAMES:
            if feature in ROUND_FEATURES:
                yield self._feature(feature, _first(self._feature_runs(), ROUND_FEATURES[feature]))
                if feature == "deltas":
                    # Whether deltas come while the stream runs, if there are any.
                    runs = self._feature_runs()
                    if (
                        "deltas" not in self.agent.features
                        or runs[0].case.mode == "plain"
                        or _first(runs, features.deltas)
                    ):
                        continue
                    problem = features.live_deltas(self._run("cut"))
                    if problem is not None:
                        yield _check("features", "live deltas", "advice", problem)
            elif feature in ON_ONE_WIRE and feature in self.agent.features:
                yield self._on_one_wire(feature)
            elif feature in FEATURE_PROBES and (feature in self.agent.features or not self._is_program):
                yield self._probed_feature(feature)
                if feature == "tool-filter" and feature in self.agent.features:
                    problem = features.tools_within_a_turn(self._run("tools-in-a-turn"))
                    if problem is not None:
                        yield _check("features", "tools within a turn", "advice", problem)
            elif feature in QUESTIONS:
                if feature in self.agent.features:
                    yield Check("features", feature, "ok")
                else:
                    yield Check("features", feature, "not declared", fix=QUESTIONS[feature])
            elif feature in self.agent.features:
                yield Check("features", feature, "not tried", NO_SCENARIO)
            else:
                yield Check("features", feature, "not declared")

    def _feature_runs(self) -> list[ProbeRun]:
        """The runs that show features: streamed ones if there are any, as plain responses have no deltas."""
        streams = [probe_run for probe_run in self.reached_runs if probe_run.case.mode == "stream"]
        return streams or self.reached_runs[:1]

    def _probed_feature(self, feature: str) -> Check:
        declared = feature in self.agent.features
        if not declared and feature == "cancel" and not _can_be_cancelled(self.agent):
            return Check("features", feature, "not declared")
        if not declared and (
            feature in ONLY_IF_DECLARED or (feature == "steering" and not hasattr(self.agent.adapter, "steer"))
        ):
            return Check("features", feature, "not declared")
        if feature == "tool-choice" and self._feature_runs()[0].case.wire not in FORCE_CALLS:
            return Check("features", feature, "not tried", "the main wire has no field for it")
        probe_run = self._run(feature)
        problem = FEATURE_PROBES[feature](probe_run)
        if not declared and feature == "request-limit":
            problem = features.stops_at_the_limit(probe_run)
        return self._feature(feature, problem)

    def _on_one_wire(self, feature: str) -> Check:
        """Tried on the only wire on which a probe has it."""
        wire, judge = ON_ONE_WIRE[feature]
        if wire not in self.agent.wires:
            return Check("features", feature, "not tried", f"it is tried on {wire} alone")
        probe_run = self.runner.run(feature, wire=wire, mode=self.reached_runs[0].case.mode)
        return self._feature(feature, judge(probe_run))

    def _feature(self, feature: str, problem: Failure | None) -> Check:
        if feature in self.agent.features:
            if problem is not None and problem.is_about_feature:
                problem = replace(problem, fix=f"{problem.fix} Or take {feature!r} out of `features`.")
            return _check("features", feature, "not working", problem)
        if problem is None:
            return Check("features", feature, "works, not declared", fix=f"Add {feature!r} to `features`.")
        return Check("features", feature, "not declared")

    def _run(self, name: str) -> ProbeRun:
        main = self._feature_runs()[0].case
        return self.runner.run(name, wire=main.wire, mode=main.mode)


def _check(group: str, topic: str, failing: Status, problem: Failure | None) -> Check:
    return Check(group, topic, "ok") if problem is None else Check(group, topic, failing, problem.got, problem.fix)


def _first(probe_runs: Sequence[ProbeRun], judge: Callable[[ProbeRun], Failure | None]) -> Failure | None:
    """The first problem among the runs, with its target if there are several runs."""
    for probe_run in probe_runs:
        problem = judge(probe_run)
        if problem is not None:
            where = f"on {probe_run.target}, " if len(probe_runs) > 1 else ""
            return replace(problem, got=f"{where}{problem.got}")
    return None


def _can_be_cancelled(agent: DeclaredAgent) -> bool:
    """A turn of a synchronous adapter without `cancel` would only hang until the timeout."""
    send = getattr(agent.adapter, "send", None)
    is_async = inspect.iscoroutinefunction(send) or inspect.isasyncgenfunction(send)
    return is_async or callable(getattr(agent.adapter, "cancel", None))


def run_doctor(
    spec: str, *, timeout: float, transcripts: bool = False, verbose: bool = False, json: bool = False
) -> int:
    """0: all that is declared works; 1: something does not; 4: there is no such agent.

    With `transcripts`, what happened in each probe comes before the report. With `verbose`, each item has a line, and
    what the agent prints, which is shown nowhere else, goes to standard error.
    """
    sys.path[:0] = map(str, python_path(Path.cwd()))  # the adapter is found where pytest finds it
    with contextlib.redirect_stdout(sys.stderr):
        with ends_command(4, AgentNotFound):
            agent = load_agent(spec, cwd=Path.cwd())
        with contextlib.nullcontext() if verbose else no_output():
            report = make_report(agent, timeout=timeout)
    if json:
        print_json(as_json(report, transcripts=transcripts))
    else:
        print("\n".join([*(transcript_lines(report) if transcripts else ()), *report_lines(report, verbose=verbose)]))
    code = 0 if report.is_clean else 1
    if report.has_stuck_thread:
        # Exit without joining threads that never return; registered exit functions still run
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    return code


HEADINGS = {
    "reached": "wires and modes",
    "requests": "what each request carries",
    "tools": "one round with a tool",
    "features": "features",
}
WIDTH = 100
INDENT = 30
ADDRESS = re.compile(r"https?://127\.0\.0\.1:\d+/\w+")
"""The address of one case, which is different in each run."""


def report_lines(report: Report, *, verbose: bool = False) -> Iterator[str]:
    """Under each group what is to be read: what happened and what to change. All else is named in one line for each
    status, or with `verbose` each in its own.
    """
    yield report.agent.spec
    for group in TOPICS:
        checks = [check for check in report.checks if check.group == group]
        if checks:
            yield ""
            yield HEADINGS[group]
        told = [check for check in checks if verbose or check.got or check.fix]
        for status in ("ok", "not tried", "not declared"):
            names = [check.topic for check in checks if check.status == status and check not in told]
            yield from _wrapped(f"{status}: {', '.join(names)}" if names else "", first="  ", others="    ")
        for check in told:
            yield f"  {check.topic:{INDENT - 4}}  {check.status}"
            for text in (_sentence(check.got), check.fix):
                yield from _wrapped(text, first=" " * INDENT, others=" " * INDENT)
    yield ""
    if report.transcripts:
        probes = "1 probe" if len(report.transcripts) == 1 else f"{len(report.transcripts)} probes"
        yield f"{probes} in {report.seconds:.2f}s"
    note = outdated(report.agent.spec)
    yield from _wrapped(f"Note: {note}" if note else "", first="", others="  ")
    yield _summary(report)


def _wrapped(text: str, *, first: str, others: str) -> list[str]:
    return textwrap.wrap(
        text,
        min(_columns(), WIDTH),
        initial_indent=first,
        subsequent_indent=others,
        break_long_words=False,
        break_on_hyphens=False,
    )


def as_json(report: Report, *, transcripts: bool) -> dict[str, Any]:
    """`checks` in the order of the report, each with what happened (`got`) and what to change (`fix`)."""
    return {
        "agent": report.agent.spec,
        "clean": report.is_clean,
        "outdated": outdated(report.agent.spec),
        "checks": [
            {
                "group": check.group,
                "topic": check.topic,
                "status": check.status,
                "got": _sentence(check.got),
                "fix": check.fix,
            }
            for check in report.checks
        ],
        "transcripts": [ADDRESS.sub("<base_url>", text) for text in report.transcripts] if transcripts else [],
        "seconds": round(report.seconds, 3),
    }


def transcript_lines(report: Report) -> Iterator[str]:
    """What happened in each probe, in the order in which they ran."""
    for text in report.transcripts:
        yield from map(shown, ADDRESS.sub("<base_url>", text).split("\n"))
        yield ""


def _columns() -> int:
    """The columns of the terminal. Elsewhere lines may have any length."""
    return get_terminal_size().columns if sys.stdout.isatty() else sys.maxsize


def _sentence(text: str) -> str:
    if not text:
        return ""
    text = ADDRESS.sub("<base_url>", text)
    return text[0].upper() + text[1:] + ("" if text.endswith((".", "!", "?")) else ".")


def _summary(report: Report) -> str:
    counted = [(status, len(report.with_status(status))) for status in ("ok", "not working", "works, not declared")]
    counts = "; ".join(f"{status}: {count}" for status, count in counted)
    if report.is_clean:
        line = f"{counts}. Next: pytest --agent={_quoted(report.agent.spec)}"
        return line if len(line) <= _columns() else line.replace(" Next: ", "\nNext: ", 1)
    return f"{counts}. Fix these from top to bottom."


def _quoted(spec: str) -> str:
    return f'"{spec}"' if " " in spec else spec
