"""What recording costs by the number of snapshots in a file or a folder: syrupy's session, and the suite's store.

    python benchmarks/snapshots.py [--counts 100,200,400,800]

CPU seconds above the same run without snapshots: a first `--snapshot-update`, one that changes each snapshot, and a
comparison. The store is called as a run calls it, without pytest: each snapshot is a case with a text of its own.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from agent_conformance.baseline.snapshot_file import Recording, read_file, record

TEST = """\
import os

import pytest
from syrupy.extensions.json import JSONSnapshotExtension

TEXT = "\\n".join(f"  request {{n}}: offers get_weather {{os.environ['WORD']}}" for n in range(10))


@pytest.mark.parametrize("number", range({count}))
def test_it(number{fixture}):
    text = f"turn {{number}}\\n{{TEXT}}"
    {line}
"""
KINDS = {
    "none": ("", "assert text"),
    "amber, one file": (", snapshot", "assert text == snapshot"),
    "JSON, a file each": (", snapshot", "assert [text] == snapshot.use_extension(JSONSnapshotExtension)"),
}
TEXT = "\n".join(f"  request {n}: offers get_weather" for n in range(10))


def run(folder: Path, word: str, *options: str) -> float:
    """CPU seconds of one pytest in `folder`."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *options]
    environment = {**os.environ, "WORD": word}
    subprocess.run(command, cwd=folder, capture_output=True, check=True, env=environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def of_syrupy(count: int, kind: str) -> list[float]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        fixture, line = KINDS[kind]
        folder.joinpath("test_it.py").write_text(TEST.format(count=count, fixture=fixture, line=line))
        return [run(folder, "a", "--snapshot-update"), run(folder, "b", "--snapshot-update"), run(folder, "b")]


def of_the_store(count: int) -> list[float]:
    with tempfile.TemporaryDirectory() as name:
        path = Path(name, "x.ambr")
        taken = []
        for word in ("a", "b"):
            cases = {f"[row-{n}]@openai-chat+plain": Recording("d", f"turn {n} {word}\n{TEXT}") for n in range(count)}
            start = time.process_time()
            record(path, cases=cases, gone=())
            taken.append(time.process_time() - start)
        start = time.process_time()
        read_file(path)
        return [*taken, time.process_time() - start]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--counts", default="100,200,400,800")
    of_the_store(1)  # imports syrupy
    print(f"{'snapshots':>10}{'':4}{'':20}{'first update':>14}{'next update':>14}{'comparison':>14}")
    for count in map(int, parser.parse_args().counts.split(",")):
        empty = of_syrupy(count, "none")
        rows = {kind: of_syrupy(count, kind) for kind in KINDS if kind != "none"}
        spent = {kind: [t - e for t, e in zip(times, empty, strict=True)] for kind, times in rows.items()}
        spent["the suite's store"] = of_the_store(count)
        for kind, times in spent.items():
            print(f"{count:>10}{'':4}{kind:20}" + "".join(f"{seconds:>12.3f} s" for seconds in times))


if __name__ == "__main__":
    main()
