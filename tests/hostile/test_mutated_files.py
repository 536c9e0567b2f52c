"""Broken files are said or read, and nothing else: no exception, no hang, no half-written file.

    ./dev pytest tests/hostile/test_mutated_files.py --fuzz-requests=1500 --fuzz-seed=7

tries so many changes of each kind of file.
"""

import contextlib
import io
import json
import random
import shutil
import tempfile
import time
import traceback
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from agent_conformance.attach.loading import load_agent
from agent_conformance.baseline.baseline import BrokenBaseline, load_baseline
from agent_conformance.baseline.snapshot_changes import BrokenSnapshot
from agent_conformance.baseline.snapshot_file import Recording, read_file, record
from agent_conformance.baseline.written_files import updated, write_baseline
from agent_conformance.cassettes import UnknownFormat
from agent_conformance.cassettes.formats import own
from agent_conformance.cassettes.matching import RecordedQuestions
from agent_conformance.commands.main import main
from agent_conformance.commands.serve.replaying import ReplayingFake, playable
from agent_conformance.recorded_cases.loading import load_cassette
from agent_conformance.report_data.encoding import case_line, encoded, run_line
from agent_conformance.report_data.folder import LINES, RESULTS, SARIF, WRITTEN_AT_THE_END, read_results
from agent_conformance.report_data.model import Shard
from agent_conformance.run.case_session import CaseSession
from agent_conformance.scenario.cases import RunOptions, cases_of
from agent_conformance.scenario.files import bundled_scenarios
from agent_conformance.scenario.files.selection import ScenarioPath
from agent_conformance.scenario.loading import ScenarioFile, load_file
from fake_providers import Call, Reply
from fake_providers.http import Request
from tests.cassettes.recordings import HEADERS, WIRES, body_for, path_for, recorded
from tests.cassettes.test_formats import FILES, har
from tests.hostile.mutations import mutated
from tests.report_data.made import results

SLOW = 8.0
"""Seconds for all that is done with one file."""
AGENT = load_agent("agent_conformance.reference:Adapter", cwd=Path.cwd())
OPTIONS = RunOptions()
Use = Callable[[Path, random.Random], object]


def command(*arguments: str) -> str:
    """What a command says, which ends with a code."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        try:
            code = main([*arguments])
        except SystemExit as exit:
            code = exit.code
    assert code in (0, 1, 2, 3), f"exit code {code}"
    assert "Traceback" not in said.getvalue(), said.getvalue()
    return said.getvalue()


def new(path: Path) -> None:
    """What `new` writes is whole: it can be checked."""
    made = path.with_name("made.yaml")
    made.unlink(missing_ok=True)
    command("new", "--from", str(path), "--to", str(made))
    if made.exists():
        load_file(made, root=made.parent)
        yaml.safe_load(made.read_text(encoding="utf-8"))


def use_scenario(path: Path, draw: random.Random) -> None:
    command("check", str(path))
    loaded = load_file(path, root=path.parent)
    if isinstance(loaded, ScenarioFile) and (cases := cases_of(loaded, AGENT, OPTIONS)):
        with CaseSession(AGENT, timeout=3.0) as runner:
            verdict = runner.run(draw.choice(cases))
        assert "the suite itself" not in verdict.reason, verdict.reason
        assert "please report it" not in verdict.reason, verdict.reason


def use_cassette(path: Path, draw: random.Random) -> None:
    new(path)
    command("check", str(path))
    played = load_cassette(ScenarioPath("area/name", path, path.parent))
    if cases := played.cases(AGENT, OPTIONS):
        with CaseSession(AGENT, timeout=3.0) as runner:
            verdict = runner.run(draw.choice(cases))
        assert "please report it" not in verdict.reason, verdict.reason
    try:
        questions = RecordedQuestions(playable(path).exchanges)
    except (ValueError, UnknownFormat):
        return
    for wire, provider in WIRES.items():
        body = json.dumps(body_for(wire)).encode()
        ReplayingFake(provider, questions, wire=wire).answer(Request("POST", path_for(wire), HEADERS, body))


def use_baseline(path: Path, draw: random.Random) -> None:
    """What is written in its place is read again, with all its entries."""
    try:
        baseline = load_baseline(path)
    except BrokenBaseline:
        return
    for entry in baseline.all_entries:
        baseline.text_of(entry)
    text = updated(baseline, {"area/one@openai-chat+plain": ["answers"]}, advice={}, former={})
    write_baseline(path, text)
    again = load_baseline(path)
    assert len(again.all_entries) >= len([*baseline.tolerated, *baseline.rules])


def use_snapshot(path: Path, draw: random.Random) -> None:
    before = path.read_bytes()
    try:
        cases = read_file(path).cases
    except BrokenSnapshot:
        with pytest.raises(BrokenSnapshot):
            record(path, cases={"new": Recording("0" * 16, "text")}, gone=())
        assert path.read_bytes() == before
        return
    record(path, cases={**cases, "new": Recording("0" * 16, "text\n")}, gone=())
    assert {*read_file(path).cases} >= {*cases, "new"}


def use_results(path: Path, draw: random.Random) -> None:
    """With the results of the other shard. What is written is a report, whole; what cannot be read stays."""
    top = Path(tempfile.mkdtemp())
    read, other, joined = top / "read", top / "other", top / "joined"
    for folder in (read, other):
        folder.mkdir()
    shutil.copy(path, read)
    (other / RESULTS).write_bytes(encoded(results(shard=Shard(2, (2,)), cases=())))
    for arguments in (["compare", read, other], ["compare", other, read, "--markdown"], ["show", read, "history/x"]):
        command(*map(str, arguments))
    writing = {joined: ["merge", read, other, "--to", joined], other: ["report", other, "--since", read]}
    for folder, arguments in {**writing, read: ["report", read]}.items():
        before = contents_of(folder)
        said = command(*map(str, arguments))
        if RESULTS in contents_of(folder) and contents_of(folder) != before:
            assert {*contents_of(folder)} >= {*WRITTEN_AT_THE_END}, said
            read_results(folder)
            json.loads((folder / SARIF).read_bytes(), parse_constant=no_constant)
            assert not [name for name in contents_of(folder) if name.startswith(".")]
    shutil.rmtree(top)


def contents_of(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.glob("*") if path.is_file()}


def no_constant(name: str) -> None:
    raise AssertionError(f"{name} is no JSON")


BASELINE = """\
# A comment on top.
- finding: area/one@openai-chat+plain#answers
  reason: it is known
  until: 2027-01-01
- finding: area/two@gemini-generate+stream#1.reply  # beside
  reason: |
    of several
    lines
- tolerate: openai/parameter-type
  reason: a proxy of ours
"""


def scenarios() -> list[str]:
    files = sorted(bundled_scenarios().rglob("*.yaml"))
    return [path.read_text(encoding="utf-8") for path in files]


def cassettes() -> list[str]:
    replies = (Reply(text="7 degrees."), Reply(calls=(Call("get_weather", {"city": "Oslo"}),)))
    exchanges = [
        recorded(wire, reply, stream=stream) for wire in WIRES for reply in replies for stream in (False, True)
    ]
    texts = [own.header_line({"provider": "openai"}) + own.line_of(one.request, one.response) for one in exchanges]
    return [*texts, *(data.decode() for _, data in FILES.values() if data[:2] != b"\x1f\x8b")]


def snapshots() -> list[str]:
    folder = Path(tempfile.mkdtemp())
    record(folder / "a.ambr", cases=RECORDED, gone=())
    return [(folder / "a.ambr").read_text(encoding="utf-8")]


RECORDED = {
    "@openai-chat+plain": Recording("0" * 16, "turn 1\n  user: Hi.\n  reply: \\x1b # name: x\n"),
    "@gemini-generate+plain": Recording("0" * 16, "turn 1\n  user: Hi.\n  reply: \\x1b # name: x\n"),
    "[row]@openai-chat+plain": Recording("1" * 16, "turn 1\n# ---\n\n  | \n"),
}
RUN = results(shard=Shard(2, (1,)))


def lines_of_results() -> str:
    lines = [run_line(RUN), *(case_line(case, RUN.bodies) for case in RUN.cases), run_line(RUN), b""]
    return b"\n".join(lines).decode()


KINDS: dict[str, tuple[str, Callable[[], list[str]], Use]] = {
    "scenario": ("name.yaml", scenarios, use_scenario),
    "baseline": ("agent-baseline.yaml", lambda: [BASELINE], use_baseline),
    "snapshot": ("name.ambr", snapshots, use_snapshot),
    "cassette": ("cassette.jsonl", cassettes, use_cassette),
    "results": (RESULTS, lambda: [encoded(RUN).decode()], use_results),
    "lines of results": (LINES, lambda: [lines_of_results()], use_results),
    "HAR": ("recorded.har", lambda: [har().decode()], use_cassette),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_mutated_file_is_said_or_read(kind: str, fuzzing: tuple[int, int], tmp_path: Path) -> None:
    name, originals, use = KINDS[kind]
    seed, count = fuzzing
    texts = originals()
    path = tmp_path / "area" / name
    path.parent.mkdir()
    failures: dict[str, str] = {}
    for number in range(count):
        draw = random.Random(f"{seed} {kind} {number}")
        text = mutated(draw.choice(texts), draw)
        path.write_bytes(text.encode("utf-8", "surrogatepass"))
        began = time.process_time()
        try:
            use(path, draw)
            assert (seconds := time.process_time() - began) < SLOW, f"{seconds:.1f} s of CPU"
            assert sorted(one.name for one in path.parent.iterdir() if one.name != "made.yaml") == [name]
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt):
                raise
            last = traceback.extract_tb(error.__traceback__)[-1]
            where = f"{type(error).__name__} at {last.filename}:{last.lineno}: {error}"[:300]
            failures.setdefault(f"{type(error).__name__} {last.filename}:{last.lineno}", f"change {number}: {where}")

    assert list(failures.values()) == [], f"--fuzz-seed={seed}"


@pytest.mark.parametrize("text", ["[]\n", "# Ours.\n\n[]\n", "---\n[]\n", "[\n]\n"])
def test_empty_list_becomes_a_baseline_that_can_be_read(text: str, tmp_path: Path) -> None:
    path = tmp_path / "agent-baseline.yaml"
    path.write_text(text)

    write_baseline(
        path, updated(load_baseline(path), {"area/one@openai-chat+plain": ["answers"]}, advice={}, former={})
    )

    assert [entry.id for entry in load_baseline(path).all_entries] == ["answers"]
    assert path.read_text().startswith("# Ours.\n") == text.startswith("# Ours.\n")
