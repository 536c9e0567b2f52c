"""A session of cases: starts the transports, guards the network, and runs and judges one case after the other."""

import concurrent.futures.thread
import gc
import re
import sys
import tempfile
import threading
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, ExitStack, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

from msgspec import structs

from agent_conformance.adapter.contract import AdapterMistake, DeclaredAgent
from agent_conformance.adapter.tool_servers import take_whether_unasked
from agent_conformance.judge import judge_case
from agent_conformance.machine.process_trees import take_left_running
from agent_conformance.run.agent.agent_setup import API_KEY
from agent_conformance.run.case_run import SLOW_START, CaseEnvironment, CaseError, CaseRun, NotVerified
from agent_conformance.run.exceptions import described_error
from agent_conformance.run.exceptions.crash_trace import UncaughtExceptions
from agent_conformance.run.process import collections_held, one_certificate
from agent_conformance.run.process.descriptors import descriptors_kept
from agent_conformance.run.process.isolation import (
    BROKEN,
    ISOLATE,
    NEEDED_FUNCTIONS,
    free_log_locks,
    how_it_was_broken,
    loopback_unproxied,
    process_restored,
    remove_folder,
    what_was_replaced,
)
from agent_conformance.run.process.network_guard import NetworkGuard
from agent_conformance.run.process.process_exits import guard_exits, leave_exits
from agent_conformance.run.process.shared_functions import PATCHED, threads_are_patched
from agent_conformance.scenario.cases import Case
from agent_conformance.scenario.model import Scenario
from agent_conformance.transcripts.finding import Finding, ScenarioPlace, Subject, Verdict, law_subject
from agent_conformance.transcripts.narrative import narrative
from agent_conformance.transcripts.redaction import SECRETS, SETUP_KEY, redacted, redacted_tree, without_secrets
from agent_conformance.transcripts.transcript import ACCEPTED, OUTSIDE_TURN, TURN_TIMEOUTS, Transcript, TurnRecord
from fake_providers.provider_facts import facts_by_provider
from fake_providers.reply import Split
from fake_providers.transport.answerer import Answerer, Mounts
from fake_providers.transport.hook import InProcessHook
from fake_providers.transport.server import LoopbackServer
from fake_providers.values.patterns import SlowPattern

Context = TypeVar("Context")

MODEL_HOSTS = re.compile(
    rf"(^|\.)({'|'.join(re.escape(host) for facts in facts_by_provider().values() for host in facts.hosts)})$"
)
"""Hosts that serve models: an agent that looks for one does not use the base URL of its setup."""

NO_CLIENT = (
    "nobody asked the MCP server of the case for its tools: the program did not read its configuration of MCP servers, "
    "or takes none of this kind"
)

FIRST_USE = 5
"""So many timeouts of silence the first case of a wire and mode has in addition, before its first request.

So has the first after a crash or a hang that ended a process: it is started anew, and imports everything again.
"""
MANY_MODULES = 50
"""So many new ones mean that an agent has imported an SDK on first use."""


class CaseSession:
    """Use as a context manager. `has_stuck_thread` says afterwards that a thread of an agent never ended: Python would
    wait for it, so end the process with `os._exit`.

    Places in the agent's code are shown from `start`. With `keeps_crash`, `crash` is the exception of the last case.
    What breaks a rule of `tolerated` is accepted by the fakes, and recorded. `narrates` says which cases have a
    narrative in their verdict: nobody compares it where nothing is recorded. `cut` is the one way of cutting streamed
    texts, where a case has it. With `keeps_transcripts`, `transcripts` are those of the last case. `made_folder` hears
    of each folder that is removed at the end: by somebody else, where the process is killed.
    """

    def __init__(
        self,
        agent: DeclaredAgent,
        *,
        transport: str = "process",
        timeout: float = 10.0,
        turn_limit: float | None = None,
        start: Path | None = None,
        keeps_crash: bool = False,
        tolerated: Iterable[str] = (),
        narrates: Callable[[Case], bool] = lambda case: True,
        cut: str = "",
        keeps_transcripts: bool = False,
        made_folder: Callable[[Path], object] | None = None,
    ) -> None:
        self._agent = agent
        self._transport = transport
        self._timeout = timeout
        self._turn_limit = turn_limit or TURN_TIMEOUTS * timeout
        self._start = start
        self._keeps_crash = keeps_crash
        self._tolerated = frozenset(tolerated)
        self._narrates = narrates
        self._cut = cut
        self._keeps_transcripts = keeps_transcripts
        self._made_folder = made_folder
        self.transcripts: tuple[Transcript, ...] = ()
        self.crash: BaseException | None = None
        self._stack = ExitStack()
        self._mounts = Mounts()
        self._runs = 0
        self._failures: list[BaseException] = []
        self._used: set[tuple[str, str]] = set()
        self._starts_anew = True
        self._sent: dict[str, bool] = {}
        self._has_hung = False
        self.has_stuck_thread = False
        self.stray_exits: list[str] = []
        """Of threads that an agent left behind, and that wanted to end the process between two cases."""
        self.not_undone: list[str] = []
        """The steps of the end that failed, in words. The others were taken, and no verdict depends on them."""

    def __enter__(self) -> Self:
        if not gc.get_freeze_count():  # else it is kept until the process ends
            self._at_end("letting go of what is frozen", gc.unfreeze)
        self._keep_loaded()
        self._within("the trusted certificates", one_certificate())
        self._within("the proxies of loopback", loopback_unproxied())
        self._uncaught = self._within("the hooks for exceptions", UncaughtExceptions())
        guard_exits()
        self._at_end("the guard of exits", self._leave_exits)
        self._start_server()
        self._at_end("the server of the fakes", self._stop_server)
        self._hook: InProcessHook | None = None
        in_process = self._transport == "process"
        if (reach := getattr(self._agent.adapter, "reach_fakes", None)) is not None:
            answerer = Answerer(self._mounts, self._fake_failed) if in_process else None
            reach(answerer, self._server.host, self._server.port)
        elif in_process:
            self._hook = InProcessHook(self._mounts, self._server.host, self._server.port, self._fake_failed)
            self._at_end("the patches of httpx", self._hook.restore)
        self._guard = NetworkGuard()
        self._folder = self._new_home()
        self._threads = self._threads_at_case = frozenset(threading.enumerate())
        SECRETS.learn(SETUP_KEY, API_KEY)
        self._within("the guard of file descriptors", descriptors_kept())
        return self

    def _at_end(self, what: str, step: Callable[[], object]) -> None:
        """Take this step at the end; where it raises, that is noted, and all others are taken."""
        self._stack.push(partial(self._note, what))
        self._stack.callback(step)

    def _within(self, what: str, context: AbstractContextManager[Context]) -> Context:
        self._stack.push(partial(self._note, what))
        return self._stack.enter_context(context)

    def _note(self, what: str, kind: object, error: BaseException | None, trace: object) -> bool:
        if isinstance(error, Exception):
            self.not_undone.append(f"{what}: {described_error(error)}")
        return isinstance(error, Exception)

    def _start_server(self, port: int = 0) -> None:
        self._server = LoopbackServer(self._mounts, on_error=self._fake_failed, port=port)
        self._server.start()

    def _stop_server(self) -> None:
        self._server.stop()

    def _leave_exits(self) -> None:
        self.stray_exits += leave_exits()

    def _new_home(self) -> Path:
        """The folder of the cases' folders."""
        home = Path(tempfile.mkdtemp(prefix="agent-conformance-"))
        self._at_end(f"the folder {home}", partial(remove_folder, home))
        if self._made_folder is not None:
            self._made_folder(home)
        return home

    def _new_folder(self) -> Path:
        """For the next case run. An agent may have deleted or locked all that is above its own."""
        folder = self._folder / str(self._runs)
        try:
            folder.mkdir()
        except OSError:
            self._folder = self._new_home()
            folder = self._folder / str(self._runs)
            folder.mkdir()
        return folder

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()
        new = set(threading.enumerate()) - self._threads
        self.has_stuck_thread |= any(holds_up_exit(thread) for thread in new)

    def run(self, case: Case) -> Verdict:
        """The verdict on one case, without secrets. Raises nothing that an agent or an adapter did.

        Secrets of the adapters of the case before are known until here, when all that is said of it is written.
        """
        running = frozenset(threading.enumerate())
        SECRETS.begin_case(keep=not running <= self._threads_at_case)
        self._threads_at_case = running
        try:
            verdict, transcripts = self.examine(case)
        except Exception as error:
            if not (broken := how_it_was_broken(error)):
                raise
            verdict, transcripts = Verdict(case.id, "error", reason=broken), ()
        if verdict.outcome == "error" and NEEDED_FUNCTIONS.put_back and BROKEN not in verdict.reason:
            reason = f"{verdict.reason}. {BROKEN.capitalize()}: it replaced {what_was_replaced()}. {ISOLATE}"
            verdict = structs.replace(verdict, reason=reason)
        self.transcripts = transcripts if self._keeps_transcripts else ()
        return redacted_tree(verdict)

    def examine(self, case: Case) -> tuple[Verdict, tuple[Transcript, ...]]:
        """The verdict and the transcripts it rests on: none where an error or `CannotRestore` ended a case run."""
        if case.missing:
            return Verdict(case.id, "not-verified", reason=f"needs {', '.join(sorted(case.missing))}"), ()
        self.crash = None
        try:
            first, *others = splits_of(case, only=self._cut)
            transcripts = [self._run_once(case, first, follow_up=True)]
            transcripts += [self._run_once(case, split, follow_up=False) for split in others]
        except NotVerified as unable:
            return Verdict(case.id, "not-verified", reason=str(unable)), ()
        except CaseError as error:
            return Verdict(case.id, "error", reason=str(error), trace=error.trace), ()
        except AdapterMistake as error:
            return Verdict(case.id, "error", reason=str(error)), ()
        try:
            # The verdict rests on what the agent said, and is worded by what may be shown of that: texts are cut and
            # normalised with a secret's name in its place. Also the transcripts that may be shown.
            shown = [*map(without_secrets, transcripts)]
            verdict = self._verdict(case, shown)
            if any(new is not old for new, old in zip(shown, transcripts, strict=True)):
                worded = {finding.id: finding for finding in verdict.findings}
                rested = self._verdict(case, transcripts)
                findings = tuple(worded.get(finding.id, finding) for finding in rested.findings)
                reason = verdict.reason if verdict.outcome == rested.outcome else rested.reason
                verdict = structs.replace(rested, findings=findings, reason=reason, narrative=verdict.narrative)
            return verdict, tuple(shown)
        except (SlowPattern, AdapterMistake) as error:
            where = f"{case.file.shown}: `matches`: " if isinstance(error, SlowPattern) else ""
            return Verdict(case.id, "error", reason=f"{where}{error}"), ()

    def repeat(self, case: Case) -> Verdict | None:
        """The verdict of a second run, right after the first: what is known of that stays. None where it cannot run."""
        crash = self.crash
        try:
            verdict, _ = self.examine(case)
        except Exception as error:
            if not how_it_was_broken(error):
                raise
            return None
        finally:
            self.crash = crash
        return redacted_tree(verdict)

    def run_again(self, case: Case, split: Split) -> Transcript | None:
        """One more run, which nobody judges. None where there is none, as of a history that cannot be restored."""
        try:
            return without_secrets(self._run_once(case, split, follow_up=True))
        except (NotVerified, CaseError, AdapterMistake):
            return None

    def _run_once(self, case: Case, split: Split, *, follow_up: bool) -> Transcript:
        if threads_are_patched():
            raise CaseError(PATCHED)
        if self._hook is not None:
            self._hook.install()
        if not self._server.is_running:  # what it calls was broken by the agent
            self._server.stop()
            self._start_server(self._server.port)
        self._failures.clear()
        self._runs += 1
        state_dir = self._new_folder()
        environment = CaseEnvironment(
            self._mounts,
            self._server,
            state_dir,
            self._timeout,
            self._start,
            self._tolerated,
            self._extra_start(case),
            self._turn_limit,
        )
        with collections_held(), process_restored(), self._guard.watch() as foreign:
            case_run = CaseRun(case, self._agent, environment, split=split, keeps_crash=self._keeps_crash)
            self._starts_anew = True
            self._uncaught.begin_case()
            try:
                transcript = case_run.run(follow_up=follow_up)
                self._starts_anew = case_run.is_over and not case_run.hangs_in_this_process
                self._remember(case, transcript, hangs_here=case_run.hangs_in_this_process)
            finally:
                self._uncaught.end_case()
                free_log_locks()
                self.has_stuck_thread |= case_run.has_stuck_thread
                self.crash = self.crash or case_run.crash
        if self._failures:
            error = self._failures.pop()
            self._failures.clear()
            if isinstance(error, AdapterMistake):
                raise CaseError(str(error)) from error
            ours = f"the suite's own fake failed, please report it: {described_error(error)}"
            raise CaseError(how_it_was_broken(error) or ours) from error
        transcript.foreign = list(foreign)
        transcript.lists_no_tools = take_whether_unasked()
        transcript.left_running = [redacted(program) for program in take_left_running()]
        remove_folder(state_dir)
        if len(sys.modules) >= self._modules + MANY_MODULES:
            self._keep_loaded()
        return transcript

    def _extra_start(self, case: Case) -> float:
        """The first case of a wire and mode has more time to its first request, and so has one after a crash."""
        first_use = self._starts_anew or (case.wire, case.mode) not in self._used
        self._used.add((case.wire, case.mode))
        return FIRST_USE * self._timeout if first_use else 0.0

    def _keep_loaded(self) -> None:
        """Keep what is loaded by now out of garbage collection, which would walk it again after every case."""
        self._modules = len(sys.modules)
        gc.freeze()

    def _problem(self, case: Case, transcript: Transcript) -> str:
        """Why there is no verdict on the agent. One that gives up is judged if another case had a request."""
        gave_up = any(record.outcome == "error" and not record.requests for record in transcript.turns)
        return set_up_problem(case, transcript, may_give_up=gave_up and self._sends_requests(case))

    def _sends_requests(self, case: Case) -> bool:
        """Whether a case with its target and mode, or a greeting, had a request: then the adapter works."""
        hello = hello_case(case)
        if hello.id not in self._sent:
            self._sent[hello.id] = False
            with suppress(NotVerified, CaseError, AdapterMistake):
                self._run_once(hello, "provider", follow_up=False)
        return self._sent[hello.id]

    def _remember(self, case: Case, transcript: Transcript, *, hangs_here: bool) -> None:
        """What the next cases are judged by: a lock or a circuit of this process may stay closed."""
        id = hello_case(case).id
        for record in transcript.turns if hangs_here and self._has_hung and self._sent.get(id) else ():
            record.may_be_starting = False
        self._has_hung |= hangs_here
        if any(record.requests for record in transcript.turns):
            self._sent[id] = True

    def _fake_failed(self, path: str, error: BaseException) -> None:
        self._failures.append(error)

    def _verdict(self, case: Case, transcripts: list[Transcript]) -> Verdict:
        hosts = tuple(
            sorted(
                {f"{host}:{port}" if port else host for transcript in transcripts for host, port in transcript.foreign}
            )
        )
        problem = next((text for transcript in transcripts if (text := self._problem(case, transcript))), "")
        counted = sum(len(record.counted) for transcript in transcripts for record in transcript.turns)
        ran = sum(len(record.executions) for transcript in transcripts for record in transcript.turns)
        common: dict[str, Any] = {"requests": counted, "executions": ran, "foreign_hosts": hosts}
        common["left_running"] = tuple(one for transcript in transcripts for one in transcript.left_running)
        if problem:
            return Verdict(case.id, "error", reason=problem, **common)
        findings = judge_case(
            case.scenario,
            transcripts,
            wire=case.wire,
            provider=case.provider,
            features=self._agent.features,
            place=partial(place_in_scenario, case),
        )
        findings += tuple(_foreign(host) for host in hosts)
        if (silent := _turn_without_a_start(transcripts)) and _outcome(findings) == "pass":
            return Verdict(case.id, "error", reason=silent, **common)
        return Verdict(case.id, _outcome(findings), findings, narrative=self._narrative(case, transcripts[0]), **common)

    def _narrative(self, case: Case, transcript: Transcript) -> str:
        if not self._narrates(case):
            return ""
        try:
            return narrative(transcript, scrub=self._agent.scrub, given=lambda: repr(case.scenario))
        except SlowPattern as slow:
            raise AdapterMistake(f"the adapter's `scrub`: {slow}") from None


def splits_of(case: Case, *, only: str = "") -> tuple[Split, ...]:
    """How text is split in each run of the case: text with a meaning is split in every way that has broken an agent.

    Boundaries inside characters are for texts that have characters of several bytes. `only` is one of these ways.
    """
    replies = [reply for turn in case.scenario.conversation for reply in turn.model]
    if case.mode == "plain" or not any(reply.means is not None for reply in replies):
        return ("provider",)
    by_reply: tuple[Split, ...] = ("given",) if any(reply.chunks for reply in replies) else ()
    wide: tuple[Split, ...] = () if all((reply.text or "").isascii() for reply in replies) else ("bytes",)
    splits: tuple[Split, ...] = ("whole", *by_reply, "characters", *wide)
    return tuple(split for split in splits if split == only) or splits


def holds_up_exit(thread: threading.Thread) -> bool:
    """Whether Python waits for this thread before it ends: daemons of a pool are joined as well."""
    return not thread.daemon or thread in getattr(concurrent.futures.thread, "_threads_queues", ())


def set_up_problem(case: Case, transcript: Transcript, *, may_give_up: bool) -> str:
    """Why there is no verdict on the agent: it went elsewhere, sent no request, or sent one in the wrong mode.

    `may_give_up`: a turn that ends in a controlled failure needs no request.
    """
    for host, port in transcript.foreign:
        if MODEL_HOSTS.search(host):
            return f"the agent tried to reach a model at {host}:{port} instead of its base URL"
    for record in transcript.turns:
        silent = ("reply",) if may_give_up else ("reply", "error")
        if record.outcome in silent and not record.requests and not record.is_follow_up:
            if record.outcome == "reply" and any(
                one.requests and one.reply == record.reply for one in transcript.turns
            ):
                continue  # the answer to something else, which the law `answers` names
            ending = f": {record.described_failure}" if record.failure else ""
            return f"the fake received no request in turn {record.number}{ending}"
        if record.requests and all(request.kind == "unknown" for request in record.requests):
            stray = record.requests[0].http
            return f"in turn {record.number} it sends {stray.method} {stray.path}, which is no request of {case.wire}"
    if transcript.lists_no_tools and any(_offers_none(record) for record in transcript.turns):
        return NO_CLIENT
    unread = OUTSIDE_TURN | {"stopped"}
    asked = [request for _, request in transcript.requests() if request.kind not in unread]
    may_be_plain = case.scenario.output_schema is not None  # some frameworks stream none of those answers
    if asked and case.mode == "stream" and not any(one.view.stream for one in asked) and not may_be_plain:
        return "the adapter declares the mode stream, but its requests ask for a plain response"
    return ""


def _offers_none(record: TurnRecord) -> bool:
    """Whether a request of the turn offers none of the tools that it should."""
    accepted = [request for request in record.requests if request.kind in ACCEPTED]
    return bool(record.enabled) and any(not record.enabled & {t.name for t in one.view.tools} for one in accepted)


def _turn_without_a_start(transcripts: list[Transcript]) -> str:
    """What is said of a turn in which the agent was silent; empty where there is none."""
    records = [record for transcript in transcripts for record in transcript.turns if record.never_started]
    if not records:
        return ""
    log = records[0].log_tail.strip().splitlines()[-1:]
    end = f". Its log ends with: {log[0]}" if log else ""
    return f"the fake received no request in turn {records[0].number}: {records[0].failure}. {SLOW_START}{end}"


def _outcome(findings: tuple[Finding, ...]) -> Any:
    return "fail" if any(finding.level == "must" for finding in findings) else "pass"


def place_in_scenario(case: Case, subject: Subject) -> ScenarioPlace:
    """The line that documents the scenario, and that of the expectation which a finding is about."""
    demand = 0
    if subject.kind == "expectation":
        of_turn = ("conversation", subject.turn - 1, "model" if subject.name == "means" else "expect")
        named = ("should", subject.name) if subject.is_advice else (subject.name,)
        number = () if subject.number is None else (subject.number,)
        demand = case.file.line_of(((*of_turn, *named) if subject.turn else named) + number)
    return ScenarioPlace(case.file.shown, case.file.line_of(("description",)), demand, case.scenario.source or "")


def _foreign(host: str) -> Finding:
    """Advice: a test run is no place to report to, and CI may have no network."""
    got = f"it tried to reach {host}; the connection was refused"
    expected = "no connection to any host but that of the base URL"
    return Finding(law_subject("foreign-host"), "should", expected=expected, got=got)


HELLO = Scenario.read(
    {
        "description": "a greeting is answered",
        "profile": "core",
        "conversation": [{"user": "Hello.", "model": [{"text": "Hello."}]}],
    }
)


def hello_case(case: Case) -> Case:
    """The case with neither tools nor history, on the same wire and provider, in the same mode."""
    return replace(case, id=f"hello@{case.id.rpartition('@')[2]}", row=None, scenario=HELLO)
