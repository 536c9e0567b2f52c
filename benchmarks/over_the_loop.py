"""What the suite adds to the agent that it drives: its CPU over that of the agent alone with canned answers.

    python benchmarks/over_the_loop.py [--cases 200] [AGENT ...]

For each agent of `sdk_agents` the whole suite in a process of its own, less an empty run of pytest, over the bare loop
of the same calls: both per case. Run from the root of the repository.
"""

import argparse
import os
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))
os.environ["PYTHONPATH"] = str(ROOT)

from benchmarks import case_cost

BOUNDS = {"Httpx": 2.0, "OpenAI": 1.3, "Anthropic": 1.8}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("agents", nargs="*", default=list(BOUNDS), metavar="AGENT")
    parser.add_argument("--cases", type=int, default=200, help="of the bare loop, at most about so many")
    options = parser.parse_args()
    empty = case_cost._empty_run()[0]
    print(f"{'ms CPU a case':20}{'cases':>8}{'suite':>10}{'alone':>10}{'suite/alone':>13}{'bound':>12}", flush=True)
    for name in options.agents:
        case_cost.AGENT = f"benchmarks.sdk_agents:{name}"
        spent, cases, _ = case_cost.suite()
        alone, taken = case_cost.bare_loop(options.cases)
        each, bare = 1000 * (spent - empty) / cases, 1000 * alone / taken
        print(
            f"{name:20}{cases:8}{each:10.2f}{bare:10.2f}{each / bare:13.2f}{f'at most {BOUNDS[name]}':>12}", flush=True
        )


if __name__ == "__main__":
    main()
