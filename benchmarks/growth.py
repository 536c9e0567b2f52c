"""Whether judging grows with a request and no faster: each wire, with one request and with the same four times as long.

    python benchmarks/growth.py

Milliseconds of CPU, and their quotient: about 4 where the cost is linear, 16 where it is that of every pair.
"""

import json
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "fakes" / "load"))

from load_requests import OWN, Ask

SMALL, TIMES = 2000, 4


def alternating(ask: Ask, count: int) -> dict[str, Any]:
    """Users and answers in turn."""
    name, answer = _listed(ask), "model" if ask.wire.name == "gemini-generate" else "assistant"
    user = ask.body[name][0]
    return {**ask.body, name: [user, {**user, "role": answer}] * (count // 2) + [user]}


def one_sided(ask: Ask, count: int) -> dict[str, Any]:
    """Users alone."""
    name = _listed(ask)
    return {**ask.body, name: ask.body[name] * count}


def _listed(ask: Ask) -> str:
    return next(name for name in ("messages", "input", "contents") if name in ask.body)


def spent(ask: Ask, body: dict[str, Any]) -> float:
    """Seconds of CPU for route, view and judgement, at best of three."""
    from fakes import Request

    taken = []
    for turn in range(3):
        request = Request("POST", ask.path, ask.headers, json.dumps(body).encode() + b" " * turn)
        begun = time.process_time()
        ask.wire.view(request)
        ask.wire.judge(request, provider=ask.provider)
        taken.append(time.process_time() - begun)
    return min(taken)


def main() -> None:
    print(f"{'ms CPU':20}{'messages':14}{SMALL:>10}{SMALL * TIMES:>10}{'quotient':>12}")
    for ask in OWN:
        for make in (alternating, one_sided):
            few, many = spent(ask, make(ask, SMALL)), spent(ask, make(ask, SMALL * TIMES))
            print(f"{ask.wire.name:20}{make.__name__:14}{1000 * few:10.1f}{1000 * many:10.1f}{many / few:12.1f}")


if __name__ == "__main__":
    main()
