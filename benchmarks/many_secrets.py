"""What the search for secrets costs a run: cases with and without what makes it dear, as ratios of CPU.

    python benchmarks/many_secrets.py [--cases 1000] [--rounds 3]

The same cases run with the environment as it is, with 60 kB of hexadecimal digits in a variable and in a key, with a
thousand keys, with a thousand other variables, and with an adapter that has a new random token in each case. What is
printed is the least CPU of the rounds, which take turns, over the least without: the bound is 1.1.
"""

import argparse
import os
import random
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from agent_conformance.agents.reference import Adapter
from agent_conformance.attach.loading import checked_agent
from agent_conformance.run.case_session import CaseSession
from agent_conformance.run.process.isolation import environment_with
from agent_conformance.scenario.cases import Case, RunOptions, cases_of
from agent_conformance.scenario.files import bundled_scenarios
from agent_conformance.scenario.loading import load_folder
from agent_conformance.transcripts.redaction import SECRETS

BOUND = 1.1


class NewToken(Adapter):
    def __init__(self, setup: object) -> None:
        super().__init__(setup)  # type: ignore[arg-type]
        self.session_token = f"st-{uuid.uuid4().hex}"


def digits(count: int) -> str:
    return random.Random(1).randbytes(count // 2).hex()


KINDS: dict[str, tuple[type[Adapter], Callable[[], dict[str, str]]]] = {
    "as it is": (Adapter, dict),
    "60 kB of hex": (Adapter, lambda: {"BLOB": digits(60_000)}),
    "60 kB of hex, a key": (Adapter, lambda: {"BLOB_KEY": digits(60_000)}),
    "1,000 keys": (Adapter, lambda: {f"SERVICE_{n}_API_KEY": f"sk-{uuid.uuid4().hex}" for n in range(1000)}),
    "1,000 variables": (Adapter, lambda: {f"VARIABLE_{n}": f"value {n}" for n in range(1000)}),
    "a token in each case": (NewToken, dict),
}


def cases(count: int) -> Iterator[Case]:
    files, _ = load_folder(bundled_scenarios())
    agent = checked_agent("secrets", Adapter)
    found = [case for file in files for case in cases_of(file, agent, RunOptions()) if not case.missing]
    yield from (found * (count // len(found) + 1))[:count]


@contextmanager
def known_anew(variables: dict[str, str]) -> Iterator[None]:
    SECRETS.forget()
    with environment_with(variables):
        yield


def spent(kind: str, chosen: list[Case]) -> float:
    adapter, variables = KINDS[kind]
    with known_anew(variables()):
        begun = time.process_time()
        with CaseSession(checked_agent("secrets", adapter), start=Path(os.getcwd())) as runner:
            for case in chosen:
                runner.run(case)
        return time.process_time() - begun


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    chosen = [*cases(options.cases)]
    spent("as it is", chosen[:50])  # what is imported and compiled on first use
    least = dict.fromkeys(KINDS, float("inf"))
    for _ in range(options.rounds):
        for kind in KINDS:
            least[kind] = min(least[kind], spent(kind, chosen))
    for kind, seconds in least.items():
        ratio = seconds / least["as it is"]
        print(f"{kind:22} {1000 * seconds / len(chosen):6.2f} ms a case   {ratio:.2f}   bound {BOUND}")


if __name__ == "__main__":
    main()
