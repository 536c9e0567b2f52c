"""Snapshot files: syrupy's amber reads and writes them, and damage that amber passes over is an error."""

import os
import re
from dataclasses import replace
from pathlib import Path

import pytest
from syrupy.data import Snapshot, SnapshotCollection
from syrupy.extensions.amber import AmberSnapshotExtension
from syrupy.utils import set_snapshot_file_lock

from agent_conformance.baseline.snapshot_changes import BrokenSnapshot, ForeignSnapshot
from agent_conformance.baseline.snapshot_file import Recording, read_file, record
from agent_conformance.baseline.syrupy_files import SnapshotSerializer

COMMON = Recording("3f2a9c1b04de7788", "turn 1\n  user: Hello.\n  reply: Hi.")
OTHER = Recording("3f2a9c1b04de7788", "turn 1\n  user: Hello.\n  reply: Howdy.")
CASES = {"gemini-generate+plain": OTHER, "openai-chat+plain": COMMON, "openai-chat+stream": COMMON}
FILE = """\
# serializer version: agent-conformance-3
# name: openai-chat+plain
  same: openai-chat+stream
  digest: 3f2a9c1b04de7788 abde34ce4a020d16
  turn 1
    user: Hello.
    reply: Hi.
# ---
# name: gemini-generate+plain
  digest: 3f2a9c1b04de7788 32d4272ef2c77038
  turn 1
    user: Hello.
    reply: Howdy.
# ---
"""
BEFORE_SEALS = re.sub(r"(digest: \w+) \w+", r"\1", FILE).replace("agent-conformance-3", "agent-conformance-2")
VERSION_1 = BEFORE_SEALS.replace("agent-conformance-2", "agent-conformance-1")
BEFORE_AMBER = """\
# agent-conformance snapshot: history/x
# name: openai-chat+plain
# name: openai-chat+stream
# digest: 3f2a9c1b04de7788
  turn 1
    user: Hello.
    reply: Hi.
# ---
# name: gemini-generate+plain
# digest: 3f2a9c1b04de7788
  turn 1
    user: Hello.
    reply: Howdy.
# ---
"""
OF_EARLIER = {name: replace(case, digest="earlier-format") for name, case in CASES.items()}
"""What an earlier format has: never the digest of a scenario, so that its texts are not compared."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "history/x.ambr"


@pytest.fixture
def file(path: Path) -> Path:
    path.parent.mkdir()
    path.write_text(FILE, encoding="utf-8")
    return path


def test_equal_cases_share_one_text_and_the_largest_group_comes_first(path):
    assert record(path, cases=CASES, gone=())

    assert path.read_text() == FILE
    assert read_file(path).cases == CASES
    assert [read_file(path).cases[name].line for name in sorted(CASES)] == [11, 5, 5]


def test_syrupys_reader_and_writer_leave_a_file_as_it_is(file):
    snapshots = SnapshotSerializer.read_file(str(file))

    SnapshotSerializer.write_file(snapshots)

    assert [snapshot.name for snapshot in snapshots] == ["openai-chat+plain", "gemini-generate+plain"]
    assert not snapshots.tainted
    assert file.read_text() == FILE


def test_syrupy_takes_a_file_of_ours_for_none_of_its_own(file):
    assert AmberSnapshotExtension().read_snapshot_collection(str(file)).tainted


@pytest.mark.parametrize("text", ["", "digest: no\nsame: no", "# ---", "# name: x", "one\n\nthree", "  indented", "ü…"])
def test_any_text_comes_back(path, text):
    cases = {"[pretty]@openai-chat+plain": Recording("d", text), "openai-chat+plain": Recording("e", text)}
    record(path, cases=cases, gone=())

    assert read_file(path).cases == cases


def test_cases_of_different_scenarios_versions_are_not_joined(path):
    cases = {"a": COMMON, "b": Recording("another", COMMON.text)}
    record(path, cases=cases, gone=())

    assert read_file(path).cases == cases


def test_what_was_not_recorded_again_stays_and_what_is_gone_leaves(file):
    assert record(file, cases={"openai-chat+stream": OTHER}, gone=("openai-chat+plain", "never-there"))

    assert read_file(file).cases == {"gemini-generate+plain": OTHER, "openai-chat+stream": OTHER}


def test_nothing_is_written_where_nothing_changed(file):
    before = file.stat().st_mtime_ns

    assert not record(file, cases=CASES, gone=())
    assert file.stat().st_mtime_ns == before


@pytest.mark.parametrize("text", [BEFORE_AMBER, VERSION_1, BEFORE_SEALS], ids=["before-amber", "1", "2"])
def test_an_earlier_format_is_read_and_recording_replaces_it(path, text):
    path.parent.mkdir()
    path.write_text(text)

    read = read_file(path)

    assert (read.cases, read.is_earlier) == (OF_EARLIER, True)
    assert [read.cases[name].line for name in sorted(CASES)] == [11, 5, 5]
    assert path.read_text() == text
    assert record(path, cases={"openai-chat+plain": COMMON}, gone=())
    assert path.read_text().startswith("# serializer version: agent-conformance-3\n")
    assert read_file(path).cases == {**OF_EARLIER, "openai-chat+plain": COMMON}
    assert record(path, cases=CASES, gone=())
    assert path.read_text() == FILE


DAMAGE = {
    "conflict": (FILE.replace("  turn 1", "<<<<<<< HEAD\n  turn 1", 1), 5, "`<<<<<<< HEAD` is no line of a snapshot"),
    "conflict-on-top": ("<<<<<<< HEAD\n" + FILE, 1, "`<<<<<<< HEAD` is no line"),
    "not-indented": (FILE.replace("    reply: Hi.", "reply: Hi."), 7, "`reply: Hi.` is no line"),
    "unknown-marker": (
        FILE.replace("  digest", "# digest", 1),
        4,
        "`# digest: 3f2a9c1b04de7788 abde34ce4a020d16` is no",
    ),
    "no-digest": (FILE.replace("  digest: 3f2a9c1b04de7788 abde34ce4a020d16\n", "", 1), 4, "`  turn 1` is no line"),
    "no-divider": (FILE.replace("# ---\n", "", 1), 8, "`# name: gemini-generate+plain` is no line"),
    "no-name": (FILE.replace("# name: openai-chat+plain\n", "", 1), 2, "`  same: openai-chat+stream` is no line"),
    "cut": (FILE[:-6], 14, "the file ends in the middle of a snapshot"),
    "cut-in-a-line": (FILE[:-9], 13, "the file ends in the middle of a snapshot"),
    "twice": (FILE.replace("same: openai-chat+stream", "same: openai-chat+plain"), 3, "or one a second time"),
    "blank-in-a-name": (FILE.replace("stream\n", "stream \n"), 3, "names no case"),
    "edited-digest": (FILE.replace("3f2a", "3f2b", 1), 4, "this digest is not that of the text below"),
    "edited-text": (FILE.replace("Howdy", "Hi"), 10, "this digest is not that of the text below"),
    "no-seal": (FILE.replace(" 32d4272ef2c77038", ""), 10, "this digest is not that of the text below"),
    "later-digest-of-an-earlier-format": (
        FILE.replace("3f2a9c1b04de7788 a", "earlier-format a"),
        4,
        "this digest is not that of the text below",
    ),
    "empty": ("", 1, "`` is no line"),
    "blank-line": (FILE.replace("    user: Hello.\n", "\n", 1), 6, "`` is no line"),
    "earlier": (BEFORE_AMBER.replace("  turn 1", "=======\n  turn 1", 1), 5, "`=======` is no line"),
    "escape": ("\x1b[31mx\n", 1, "`\\x1b[31mx` is no line"),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_damage_is_an_error_that_names_the_line_and_recording_leaves_the_file(path, damage):
    text, line, why = DAMAGE[damage]
    path.parent.mkdir()
    path.write_text(text)

    with pytest.raises(BrokenSnapshot) as caught:
        read_file(path)

    assert f"history/x.ambr:{line}: " in str(caught.value)
    assert why in str(caught.value)
    assert "Restore the file, or delete it and record again with --snapshot-update" in str(caught.value)
    with pytest.raises(BrokenSnapshot):
        record(path, cases=CASES, gone=())
    assert path.read_text() == text


def test_bytes_that_are_no_text_are_an_error_that_names_the_line(file):
    file.write_bytes(FILE.encode().replace(b"Hi.", b"H\xff."))

    with pytest.raises(BrokenSnapshot, match=r"x\.ambr:7: `b'\\xff'` is no line of a snapshot"):
        read_file(file)


def test_line_ends_of_another_system_are_read(file):
    file.write_bytes(FILE.replace("\n", "\r\n").encode())

    assert read_file(file).cases == CASES


@pytest.mark.parametrize("version", ["1", "agent-conformance-4", "agent-conformance-1 ", "agent-conformance-3 "])
def test_a_file_that_something_else_wrote_is_never_overwritten(path, version):
    path.parent.mkdir()
    path.write_text(f"# serializer version: {version}\n# name: test_x\n  'theirs'\n# ---\n")
    before = path.read_bytes()

    for touch in (lambda: read_file(path), lambda: record(path, cases=CASES, gone=())):
        with pytest.raises(ForeignSnapshot, match=r"x\.ambr:1: `# serializer version: .* --agent-snapshots=DIR"):
            touch()

    assert path.read_bytes() == before


@pytest.mark.parametrize("moment", ["write_file", "replace"])
def test_an_interrupted_recording_leaves_the_file_as_it_was(file, monkeypatch, moment):
    def interrupt(*args: object, **kwargs: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(SnapshotSerializer if moment == "write_file" else os, moment, interrupt)

    with pytest.raises(KeyboardInterrupt):
        record(file, cases={"openai-chat+stream": OTHER}, gone=())

    assert file.read_text() == FILE
    assert [path.name for path in file.parent.iterdir()] == ["x.ambr"]


def test_syrupys_lock_under_xdist_is_not_left_behind(path):
    set_snapshot_file_lock(True)
    try:
        record(path, cases=CASES, gone=())
    finally:
        set_snapshot_file_lock(False)

    assert [path.name for path in path.parent.iterdir()] == ["x.ambr"]


def test_a_file_of_ours_is_read_by_the_plain_reader_of_another_version(file):
    """What is in a file can be reached with syrupy alone: names, digest and text are its data."""
    collection = SnapshotCollection(location=str(file))
    collection.merge(SnapshotSerializer.read_file(str(file)))

    assert collection.get("gemini-generate+plain") == Snapshot(
        "gemini-generate+plain", f"digest: {OTHER.digest} 32d4272ef2c77038\n{OTHER.text}", tainted=False
    )
