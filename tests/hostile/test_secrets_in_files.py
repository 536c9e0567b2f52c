"""No part of a key is in what a run prints or writes, whatever characters the key has and wherever it is said."""

import hashlib
import html
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.hostile.agent_that_tells import PLACES
from tests.hostile.right_agent import HERE
from tests.patience import PATIENCE

ROOT = HERE.parents[1]
SEPARATORS = "/+=:!.~@#"
EXAMPLES = 3
PART = 8
"""Characters in a row of a key."""
SCENARIO = """\
description: what an agent says in one place
profile: core
tools:
  - name: get_weather
    description: Current weather for a city.
    parameters: {{city: string}}
    returns: {{degrees: 7}}
conversation:
  - user: "Say it: {place}"
    model:
      - text: Hi.
      - {{text: Hi., spare: true}}
    expect: {{reply: Hi.}}
"""


def key_of(seed: int, lengths: list[int], separators: str) -> str:
    """Words at random with separators between them: what is drawn has no part that a text has by chance."""
    words = hashlib.sha512(f"{seed}".encode()).hexdigest() + hashlib.sha512(f"-{seed}".encode()).hexdigest()
    mixed = "".join(c.upper() if int(d, 16) % 2 else c for c, d in zip(words, reversed(words), strict=True))
    parts, start = [], 0
    for length, separator in zip(lengths, separators, strict=False):
        parts.append(mixed[start : start + length] + separator)
        start += length
    return "".join(parts) + mixed[start : start + 20 - min(start, 16)]


KEYS = st.lists(
    st.builds(
        key_of,
        st.integers(0, 2**32),
        st.lists(st.integers(1, 24), min_size=4, max_size=6),
        st.text(SEPARATORS, min_size=1, max_size=6),
    ),
    min_size=5,
    max_size=5,
    unique=True,
)


def parts_in(text: str, keys: list[str]) -> list[str]:
    """The parts of keys in the text, as it is and as its reader reads it."""
    plain = re.sub(r"\\u00([0-9a-f]{2})", lambda found: chr(int(found[1], 16)), text)
    read = [text, html.unescape(text), plain, html.unescape(plain)]
    everything = "\n".join(read).lower()
    return [
        part
        for key in keys
        for part in (key[start : start + PART] for start in range(len(key) - PART + 1))
        if part.lower() in everything
    ]


def all_texts(folder: Path) -> Iterator[tuple[str, str]]:
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.parent.name != "__pycache__":
            yield str(path.relative_to(folder)), path.read_text(encoding="utf-8", errors="replace")


def run(folder: Path, keys: list[str], before: int, *options: str) -> Mapping[str, str]:
    """The terminal and all files of two runs: one records what it finds, one accepts it."""
    area = folder / "corpus" / "area"
    area.mkdir(parents=True)
    for place in PLACES:
        area.joinpath(f"{place.lower().replace(' ', '-')}.yaml").write_text(SCENARIO.format(place=place))
    environment = {f"TOLD_{number}_KEY": key for number, key in enumerate(keys)}
    environment |= {**os.environ, "PYTHONPATH": str(ROOT), "TOLD": str(len(keys)), "TOLD_BEFORE": str(before)}
    environment |= {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    command = [sys.executable, "-m", "pytest", "-p", "pytest_agent_conformance", "-p", "no:cacheprovider", "-rA", "-vv"]
    command += [f"--agent={HERE}/agent_that_tells.py:Adapter", "--agent-scenarios=corpus", "corpus", *options]
    command += ["--agent-report=report", "--junitxml=junit.xml", "-ojunit_logging=all"]
    texts = {}
    for name, more in (("record", ("--snapshot-update",)), ("accept", ("--agent-baseline-update",))):
        done = subprocess.run(
            [*command, *more], cwd=folder, env=environment, capture_output=True, timeout=PATIENCE, check=False
        )
        texts[f"terminal, {name}"] = (done.stdout + done.stderr).decode(errors="replace")
        texts |= {f"{path}, {name}": text for path, text in all_texts(folder)}
    return texts


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [
        pytest.param((), id="in process"),
        pytest.param(("--agent-isolate",), id="isolated", marks=pytest.mark.weekly),
    ],
)
def test_no_part_of_a_key_is_in_a_file(options: tuple[str, ...], tmp_path_factory: pytest.TempPathFactory) -> None:
    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(KEYS, st.integers(100, 300))
    def holds(keys: list[str], before: int) -> None:
        texts = run(tmp_path_factory.mktemp("told"), keys, before, *options)

        assert "TOLD_0_KEY" in texts["terminal, record"]
        assert {name: found for name, text in texts.items() if (found := parts_in(text, keys))} == {}

    holds()
