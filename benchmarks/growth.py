"""Whether a request costs no more than its length: one shape for each list, map and text of each wire's request.

    python benchmarks/growth.py [--only TEXT] [--all] [--least 5]

Each shape is made so large that a request takes `--least` milliseconds of CPU, and then four times as large. Printed
are the medians of three, and their quotient: about 4 where the cost is linear, 16 where it is that of every pair. A
quotient above 5 is measured again, up to four times: on a busy machine large requests wait for memory. `json` is the
quotient of `json.loads` for the same two bodies: a map of many members does not fit into the processor's cache, and
costs the parser alone more than 4. A quotient beyond the bound counts where that does not explain it. A shape that a
rule refuses at once is small at any size.
"""

import argparse
import gc
import json
import statistics
import sys
import time
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "fakes" / "load"))

from growing_requests import Shape, shapes

TIMES = 4
BOUND = 5.0
FIRST, MOST = 64, 4096
"""Repetitions: of items from the first to the second number, of a text so many times more."""
TEXTS = 32
AGAIN = 5


def spent(shape: Shape, count: int, *, repetitions: int = 3) -> float:
    """Milliseconds of CPU for one request, from its bytes to those of the response."""
    from fakes import Request
    from fakes.serving.scripted_fake import ScriptedFake

    request = shape.request(count * (TEXTS if shape.kind == "text" else 1))
    taken = []
    for repetition in range(repetitions):
        fake = ScriptedFake(shape.provider, wire=shape.wire.name)
        again = Request(request.method, request.path, request.headers, request.body + b" " * repetition)
        gc.collect(0)
        begun = time.process_time()
        fake.handle(again)
        taken.append(time.process_time() - begun)
    return 1000 * statistics.median(taken)


def measured(shape: Shape, least: float) -> tuple[int, float, float]:
    """A size, and the milliseconds of one and of four times that size."""
    count = FIRST
    while (few := spent(shape, count, repetitions=1)) < least and count < MOST:
        count = min(MOST, count * (2 if few > least / 4 else 4))
    lowest = 0.0, 1e9
    for _ in range(AGAIN):
        few, many = spent(shape, count), spent(shape, TIMES * count)
        lowest = min(lowest, (few, many), key=lambda pair: pair[1] / max(pair[0], 1e-9))
        if many <= BOUND * few:
            break
    return count, *lowest


def parsed(shape: Shape, count: int) -> float:
    """The quotient of `json.loads` alone, for the bodies of one and of four times the size."""
    few, many = (
        _parsing(shape.request(size * (TEXTS if shape.kind == "text" else 1)).body) for size in (count, TIMES * count)
    )
    return many / max(few, 1e-9)


def _parsing(body: bytes) -> float:
    taken = []
    for _ in range(AGAIN):
        gc.collect(0)
        begun = time.process_time()
        json.loads(body)
        taken.append(time.process_time() - begun)
    return statistics.median(taken)


def row(shape: Shape, count: int, few: float, many: float, json_alone: float) -> str:
    figures = f"{few:>9.1f}{many:>9.1f}{many / few:>7.1f}{json_alone:>7.1f}"
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
    print(
        f"{'kind':5}{'count':>7}{'ms CPU':>9}{'times 4':>9}{'x':>7}{'json':>7}   shape (bound: {BOUND:g})", flush=True
    )
    quotients, beyond = [], 0
    for shape in chosen(options.only):
        count, few, many = measured(shape, options.least)
        json_alone = parsed(shape, count) if options.all or many > BOUND * few else 0.0
        quotients.append(many / few)
        is_beyond = many > BOUND * few * max(1.0, json_alone / TIMES)
        beyond += is_beyond
        if options.all or (is_beyond and many > 2 * options.least):
            print(row(shape, count, few, many, json_alone), flush=True)
    print(f"{len(quotients)} shapes, {beyond} beyond {BOUND:g}; median {statistics.median(quotients):.1f}, ", end="")
    print(f"highest {max(quotients):.1f}")


if __name__ == "__main__":
    main()
