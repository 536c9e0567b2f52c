"""Whether judging a request costs no more than its length: each wire, with one request and one four times as long.

    python benchmarks/growth.py [--messages 2000]

Milliseconds of CPU, and their quotient: about 4 where the cost is linear, 16 where it is that of every pair.
"""

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "fakes" / "load"))

from load_requests import OWN, LoadRequest

TIMES = 4


def alternating(sample: LoadRequest, count: int) -> dict[str, Any]:
    """Users and answers in turn."""
    name, answer = _listed(sample), "model" if sample.wire.name == "gemini-generate" else "assistant"
    user = sample.body[name][0]
    return {**sample.body, name: [user, {**user, "role": answer}] * (count // 2) + [user]}


def one_sided(sample: LoadRequest, count: int) -> dict[str, Any]:
    """Users alone."""
    name = _listed(sample)
    return {**sample.body, name: sample.body[name] * count}


def _listed(sample: LoadRequest) -> str:
    return next(name for name in ("messages", "input", "contents") if name in sample.body)


def spent(sample: LoadRequest, body: dict[str, Any]) -> float:
    """Seconds of CPU for route, view and judgement, at best of three."""
    from fakes import Request

    taken = []
    for repetition in range(3):
        request = Request("POST", sample.path, sample.headers, json.dumps(body).encode() + b" " * repetition)
        begun = time.process_time()
        sample.wire.view(request)
        sample.wire.judge(request, provider=sample.provider)
        taken.append(time.process_time() - begun)
    return min(taken)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--messages", type=int, default=2000, help="of the shorter request")
    count = parser.parse_args().messages
    print(f"{'ms CPU':20}{'messages':14}{count:>10}{count * TIMES:>10}{'quotient':>12}")
    for sample in OWN:
        for make in (alternating, one_sided):
            few, many = spent(sample, make(sample, count)), spent(sample, make(sample, count * TIMES))
            print(f"{sample.wire.name:20}{make.__name__:14}{1000 * few:10.1f}{1000 * many:10.1f}{many / few:12.1f}")


if __name__ == "__main__":
    main()
