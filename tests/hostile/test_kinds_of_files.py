"""No file of a stranger hangs a run, and each that is broken is said: the run beside it is as it is alone."""

import os
import socket
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.hostile.right_agent import HERE
from tests.hostile.runs import OURS, SCENARIO, run, write_scenarios
from tests.tables import rows

RIGHT = f"{HERE}/right_agent.py:Right"
BASELINE = "agent-baseline.yaml"
SNAPSHOTS = "agent-snapshots"
TEXT = SCENARIO.format(tool="get_weather", reply="It is 7 degrees.")
UPDATE = ("--agent-baseline-update",)
SNAPSHOT = ("--snapshot-update",)
FAILING = f"{HERE}/agents_state.py:DropsAPropertyOnACopy"


@dataclass(frozen=True)
class Kind:
    """`exit` is the code of the run, which says `says` and, unless it does not begin, that `passed` cases passed."""

    name: str
    make: Callable[[Path], object]
    exit: int
    says: str = ""
    passed: int = 3
    options: tuple[str, ...] = ()
    agent: str = RIGHT


KINDS: list[Kind] = []


def file(exit: int, says: str = "", **more: object) -> Callable[[Callable[[Path], object]], Callable[[Path], object]]:
    def register(make: Callable[[Path], object]) -> Callable[[Path], object]:
        KINDS.append(Kind(make.__name__, make, exit, says, **more))  # type: ignore[arg-type]
        return make

    return register


def content(name: str, path: str, data: bytes | str, exit: int, says: str = "", **more: object) -> None:
    """A kind that is no more than a file with this content."""

    def make(folder: Path) -> None:
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data if isinstance(data, bytes) else data.encode(errors="surrogateescape"))

    KINDS.append(Kind(name, make, exit, says, **more))  # type: ignore[arg-type]


# Baselines.

NO_RUN = 4
"""The exit code of a usage error."""
NAMED = (f"--agent-baseline={BASELINE}",)
ENTRY = "- finding: area/boom@openai-chat+plain#offered\n  reason: known\n"
content("baseline is empty", BASELINE, "", 0)
content("baseline is a text", BASELINE, "hello", NO_RUN, BASELINE)
content("baseline is a mapping", BASELINE, "a: 1", NO_RUN, "a baseline is a list of entries")
content("baseline is binary", BASELINE, bytes(range(256)) * 100, NO_RUN, BASELINE)
content("baseline has a nul", BASELINE, ENTRY + "\x00", NO_RUN, BASELINE)
content("baseline is utf-16", BASELINE, ENTRY.encode("utf-16"), NO_RUN, BASELINE)
content("baseline has a byte order mark", BASELINE, b"\xef\xbb\xbf" + ENTRY.encode(), 1, "stale", passed=2)
content("baseline is deep", BASELINE, "- " * 3000 + "a", NO_RUN, "nested more than")
content("baseline multiplies aliases", BASELINE, "- &a [x, x]\n" + "- [*a, *a]\n" * 3000, NO_RUN, "aliases")
content("baseline runs a tag", BASELINE, "- !!python/object/apply:os.system [ls]", NO_RUN, BASELINE)
content("baseline has 40 megabytes", BASELINE, ENTRY + "# x\n" * 10_000_000, NO_RUN, "at most")
content("baseline has 80 megabytes", BASELINE, ENTRY + "# x\n" * 20_000_000, NO_RUN, "it cannot be read")
content("baseline is cut", BASELINE, ENTRY[:-10], NO_RUN, BASELINE)
content("baseline says it twice", BASELINE, ENTRY * 2, NO_RUN, BASELINE)
content("baseline has an endless id", BASELINE, f"- finding: {'x' * 100_000}\n  reason: a\n", NO_RUN, BASELINE)
content("baseline knows until never", BASELINE, f"{ENTRY}  until: 9999-99-99\n", NO_RUN, "until")
content("baseline with control characters", BASELINE, ENTRY.replace("known", '"\\e[2J\\u202e"'), 1, "stale", passed=2)


@file(4, "no such file", options=NAMED)
def baseline_is_a_folder(folder: Path) -> None:
    (folder / BASELINE).mkdir()


@file(4, "no such file", options=NAMED)
def baseline_is_a_pipe(folder: Path) -> None:
    os.mkfifo(folder / BASELINE)


@file(4, "no such file", options=NAMED)
def baseline_is_a_circle_of_links(folder: Path) -> None:
    (folder / BASELINE).symlink_to(BASELINE)


@file(4, "no such file", options=NAMED)
def baseline_is_endless(folder: Path) -> None:
    (folder / BASELINE).symlink_to("/dev/zero")


@file(3, BASELINE, options=UPDATE, agent=FAILING, passed=2)
def baseline_is_to_be_written_over_a_folder(folder: Path) -> None:
    (folder / BASELINE).mkdir()


@file(0, options=UPDATE, agent=FAILING, passed=2)
def baseline_is_to_be_written_over_a_link(folder: Path) -> None:
    """The link is replaced, and not what it leads to."""
    (folder / BASELINE).symlink_to("/dev/full")


@file(3, "there", options=("--agent-baseline-update", "--agent-baseline=there/b.yaml"), agent=FAILING, passed=2)
def baseline_is_to_be_written_below_a_file(folder: Path) -> None:
    (folder / "there").write_text("")


# Snapshots.

FIRST = f"{SNAPSHOTS}/area/first.ambr"
content("snapshot is empty", FIRST, "", 3, passed=2)
content("snapshot is a text", FIRST, "hello", 3, "first", passed=2)
content("snapshot is binary", FIRST, bytes(range(256)) * 100, 3, "first", passed=2)
content("snapshot is a line of megabytes", FIRST, "x" * 30_000_000, 3, "first", passed=2)
content("snapshot is 80 megabytes", FIRST, b"\n" * 80_000_000, 3, "it cannot be read", passed=2)
content("snapshots are a file", SNAPSHOTS, "", 3, SNAPSHOTS, options=SNAPSHOT)
content(
    "damaged snapshot is not overwritten",
    FIRST,
    "# serializer version: 1\nhello\n",
    3,
    "first",
    options=SNAPSHOT,
    passed=2,
)


@file(3, "first", options=SNAPSHOT)
def snapshot_is_a_folder(folder: Path) -> None:
    (folder / FIRST).mkdir(parents=True)


@file(0, options=SNAPSHOT)
def snapshot_is_a_pipe(folder: Path) -> None:
    """It is replaced: nobody opens it."""
    (folder / FIRST).parent.mkdir(parents=True)
    os.mkfifo(folder / FIRST)


@file(3, "first", options=SNAPSHOT)
def snapshots_are_a_circle_of_links(folder: Path) -> None:
    (folder / SNAPSHOTS).symlink_to(SNAPSHOTS)


@file(0, options=SNAPSHOT)
def snapshot_is_a_circle_of_links(folder: Path) -> None:
    (folder / FIRST).parent.mkdir(parents=True)
    (folder / FIRST).symlink_to("first.ambr")


# Scenarios beside the right ones.

OTHER = "scenarios/area/other.yaml"
AREA = ("scenarios",)
content("scenario is binary", OTHER, bytes(range(256)) * 100, 0, "other.yaml", options=AREA)
content("scenario is utf-16", OTHER, TEXT.encode("utf-16"), 0, "other.yaml", options=AREA)
content("scenario has a nul", OTHER, TEXT + "\x00", 3, "other.yaml", options=AREA)
content("scenario has 70 megabytes", OTHER, TEXT + "# x\n" * 18_000_000, 0, "other.yaml", options=AREA)
content("scenario ends lines as Windows does", OTHER, TEXT.replace("\n", "\r\n"), 0, passed=4, options=AREA)
content("name of a scenario is no text", "scenarios/area/\udcff.yaml", TEXT, 3, "is named", options=AREA)
content("name of a scenario has a line break", "scenarios/area/a\nb\x1b[2J.yaml", TEXT, 3, "is named", options=AREA)
content("name of a scenario is long", f"scenarios/area/{'x' * 240}.yaml", TEXT, 0, passed=4, options=AREA)
content("scenario lies deep", f"scenarios/{'a/' * 200}other.yaml", TEXT, 3, "folders deep", options=AREA)
content("configuration is broken", "pytest.ini", "[pytest\n", 4, "pytest.ini", passed=0)
content(
    "configuration has a wrong timeout", "pytest.ini", "[pytest]\nagent_baseline=\x01\n", 4, "no such file", passed=0
)
content("project is broken", "pyproject.toml", "[tool.pytest\n", 4, "pyproject.toml", passed=0)


@file(0, options=AREA)
def scenario_is_a_pipe(folder: Path) -> None:
    os.mkfifo(folder / OTHER)


@file(0, options=AREA)
def scenario_is_endless(folder: Path) -> None:
    (folder / OTHER).symlink_to("/dev/zero")


@file(0, options=AREA)
def scenario_is_a_socket(folder: Path) -> None:
    os.chdir(folder / "scenarios/area")  # the path of a socket is short
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("other.yaml")


@file(3, "other.yaml:1: the file cannot be read: Too many levels of symbolic links", options=AREA)
def scenario_is_a_circle_of_links(folder: Path) -> None:
    (folder / OTHER).symlink_to("other.yaml")


@file(3, "other.yaml:1: the file cannot be read: No such file or directory", options=AREA)
def scenario_leads_nowhere(folder: Path) -> None:
    (folder / OTHER).symlink_to("/nowhere/at/all.yaml")


@file(0, options=AREA)
def scenario_is_a_folder(folder: Path) -> None:
    (folder / OTHER).mkdir()


@file(0, options=AREA)
def folders_are_a_circle(folder: Path) -> None:
    (folder / "scenarios/area/again").symlink_to(folder / "scenarios")
    (folder / "scenarios/loop").symlink_to("loop")


@file(0, options=("scenarios/area/first.yaml", "scenarios/area/boom.yaml", "scenarios/area/last.yaml"))
def folder_has_ten_thousand_files(folder: Path) -> None:
    for number in range(10_000):
        (folder / f"scenarios/area/s{number}.yaml").write_text("a: 1\n")


@file(0, "hundred", options=AREA)
def area_has_ten_thousand_broken_files(folder: Path) -> None:
    for number in range(10_000):
        (folder / f"scenarios/area/hundred-{number}.yaml").write_text("a: 1\n")


@pytest.mark.weekly
@rows("kind", KINDS, ids=lambda kind: kind.name)
def test_file_harms_no_run(kind: Kind, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("kind")
    write_scenarios(folder)
    here = os.getcwd()
    try:
        kind.make(folder)
    finally:
        os.chdir(here)

    ran = run(folder, kind.agent, *kind.options)

    assert ran.code == kind.exit, ran.output[-3000:]
    assert kind.says in ran.output
    assert not any(text in ran.output for text in OURS)
    assert "Traceback" not in ran.output
    assert not set(ran.output) & set("\x00\x1b\u202e")
    if kind.exit != NO_RUN:
        assert ran.count("passed") == kind.passed
