"""A run of cases: the transports stand, the network is guarded, one case after the other is performed and judged."""

import concurrent.futures.thread
import gc
import os
import re
import shutil
import sys
import tempfile
import threading
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from conformance.adapter.contract import AdapterMistake, DeclaredAgent
from conformance.judge import judge_case
from conformance.record.finding import Finding, Verdict
from conformance.record.narrative import narrative
from conformance.record.redaction import keys_of, without_keys
from conformance.record.transcript import Transcript
from conformance.run.case_run import CaseEnvironment, CaseError, CaseRun, NotVerified, described_error
from conformance.run.certificate import one_certificate
from conformance.run.greeting import greeting_of
from conformance.run.guard import NetworkGuard
from conformance.run.isolation import loopback_unproxied, process_restored
from conformance.scenario.cases import Case
from conformance.scenario.problems import shown_path
from fakes.registry import wire_for
from fakes.reply import Split
from fakes.transport.hook import InProcessHook
from fakes.transport.mounts import Mounts
from fakes.transport.server import LoopbackServer

MODEL_HOSTS = re.compile(
    r"(^|\.)(openai\.com|anthropic\.com|googleapis\.com|mistral\.ai|deepseek\.com|groq\.com|openrouter\.ai|x\.ai)$"
)
"""Hosts that serve models: an agent that goes there did not take the base URL it was given."""

MANY_MODULES = 50
"""So many new ones are an SDK, imported where an agent first needs it."""


class Session:
    """Use as a context manager. `left_behind` says, after it, that a thread of some agent's never ended: Python would
    wait for it, so end the process hard.
    """

    def __init__(self, agent: DeclaredAgent, *, transport: str = "process", timeout: float = 10.0) -> None:
        self._agent = agent
        self._transport = transport
        self._timeout = timeout
        self._stack = ExitStack()
        self._mounts = Mounts()
        self._performances = 0
        self._failures: list[BaseException] = []
        self._greeted: dict[str, bool] = {}
        self.left_behind = False

    def __enter__(self) -> Self:
        if not gc.get_freeze_count():  # else it is kept until the process ends
            self._stack.callback(gc.unfreeze)
        self._keep_loaded()
        self._stack.enter_context(one_certificate())
        self._stack.enter_context(loopback_unproxied())
        self._server = LoopbackServer(self._mounts, on_error=self._fake_failed)
        self._server.start()
        self._stack.callback(self._server.stop)
        self._hook: InProcessHook | None = None
        if self._transport == "process":
            self._hook = InProcessHook(self._mounts, self._server.host, self._server.port, self._fake_failed)
            self._stack.callback(self._hook.restore)
        self._guard = NetworkGuard()
        self._folder = Path(tempfile.mkdtemp(prefix="agent-conformance-"))
        self._threads = frozenset(threading.enumerate())
        self._keys = keys_of(os.environ)
        self._stack.callback(shutil.rmtree, self._folder, ignore_errors=True)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()
        new = set(threading.enumerate()) - self._threads
        self.left_behind |= any(holds_up_exit(thread) for thread in new)

    def run(self, case: Case) -> Verdict:
        """The verdict on one case, without keys of this machine. Raises nothing that an agent or an adapter did."""
        return without_keys(self.examine(case)[0], self._keys)

    def examine(self, case: Case) -> tuple[Verdict, tuple[Transcript, ...]]:
        """The verdict and the performances behind it: none where an error or `CannotRestore` ended one."""
        if case.missing:
            return Verdict(case.id, "not-verified", reason=f"needs {', '.join(sorted(case.missing))}"), ()
        try:
            first, *others = splits_of(case)
            transcripts = [self._perform(case, first, survive=True)]
            transcripts += [self._perform(case, split, survive=False) for split in others]
        except NotVerified as unable:
            return Verdict(case.id, "not-verified", reason=f"cannot restore the history: {unable}"), ()
        except (CaseError, AdapterMistake) as error:
            return Verdict(case.id, "error", reason=str(error)), ()
        return self._verdict(case, transcripts), tuple(transcripts)

    def _perform(self, case: Case, split: Split, *, survive: bool) -> Transcript:
        if self._hook is not None:
            self._hook.install()
        self._performances += 1
        state_dir = self._folder / str(self._performances)
        state_dir.mkdir()
        place = CaseEnvironment(self._mounts.mount, self._mounts.unmount, self._base_url, state_dir, self._timeout)
        with process_restored(), self._guard.watch() as foreign:
            performance = CaseRun(case, self._agent, place, split=split)
            try:
                transcript = performance.run(survive=survive)
            finally:
                self.left_behind |= performance.left_behind
        if self._failures:
            error = self._failures.pop()
            self._failures.clear()
            raise CaseError(f"the suite's own fake failed, please report it: {described_error(error)}") from error
        transcript.foreign = list(foreign)
        _remove(state_dir)
        if len(sys.modules) >= self._modules + MANY_MODULES:
            self._keep_loaded()
        return transcript

    def _keep_loaded(self) -> None:
        """What is loaded by now stays: collecting garbage need not walk it again after every case."""
        self._modules = len(sys.modules)
        gc.freeze()

    def _problem(self, case: Case, transcript: Transcript) -> str:
        """Why this is no verdict on the agent. One that gives up before it asks is judged, if it asks when greeted."""
        gave_up = any(record.outcome == "error" and not record.requests for record in transcript.turns)
        return set_up_problem(case, transcript, may_give_up=gave_up and self._asks_when_greeted(case))

    def _asks_when_greeted(self, case: Case) -> bool:
        greeting = greeting_of(case)
        if greeting.id not in self._greeted:
            try:
                greeted = self._perform(greeting, "provider", survive=False)
            except (NotVerified, CaseError, AdapterMistake):
                self._greeted[greeting.id] = False
            else:
                self._greeted[greeting.id] = any(record.requests for record in greeted.turns)
        return self._greeted[greeting.id]

    def _fake_failed(self, path: str, error: BaseException) -> None:
        self._failures.append(error)

    def _base_url(self, token: str, case: Case) -> str:
        return f"{self._server.url}/{token}{wire_for(case.provider, case.wire).base_path}"

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
        if problem:
            return Verdict(case.id, "error", reason=problem, **common)
        findings = judge_case(
            case.scenario,
            transcripts,
            wire=case.wire,
            features=self._agent.features,
            source=lambda: _source(case),
        )
        findings += tuple(_foreign(host) for host in hosts)
        scrub = tuple(getattr(self._agent.adapter, "scrub", ()))
        told = narrative(transcripts[0], scrub=scrub)
        return Verdict(case.id, _outcome(findings), findings, narrative=told, **common)


def splits_of(case: Case) -> tuple[Split, ...]:
    """How text is cut, performance by performance: text with a meaning is cut in every way that has hurt somebody.

    Boundaries inside characters are for texts that have characters of several bytes.
    """
    replies = [reply for turn in case.scenario.conversation for reply in turn.model]
    if case.mode == "plain" or not any(reply.means is not None for reply in replies):
        return ("provider",)
    given: tuple[Split, ...] = ("given",) if any(reply.chunks for reply in replies) else ()
    wide: tuple[Split, ...] = () if all((reply.text or "").isascii() for reply in replies) else ("bytes",)
    return ("whole", *given, "characters", *wide)


def _remove(folder: Path) -> None:
    """Most are empty, and an empty one is removed at once."""
    try:
        folder.rmdir()
    except OSError:
        shutil.rmtree(folder, ignore_errors=True)


def holds_up_exit(thread: threading.Thread) -> bool:
    """Whether Python waits for this thread before it ends: daemons of a pool are joined as well."""
    return not thread.daemon or thread in getattr(concurrent.futures.thread, "_threads_queues", ())


def set_up_problem(case: Case, transcript: Transcript, *, may_give_up: bool) -> str:
    """Why this is no verdict on the agent: it went elsewhere, never asked, or asked in the wrong mode.

    `may_give_up`: a turn that ends in a controlled failure needs no request.
    """
    for host, port in transcript.foreign:
        if MODEL_HOSTS.search(host):
            return f"the agent asked {host}:{port} for a model, not the base URL it was given"
    for record in transcript.turns:
        silent = ("reply",) if may_give_up else ("reply", "error")
        if record.outcome in silent and not record.requests and not record.is_survival:
            ending = f": {record.failure}" if record.failure else ""
            return f"the fake saw no request in turn {record.number}; the agent never called it{ending}"
    first = next((request for _, request in transcript.requests() if request.counts), None)
    if first is not None and case.mode == "stream" and not first.view.stream:
        return "the adapter declares the mode stream, but its first request asks for a plain response"
    return ""


def _outcome(findings: tuple[Finding, ...]) -> Any:
    return "fail" if any(finding.level == "must" for finding in findings) else "pass"


def _source(case: Case) -> str:
    line = case.file.line_of(("description",))
    place = f"{shown_path(case.file.path)}:{line}"
    return f"{place}   {case.scenario.source}" if case.scenario.source else place


def _foreign(host: str) -> Finding:
    """Advice: a test run is no place to report to, and CI may have no network."""
    got = f"it looked for {host}, and was kept from it"
    facts = (("expected", "no host to be asked but the one of the base URL"), ("got", got))
    return Finding("foreign-host", "should", "foreign-host", facts)
