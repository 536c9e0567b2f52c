"""What the first verdict and collecting cost, against pytest with the same plugins and empty tests.

    python benchmarks/starting.py [--rounds 5]

CPU seconds of whole processes, medians of alternating rounds after one that writes the byte code, which an installed
package has and some environments forbid to write.
"""

import argparse
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

AGENT = "--agent=conformance.reference:Adapter"
ONE = "round-trip/"
BYTE_CODE = tempfile.TemporaryDirectory()
ENVIRONMENT = {**os.environ, "PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": BYTE_CODE.name}


def run(folder: str, *options: str) -> tuple[float, str]:
    """CPU seconds of one pytest in `folder`, and what it printed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *options]
    printed = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, env=ENVIRONMENT).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, printed


def number_of(printed: str) -> int:
    found = re.search(r"(\d+) tests? collected", printed)
    assert found is not None, printed[-500:]
    return int(found.group(1))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    with (
        tempfile.TemporaryDirectory() as empty,
        tempfile.TemporaryDirectory() as here,
        tempfile.TemporaryDirectory() as many,
    ):
        Path(empty, "test_nothing.py").write_text("def test_nothing(): pass\n")
        printed = run(here, AGENT, "--collect-only")[1]
        cases = number_of(printed)
        half = number_of(run(here, AGENT, "--collect-only", "--agent-wire=openai-chat")[1])
        first = next(line for line in printed.splitlines() if line.startswith(ONE))
        lines = "".join(f"def test_{number}(): pass\n" for number in range(cases))
        Path(many, "test_many.py").write_text(lines)
        commands = {
            "empty": (empty,),
            "first": (here, AGENT, first),
            "collect": (here, AGENT, "--collect-only"),
            "collect-some": (here, AGENT, "--collect-only", "--agent-wire=openai-chat"),
            "collect-empty": (many, "--collect-only"),
        }
        taken: dict[str, list[float]] = {name: [] for name in commands}
        for number in range(options.rounds + 1):
            for name, command in commands.items():
                seconds, _ = run(*command)
                if number:
                    taken[name].append(seconds)
    spent = {name: statistics.median(times) for name, times in taken.items()}
    ours, theirs = spent["collect"] - spent["empty"], spent["collect-empty"] - spent["empty"]
    some = spent["collect-some"] - spent["empty"]
    rows = (
        ("an empty pytest run", spent["empty"], ""),
        ("to the first verdict", spent["first"], f"{spent['first'] / spent['empty']:.2f} times   (bound 1.5)"),
        (f"collecting {cases} empty tests", theirs, ""),
        (f"collecting {cases} cases", ours, f"{ours / theirs:.2f} times   (bound 2)"),
        (f"collecting {half} cases", some, f"{1e6 * (ours - some) / (cases - half):.0f} µs for each further one"),
    )
    for what, seconds, ratio in rows:
        print(f"{what:32}{seconds:8.2f} s CPU   {ratio}")


if __name__ == "__main__":
    main()
