"""Whether a fake that has answered thousands of requests still answers as quickly as at first, on each wire.

    python benchmarks/many_requests.py [--requests 4000] [--only TEXT]

Printed are microseconds of CPU a request, of the first requests after a few to warm up and of the last ones: no two
requests are the same, and what each stores is kept as a served fake keeps it. Of each stretch it is the least of five
parts, since a busy machine has slow parts and no fast ones.
"""

import argparse
import gc
import json
import sys
import time
from pathlib import Path

from fake_providers import Request
from fake_providers.serving.journal import Journal
from fake_providers.serving.scripted_fake import ScriptedFake

sys.path.insert(0, str(Path(__file__).parent.parent))
sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "fakes" / "load"))

from load_requests import OWN, LoadRequest

BOUND = 1.2
PARTS = 5


class Client:
    """Asks a fake of its own; each request has another text."""

    def __init__(self, load_request: LoadRequest) -> None:
        self._load_request = load_request
        self._fake = ScriptedFake(load_request.provider, wire=load_request.wire.name, journal=Journal(most=0))
        self._count = 0

    def ask(self, count: int) -> float:
        """Microseconds of CPU a request."""
        requests = [self._next() for _ in range(count)]
        begun = time.process_time()
        for request in requests:
            assert self._fake.handle(request).status == 200
        return 1e6 * (time.process_time() - begun) / count

    def least(self, count: int) -> float:
        return min(self.ask(count // PARTS) for _ in range(PARTS))

    def _next(self) -> Request:
        self._count += 1
        wanted = self._load_request
        body = json.dumps(wanted.with_text(f"How warm is it in town {self._count}?")).encode()
        return Request("POST", wanted.path, wanted.headers, body)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=4000)
    parser.add_argument("--only", default="", metavar="TEXT", help="the wires with this text in their names")
    options = parser.parse_args()
    stretch = max(PARTS, options.requests // 8)
    print(f"{'µs CPU a request':24}{'at first':>10}{f'after {options.requests}':>14}{'times':>8}   (bound {BOUND})")
    for load_request in OWN:
        if options.only not in load_request.wire.name:
            continue
        client = Client(load_request)
        client.ask(stretch // 2)
        gc.collect()
        first = client.least(stretch)
        client.ask(options.requests)
        last = client.least(stretch)
        print(f"{load_request.wire.name:24}{first:10.1f}{last:14.1f}{last / first:8.2f}", flush=True)


if __name__ == "__main__":
    main()
