"""The hooks: when pytest calls for what. The answers are in the modules around it."""

import gc
import sys
from collections.abc import Generator
from contextlib import nullcontext
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

import pytest
from msgspec.structs import replace

from agent_conformance.adapter.contract import DeclaredAgent
from agent_conformance.attach.loading import AgentNotFound
from agent_conformance.baseline.baseline import Baseline, BrokenBaseline, Entry, baseline_notes, load_baseline, today
from agent_conformance.baseline.comparison import VerdictComparer
from agent_conformance.baseline.judged_cases_file import BrokenJudged, Judged, read_judged, refuse_lost_baseline
from agent_conformance.baseline.run_record import RunRecord
from agent_conformance.baseline.snapshots import Snapshots
from agent_conformance.baseline.summary import SummaryContext, SummaryPart, duration_notice, summary_parts
from agent_conformance.baseline.written_files import WrittenFiles, noted, write_files
from agent_conformance.machine import Terminated, raise_at_terminations
from agent_conformance.pytest.agent_loading import load_agent_of, with_declared_isolation
from agent_conformance.pytest.arguments import (
    is_path,
    load_conftests_of,
    own_requests,
    put_paths_first,
    scenario_folders,
    select,
)
from agent_conformance.pytest.collection import Catalogue, collect_directory, collect_file, register_mark
from agent_conformance.pytest.exit import (
    Watcher,
    end_process,
    exit_code,
    limit_end,
    print_until_the_end,
    was_stopped,
    watcher_of,
)
from agent_conformance.pytest.fuzzing import TITLE as FUZZED
from agent_conformance.pytest.fuzzing import Fuzzing, load_hypothesis
from agent_conformance.pytest.items import ITEM_CONTEXT, CaseItem, ItemContext
from agent_conformance.pytest.judged_run import judged_in, note_fewer
from agent_conformance.pytest.options import (
    Options,
    check_supported,
    command,
    command_again,
    has_syrupy,
    read_options,
    runs_nothing,
    shows_whole_traces,
    tolerated_rules,
    verbosity,
)
from agent_conformance.pytest.other_plugins import Removals, name_in_allure
from agent_conformance.pytest.reporting import Redacting, ReportingPlugin
from agent_conformance.pytest.request_files import collect_request
from agent_conformance.pytest.shards import Sharding
from agent_conformance.pytest.terminal import register_terminal
from agent_conformance.run.process import collections_held
from agent_conformance.run.process.isolation import agent_imported
from agent_conformance.run.process.process_exits import guard_exits, leave_exits
from agent_conformance.scenario.cases import Case, RunOptions
from agent_conformance.scenario.files.selection import Folder, everything_of, folder_of
from agent_conformance.scenario.loading import AREAS
from agent_conformance.scenario.model import MODE_NAMES, WIRE_NAMES
from agent_conformance.scenario.yaml_files import shown_path
from agent_conformance.transcripts.finding import Verdict
from agent_conformance.transcripts.printing import keep_threads_printable
from agent_conformance.transcripts.redaction import NOT_HIDDEN, SECRETS, redacted, redacted_tree
from agent_conformance.transcripts.shown_texts import shown
from fake_providers.registry import rule_ids

if TYPE_CHECKING:
    from agent_conformance.pytest.gathering import CaseRecorder, RunResults
    from agent_conformance.relations import RelationChecks

FOREIGN_FILES, NOT_UNDONE = "agent_foreign_files", "agent_not_undone"
"""The keys under which a worker of xdist says which files are no scenarios, and what it could not undo at its end."""


def start(config: pytest.Config, args: list[str], *, requested: bool) -> None:
    """Called before any conftest, when there is an `--agent`. `requested`: an option of ours was typed; then, without a
    path, the scenarios run and no unit tests."""
    folders = scenario_folders(config)
    given = config.known_args_namespace.file_or_dir
    by_default = requested and not given
    if by_default:
        put_paths_first(config, args, folders)
    elif given and not any(is_path(argument, config.invocation_params.dir) for argument in given):
        load_conftests_of(config, folders)
    plugin = AgentPlugin(folders, requested=requested, by_default=by_default)
    config.pluginmanager.register(plugin, "agent-conformance-run")
    config.pluginmanager.register(Redacting(), "agent-conformance-redacting")
    config.pluginmanager.register(plugin.reporting, "agent-conformance-reporting")
    config.pluginmanager.register(Removals(plugin.record), "agent-conformance-removals")


class AgentPlugin:
    """One run. Created before the options are final; `pytest_configure` completes it."""

    options: Options
    agent: DeclaredAgent
    catalogue: Catalogue
    baseline: Baseline
    judged_before: Judged | None
    tolerated: dict[str, Entry]
    choice: RunOptions

    def __init__(self, folders: tuple[Folder, ...], *, requested: bool, by_default: bool) -> None:
        self.folders = folders
        self.requested = requested
        self.by_default = by_default
        self.record = RunRecord()
        self.reporting = ReportingPlugin(self.record)
        self.results: RunResults | None = None
        self.run: Any = None
        self.relations: RelationChecks | None = None
        self.has_stuck_thread = False
        self.workers_ready = 0
        self.pytest_session: pytest.Session | None = None
        self.watcher: Watcher | None = None
        self.terminated: Terminated | None = None
        self.written = WrittenFiles()
        self.fuzzing: Fuzzing | None = None
        self.sharding: Sharding | None = None

    @pytest.hookimpl(tryfirst=True)
    def pytest_configure(self, config: pytest.Config) -> None:
        if runs_nothing(config):
            return
        self.config = config
        self.options = with_declared_isolation(config, read_options(config))
        self.record.relations = self.options.relations
        register_terminal(config, self.record, self._summary)
        name_in_allure(config)
        if str(config.rootpath) not in sys.path:
            sys.path.append(str(config.rootpath))  # from a subdirectory the project's agent is found too
        try:
            with agent_imported():
                self.agent = load_agent_of(config, self.options)
            self.baseline = load_baseline(self.options.baseline, project=config.rootpath)
            if self.options.baseline_update and not config.getoption("agent_baseline_update"):
                refuse_lost_baseline(self.options.baseline)
            self.judged_before = None if self.options.baseline_update else read_judged(self.options.baseline)
        except AgentNotFound as error:
            raise pytest.UsageError(shown(str(error))) from None
        except (BrokenBaseline, BrokenJudged) as error:
            raise pytest.UsageError(str(error)) from None
        self.tolerated = tolerated_rules(self.options.tolerate, self.baseline, today=today())
        check_supported(self.options, self.agent.wires, self.agent.modes)
        self._register_marks(config)
        if (o := self.options).fuzz is not None:
            self.fuzzing = Fuzzing(o.fuzz, self.agent, self.baseline, self.tolerated, o.timeout, o.level)
        if o.shard is not None:
            self.sharding = Sharding(o.shard)
            config.pluginmanager.register(self.sharding, "agent-conformance-sharding")
        if self.requested and config.args_source is not pytest.Config.ArgsSource.ARGS:
            # A word that looked like a path was the value of an option of a conftest.
            config.args = [*(str(folder.path) for folder in self.folders), *own_requests(config)]
            self.by_default = True
        self.choice = self._choice(self.options.profiles)
        self.catalogue = self._catalogue(config)
        self.catalogue.selection = select(config, self.catalogue, self.options.cases)
        config.stash[ITEM_CONTEXT] = ItemContext(
            self._run_case,
            self._comparer(),
            self.baseline,
            lambda case, cut: self._rerun_command(config, case, cut),
            self._crash_traceback,
            whole_traces=shows_whole_traces(config),
            recorder=self._recorder() if self.options.report is not None else None,
            repeat=self._repeat_case,
            longest_repeated=self.options.timeout,
        )
        if self._shows_transcripts:
            self._register_transcripts(config)

    def _catalogue(self, config: pytest.Config) -> Catalogue:
        in_whole = self.options.version is not None
        everything = everything_of(self.folders, self.options.profiles, in_whole=in_whole)
        item, start = CaseItem.from_parent, config.invocation_params.dir
        return Catalogue(self.agent, self.choice, everything, only_yaml=self.by_default, item=item, start=start)

    def _recorder(self) -> "CaseRecorder":
        from agent_conformance.pytest.gathering import CaseRecorder

        return CaseRecorder(self.agent, lambda: self.run)

    @property
    def _shows_transcripts(self) -> bool:
        return self.options.show or verbosity(self.config) > 0

    def _register_transcripts(self, config: pytest.Config) -> None:
        from agent_conformance.pytest.gathering import Transcripts

        transcripts = Transcripts(config, self._recorder(), every=self.options.show)
        config.pluginmanager.register(transcripts, "agent-conformance-transcripts")

    def _register_marks(self, config: pytest.Config) -> None:
        meanings = {
            **{area: f"scenarios of the area {area}" for area in AREAS},
            **{profile: f"scenarios of the profile {profile}" for profile in ("core", "hardened")},
            **{wire: f"cases on the wire {wire}" for wire in WIRE_NAMES},
            **{mode: f"cases in which the agent runs in the mode {mode}" for mode in MODE_NAMES},
        }
        for name, meaning in meanings.items():
            register_mark(config, name, meaning)

    def _choice(self, profiles: tuple[str, ...]) -> RunOptions:
        o = self.options
        others = tuple(profile for profile in profiles if profile not in ("smoke", "all"))
        brief = "smoke" in profiles
        profiles = others if others and "all" not in profiles else ("core", "hardened")
        return RunOptions(o.wires, o.providers, profiles, o.transport, o.timeout, o.models == "newest", brief, o.modes)

    def _comparer(self) -> VerdictComparer:
        return VerdictComparer(
            level=self.options.level,
            snapshots=Snapshots(self.options.snapshots, self.config.rootpath),
            today=today(),
            entries=self.baseline.by_case(),
            freeze=self.options.baseline_update,
            recording=self.options.snapshot_update,
            tolerated=self.tolerated,
            rules=self.baseline.rules,
            wide=[*self.baseline.wide.values()],
            version=self.options.version,
            relations=self.options.relations,
        )

    def _run_case(self, case: Case) -> Verdict:
        if self.run is None:
            # The transports are imported where cases run: neither --collect-only nor xdist's controller needs them.
            from agent_conformance.run.case_session import CaseSession

            self.watcher = watcher_of(self.config)  # before the session, which keeps open what is open
            self.run = CaseSession(
                self.agent,
                transport=self.options.transport,
                timeout=self.options.timeout,
                turn_limit=self.options.turn_limit,
                start=self.config.invocation_params.dir,
                keeps_crash=bool(self.config.getoption("usepdb", False)),
                # Also what breaks a rule that a version of the corpus lacks is accepted, so that the case goes on.
                tolerated={*self.tolerated, *(rule_ids() - version.rules if (version := self.options.version) else ())},
                cut=self.options.cut,
                narrates=self._narrates,
                keeps_transcripts=bool(self.options.report or self.options.relations) or self._shows_transcripts,
                made_folder=self.watcher.removes if self.watcher is not None else None,
            )
            self.run.__enter__()
            if self.options.relations:
                from agent_conformance.relations import RelationChecks

                self.relations = RelationChecks(self.run, self.agent, self.choice, self.options.relations)
        with self.watcher.watches(case.id) if self.watcher is not None else nullcontext():
            verdict: Verdict = self.run.run(case)
            if self.relations is not None:
                verdict = self.relations.with_differences(case, verdict)
        return verdict

    def _repeat_case(self, case: Case) -> Verdict | None:
        with self.watcher.watches(case.id) if self.watcher is not None else nullcontext():
            verdict: Verdict | None = self.run.repeat(case)
        return verdict

    def _narrates(self, case: Case) -> bool:
        return self.options.report is not None or self.config.stash[ITEM_CONTEXT].comparer.reads_narrative(case)

    def _crash_traceback(self) -> TracebackType | None:
        """For `--pdb`: that of the agent's crash in the last case."""
        if self.run is None or self.run.crash is None:
            return None
        from agent_conformance.run.exceptions.crash_trace import debugged_traceback

        return debugged_traceback(self.run.crash)

    def _rerun_command(self, config: pytest.Config, case: Case, cut: str) -> str:
        chosen = [f"--agent-cut={cut}"] if cut and not self.options.cut else []
        if folder_of(case.file.path.resolve(), self.folders) is not None:
            return command(config, *chosen, case.id)
        return command(config, *chosen, f"--agent-case={case.id}", shown_path(case.file.path))

    @pytest.hookimpl(wrapper=True)
    def pytest_collection(self) -> Generator[None, object, object]:
        """Hardly anything is garbage by its end, and to walk all that was read so far again and again takes a tenth."""
        with collections_held():
            return (yield)

    @pytest.hookimpl(tryfirst=True)
    def pytest_collect_directory(self, path: Path, parent: pytest.Collector) -> pytest.Collector | None:
        return collect_directory(path, parent, self.catalogue)

    @pytest.hookimpl(tryfirst=True)
    def pytest_collect_file(self, file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
        node = collect_request(file_path, parent, self.catalogue.selection)
        return node or collect_file(file_path, parent, self.catalogue)

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """A case that several arguments name runs once; before version 9, pytest itself does not see to it."""
        cases = {item.nodeid: item for item in reversed(items) if isinstance(item, CaseItem)}
        items[:] = [item for item in items if cases.get(item.nodeid, item) is item]

    def pytest_sessionstart(self, session: pytest.Session) -> None:
        if not hasattr(session.config, "workerinput"):
            session.config.add_cleanup(raise_at_terminations())
        reporter = session.config.pluginmanager.get_plugin("terminalreporter")
        if reporter is not None:
            reporter.showfspath = False  # ids without `::` would be printed one a line
        if self.options.report is not None and not hasattr(session.config, "workerinput"):
            config = session.config
            if config.option.collectonly:
                return
            from agent_conformance.pytest.gathering import RunResults, run_begun

            self.results = RunResults(self.options.report, run_begun(config, self.options, self.agent))
            self.reporting.lines = self.results.add
            config.pluginmanager.register(self.results, "agent-conformance-results")

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> None:
        """A broken scenario file does not keep others from running; other collection errors stop as they always do."""
        if session.testsfailed and session.testsfailed == len(self.record.broken):
            session.config.option.continue_on_collection_errors = True

    @pytest.hookimpl(wrapper=True, specname="pytest_runtestloop")
    def pytest_then_fuzz(self, session: pytest.Session) -> Generator[None, object, object]:
        """Where the run's own cases are done: what they have found is known to the search."""
        result = yield
        config = session.config
        is_done = not (session.shouldstop or session.shouldfail or config.option.collectonly)
        if self.fuzzing is not None and is_done and not hasattr(config, "workerinput"):
            gc.unfreeze()  # Hypothesis looks for who holds random numbers
            self.fuzzing.run(session, self.record, self.catalogue)
        return result

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_makereport(self) -> None:
        """pytest captures nothing until the next phase, and a thread that was left may print; pytest's own printer
        holds the streams that it was made with."""
        if self.run is not None and self.run.has_stuck_thread and self.config.getoption("capture") != "no":
            keep_threads_printable()

    def pytest_keyboard_interrupt(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        if isinstance(excinfo.value, Terminated):
            self.terminated = excinfo.value

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Within that of the terminal reporter, whose summary has what is written here."""
        self.pytest_session = session
        self.record.was_stopped = was_stopped(session)
        load_hypothesis(session.config)
        if self.run is not None:
            self.run.__exit__(None, None, None)
            guard_exits()  # what the agent has left may still end the process
            self.has_stuck_thread = self.run.has_stuck_thread
            self.record.stray_exits += self.run.stray_exits
            self.record.not_undone += self.run.not_undone
        self.record.foreign |= self.catalogue.foreign
        if hasattr(session.config, "workerinput"):
            told = {FOREIGN_FILES: sorted(self.record.foreign), NOT_UNDONE: self.record.not_undone}
            vars(session.config)["workeroutput"] |= told
        else:
            self._write_at_the_end(session)
            session.exitstatus = self._exit_code(session)

    def _write_at_the_end(self, session: pytest.Session) -> None:
        """What a step of it raises is said in the summary, which is printed whatever happens here."""
        problems: list[str] = []
        judged: Judged | None = None
        with noted("what was judged", problems):
            judged = judged_in(
                session,
                self.record,
                agent=self.agent,
                options=self.options,
                catalogue=self.catalogue,
                folders=(folder.path for folder in self.folders),
                is_stopped=self.terminated is not None,
                fuzzed=len(self.fuzzing.cases) if self.fuzzing else 0,
            )
            note_fewer(self.record, judged, self.judged_before, options=self.options, catalogue=self.catalogue)
        with noted("the baseline and the snapshots", problems):
            self.written = write_files(
                self.record,
                judged=judged,
                baseline=self.baseline if self.options.baseline_update else None,
                snapshots=self.options.snapshots if self.options.snapshot_update else None,
            )
        problems += self.written.problems
        self.written = replace(self.written, problems=tuple(problems))  # they change the exit code
        if self.results is not None:
            with noted("the report", problems):
                problems += self.results.end(session, self.record, exit_code=self._exit_code(session))
        self.written = replace(self.written, problems=tuple(problems))

    def _exit_code(self, session: pytest.Session) -> int:
        status, lacks_files = int(session.exitstatus), bool(self.written.problems)
        is_idle = self.sharding is not None and self.sharding.is_idle
        chosen = () if self.config.option.collectonly else getattr(session, "items", ())
        return exit_code(
            status,
            self.record,
            terminated=self.terminated,
            lacks_files=lacks_files,
            is_idle=is_idle,
            had_cases=any(isinstance(item, CaseItem) for item in chosen),
        )

    @pytest.hookimpl(tryfirst=True)
    def pytest_report_header(self, config: pytest.Config) -> None:
        if verbosity(config) > 0:  # then Hypothesis, if it is there, is loaded for a line of the header
            load_hypothesis(config)

    def pytest_report_collectionfinish(self, items: list[pytest.Item]) -> list[str]:
        return duration_notice(sum(isinstance(item, CaseItem) for item in items), self.agent.start_seconds)

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, node: Any, ids: list[str]) -> None:
        """Every worker collects all cases; the last to do so has the number of workers."""
        self.workers_ready += 1
        workers = node.config.getoption("tx") or [None]
        if self.workers_ready == len(workers):
            seconds = self.agent.start_seconds / len(workers)
            for line in duration_notice(len(ids), seconds):
                node.config.pluginmanager.get_plugin("terminalreporter").write_line(line)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any, error: object) -> None:
        """A worker of xdist has ended; only workers collect files."""
        output = getattr(node, "workeroutput", {})
        self.record.foreign.update(output.get(FOREIGN_FILES, ()))
        self.record.not_undone += output.get(NOT_UNDONE, ())

    def _summary(self) -> tuple[str, list[SummaryPart]]:
        """The heading of the summary, and what stands below it."""
        isolated = ", isolated" if self.options.isolate else ""
        config = self.config
        has_snapshots = has_syrupy() and self.options.snapshots.is_dir()
        has_both = self.options.baseline.is_file() and has_syrupy()
        parts = list(
            summary_parts(
                self.record,
                SummaryContext(
                    baseline=shown_path(self.options.baseline),
                    snapshots=shown_path(self.options.snapshots),
                    written=self.written,
                    record_command=command_again(config, "--snapshot-update") if has_snapshots else "",
                    next_command=self._next_command(),
                    tolerated=tuple(self.tolerated),
                    version=self.options.version.name if self.options.version else "",
                    in_full=config.option.verbose > 0,
                    notes=(
                        *baseline_notes(self.baseline, self.record, self.tolerated, self.catalogue.unknown_cases),
                        *([(FUZZED, tuple(self.fuzzing.lines))] if self.fuzzing else []),
                        (NOT_HIDDEN, tuple(SECRETS.bounds)),
                    ),
                    accept_command=command_again(config, "--agent-baseline-update", "--snapshot-update")
                    if has_both
                    else "",
                    freeze_command=""
                    if self.options.baseline.is_file()
                    else command_again(config, "--agent-baseline-update"),
                ),
            )
        )
        return redacted(f"agent conformance: {self.options.agent}{isolated}"), redacted_tree(parts)

    def _next_command(self) -> str:
        """The first case of the first cause, else the first error."""
        if (first := self.record.first_new) is not None:
            return first.rerun
        return next((report.rerun for report in self.record.with_outcome("error")), "")

    @pytest.hookimpl(trylast=True)
    def pytest_unconfigure(self) -> None:
        leave_exits()
        print_until_the_end()
        if self.pytest_session is not None and not hasattr(self.config, "workerinput"):
            self.pytest_session.exitstatus = self._exit_code(self.pytest_session)  # whatever a hook has made of it
        if self.run is None or self.pytest_session is None:
            return
        if self.watcher is not None:
            self.watcher.stop()
        status = int(self.pytest_session.exitstatus)
        limit_end(status, self.options.timeout)
        if self.has_stuck_thread:
            end_process(status)
