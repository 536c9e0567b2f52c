"""What the first verdict and collecting cost, against pytest with the same plugins and empty tests.

    python benchmarks/starting.py [--rounds 5] [--only ID]

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

AGENT = "--agent=agent_conformance.reference:Adapter"
ONE = "round-trip/"
BYTE_CODE = tempfile.TemporaryDirectory()
ENVIRONMENT = {**os.environ}
if sys.dont_write_bytecode:
    ENVIRONMENT |= {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": BYTE_CODE.name}


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
    parser.add_argument("--rounds", type=int, default=5, help="0 measures the first alone")
    parser.add_argument("--only", nargs="*", default=[], metavar="ID", help="these cases, and not the whole corpus")
    options = parser.parse_args()
    judged = (AGENT, *options.only)
    one = options.only[0] if options.only else ONE
    with (
        tempfile.TemporaryDirectory() as empty,
        tempfile.TemporaryDirectory() as here,
        tempfile.TemporaryDirectory() as many,
    ):
        Path(empty, "test_nothing.py").write_text("def test_nothing(): pass\n", encoding="utf-8")
        printed = run(here, *judged, "--collect-only")[1]
        cases = number_of(printed)
        half = number_of(run(here, *judged, "--collect-only", "--agent-wire=openai-chat")[1])
        first = next(line for line in printed.splitlines() if line.startswith(one))
        lines = "".join(f"def test_{number}(): pass\n" for number in range(cases))
        Path(many, "test_many.py").write_text(lines, encoding="utf-8")
        commands = {
            "empty": (empty,),
            "first": (here, AGENT, first),
            "collect": (here, *judged, "--collect-only"),
            "collect-some": (here, *judged, "--collect-only", "--agent-wire=openai-chat"),
            "collect-empty": (many, "--collect-only"),
        }
        taken: dict[str, list[float]] = {name: [] for name in commands}
        for number in range(options.rounds + 1):
            for name, command in commands.items():
                seconds, _ = run(*command)
                if number or not options.rounds:
                    taken[name].append(seconds)
    spent = {name: statistics.median(times) for name, times in taken.items()}
    ours, theirs = spent["collect"] - spent["empty"], spent["collect-empty"] - spent["empty"]
    some = spent["collect-some"] - spent["empty"]
    rows = (
        ("an empty pytest run", spent["empty"], ""),
        ("to the first verdict", spent["first"], f"{spent['first'] / spent['empty']:.2f} times   (bound 1.5)"),
        (f"collecting {cases} empty tests", theirs, ""),
        (f"collecting {cases} cases", ours, f"{ours / theirs:.2f} times   (bound 1.8)"),
        (f"collecting {half} cases", some, f"{1e6 * (ours - some) / (cases - half):.0f} µs for each further one"),
    )
    for what, seconds, ratio in rows:
        print(f"{what:32}{seconds:8.2f} s CPU   {ratio}")


if __name__ == "__main__":
    main()
