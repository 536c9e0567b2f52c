"""What `--agent-isolate` costs: the CPU of a whole run with it, over that of the same run in pytest's own process.

    python benchmarks/isolation.py [--agent SPEC ...] [--rounds 3] [--python PATH] [-- options of pytest]

Without `--agent` it measures the reference agent and every framework of `FRAMEWORKS` that is installed beside the
suite. Both runs of a round follow each other, and the medians of their quotients are printed, with the cost per case
and that of the start, which is measured with the profile `smoke`.
"""

import argparse
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).parent.parent
REFERENCE = "agent_conformance.reference:Adapter"
FRAMEWORKS = {"google-genai": "google.genai", "pydantic-ai": "pydantic_ai", "openai-agents": "agents"}
BOUND = 1.5


def run(python: str, agent: str, *options: str) -> tuple[float, int]:
    """CPU seconds of a run with all its processes, and its cases."""
    command = [python, "-m", "pytest", f"--agent={agent}", "-q", "--no-header", "-p", "no:cacheprovider", *options]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    found = re.search(r"^(\d+) cases?: ", done.stdout, re.MULTILINE)
    if found is None:
        raise SystemExit(f"{' '.join(command)}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, int(found[1])


def measure(python: str, agent: str, rounds: int, options: list[str]) -> str:
    pairs = []
    for _ in range(rounds):
        (inside, cases), (outside, _) = run(python, agent, *options), run(python, agent, "--agent-isolate", *options)
        pairs.append((inside, outside))
    brief = run(python, agent, "--agent-profile=smoke"), run(python, agent, "--agent-profile=smoke", "--agent-isolate")
    inside, outside = (statistics.median(pair[side] for pair in pairs) for side in (0, 1))
    quotient = statistics.median(outside / inside for inside, outside in pairs)
    each = [(whole - few[0]) / max(cases - few[1], 1) for whole, few in zip((inside, outside), brief, strict=True)]
    cost = f"{cases:>6}{inside:>9.1f}{outside:>9.1f}{quotient:>7.2f}"
    return f"{agent:32}{cost}{1000 * each[0]:>9.1f}{1000 * each[1]:>9.1f}{each[1] / each[0]:>7.2f}"


def installed() -> list[str]:
    return [REFERENCE, *(name for name, module in FRAMEWORKS.items() if _is_there(module))]


def _is_there(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:
        return False


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--agent", action="append", metavar="SPEC")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--python", default=sys.executable, help="of an environment that has the frameworks")
    parser.add_argument("options", nargs="*", help="further options of pytest, after --")
    options = parser.parse_args()
    print(f"{'CPU':32}{'cases':>6}{'in s':>9}{'isol. s':>9}{'x':>7}{'in ms/c':>9}{'isol.':>9}{'x':>7}   bound {BOUND}")
    for agent in options.agent or installed():
        print(measure(options.python, agent, options.rounds, options.options), flush=True)


if __name__ == "__main__":
    main()
