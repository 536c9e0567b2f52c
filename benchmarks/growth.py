"""Whether a request costs no more than its length: one shape for each list, map and text of each wire's request.

    python benchmarks/growth.py [--only TEXT] [--all] [--least 5]

Each shape is made so large that a request takes `--least` milliseconds of CPU, and then four times as large. Printed
are the least that each took of some rounds, and three quotients: about 4 where a cost is linear, 16 where it is that of
every pair.

- `x`: of the whole request, from its bytes to those of the response.
- `own`: of the same request once its JSON is parsed. All but that is the fake's own.
- `json`: of `json.loads` alone. Values of many megabytes do not fit into the processor's cache, where a cost that is
  linear in steps takes up to 9 times as long, not 4.

A shape is beyond the bound if `x` or `own` is, and `json` does not explain it: a wire with a parser of its own has that
in `x` alone, and `own` counts where it is at least a tenth of the whole. Such a shape is measured again, up to
five times, since a busy machine has slow rounds and no fast ones, and then at four times the size: a cost that is that
of every pair is beyond the bound there too. A shape that a rule refuses at once is small at any size.
"""

import argparse
import gc
import json
import statistics
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from fake_providers import Request, body_slices
from fake_providers.serving import scripted_fake
from fake_providers.serving.scripted_fake import ScriptedFake
from fake_providers.values import json_texts

sys.path.insert(0, str(Path(__file__).parent.parent))
sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "fakes" / "load"))

from growing_requests import Shape, shapes

TIMES = 4
BOUND = 5.0
SHARE = 0.1
"""Of a request: what is less is lost in the noise of the rest."""
FIRST, MOST = 64, 1024
"""Repetitions: of items from the first to the second number, of a text so many times more."""
TEXTS = 32
ROUNDS, AGAIN = 3, 5


@dataclass(frozen=True, slots=True)
class Cost:
    """Milliseconds of CPU for one request: as it comes, with its JSON parsed before, and of parsing it."""

    whole: float
    own: float
    json: float

    def least(self, other: "Cost") -> "Cost":
        return Cost(min(self.whole, other.whole), min(self.own, other.own), min(self.json, other.json))

    def over(self, few: "Cost") -> "Cost":
        """The quotients."""
        return Cost(self.whole / few.whole, self.own / few.own, self.json / few.json)


def request_of(shape: Shape, count: int) -> Request:
    return shape.request(count * (TEXTS if shape.kind == "text" else 1))


def spent(shape: Shape, request: Request) -> Cost:
    """Of one round. What earlier requests have left is given back outside the time that is measured."""
    json_texts.forget_large_bodies()
    whole, own = _handled(shape, request), _handled(shape, request)
    json_texts.forget_large_bodies()
    begun = time.process_time()
    kept = json.loads(request.body.decode())
    parsed = time.process_time() - begun
    del kept
    return Cost(*(1000 * max(seconds, 1e-6) for seconds in (whole, own, parsed)))


def _handled(shape: Shape, request: Request) -> float:
    fake = ScriptedFake(shape.provider, wire=shape.wire.name)
    gc.collect(0)
    begun = time.process_time()
    fake.handle(request)
    return time.process_time() - begun


def keep_each_body() -> None:
    """What was parsed is kept until it is forgotten, whatever its size."""
    json_texts.LARGE = body_slices.LARGE = 0
    scripted_fake.LARGE = 1 << 40


def measured(shape: Shape, least: float) -> tuple[int, Cost, Cost]:
    """A size, and the costs of one and of four times that size."""
    count = FIRST
    while (once := spent(shape, request_of(shape, count)).whole) < least and count < MOST:
        count = min(MOST, count * (2 if once > least / 4 else 4))
    few, many = costs(shape, count)
    if is_beyond(few, many) and not is_beyond(*(larger := costs(shape, TIMES * count))):
        return TIMES * count, *larger
    return count, few, many


def costs(shape: Shape, count: int) -> tuple[Cost, Cost]:
    requests = request_of(shape, count), request_of(shape, TIMES * count)
    few, many = (spent(shape, request) for request in requests)
    for number in range(ROUNDS * AGAIN):
        if number >= ROUNDS and not is_beyond(few, many):
            break
        few, many = (cost.least(spent(shape, request)) for cost, request in zip((few, many), requests, strict=True))
    return few, many


def is_beyond(few: Cost, many: Cost) -> bool:
    times = many.over(few)
    bound = BOUND * max(1.0, times.json / TIMES)
    return times.whole > bound or (times.own > bound and many.own >= SHARE * many.whole)


def row(shape: Shape, count: int, few: Cost, many: Cost) -> str:
    times = many.over(few)
    figures = f"{few.whole:>9.1f}{many.whole:>9.1f}{times.whole:>7.1f}{times.own:>7.1f}{times.json:>7.1f}"
    return f"{shape.kind:5}{count:>7}{figures}   {shape.name}"


def chosen(only: str) -> Iterator[Shape]:
    return (shape for shape in shapes() if only in f"{shape.name} {shape.kind}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", metavar="TEXT", help="the shapes with this text in their names")
    parser.add_argument("--all", action="store_true", help="print every shape, and not those beyond the bound alone")
    parser.add_argument("--least", type=float, default=5.0, metavar="MS", help="CPU of the smaller request")
    options = parser.parse_args()
    gc.freeze()
    gc.disable()  # it walks what other shapes have left
    keep_each_body()
    heading = f"{'kind':5}{'count':>7}{'ms CPU':>9}{'times 4':>9}{'x':>7}{'own':>7}{'json':>7}"
    print(f"{heading}   shape (bound: {BOUND:g})", flush=True)
    quotients, beyond = [], 0
    for shape in chosen(options.only):
        count, few, many = measured(shape, options.least)
        quotients.append(many.over(few))
        beyond += is_beyond(few, many)
        if options.all or is_beyond(few, many):
            print(row(shape, count, few, many), flush=True)
    above = sum(times.whole > BOUND for times in quotients)
    print(f"{len(quotients)} shapes, {beyond} beyond {BOUND:g}; {above} with the parser's share; ", end="")
    print(f"median {statistics.median(times.whole for times in quotients):.1f}")


if __name__ == "__main__":
    main()
