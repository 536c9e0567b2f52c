"""What the fakes do, written out: a folder for each question, with a file of lines for each provider.

Changes of two providers meet in no file. `./dev python -m tests.docs.regenerate --figures=rules` writes those files
anew whose lines are others now. Look at each line that it changes.
"""

import json
import lzma
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from fake_providers import PROVIDERS

ANEW = "if it is right: ./dev python -m tests.docs.regenerate --figures=rules"


class Goldens(NamedTuple):
    """The files of one folder beside this module."""

    name: str
    suffix: str = ".jsonl"

    def path(self, provider: str) -> Path:
        return Path(__file__).parent / self.name / f"{provider}{self.suffix}"

    def read(self, *providers: str) -> list[dict[str, Any]]:
        """The lines of these providers; without one, of all."""
        found = (_text(self.path(provider)) for provider in providers or PROVIDERS)
        return [json.loads(line) for text in found for line in text.split("\n") if line]

    def write(self, lines: Iterable[tuple[str, dict[str, Any]]]) -> None:
        """Lines with their provider. A provider without lines has no file."""
        texts = dict.fromkeys(PROVIDERS, "")
        for provider, line in lines:
            texts[provider] += f"{json.dumps(line, ensure_ascii=False)}\n"
        wanted = {self.path(provider): text for provider, text in texts.items() if text}
        for path in {*self.path("any").parent.glob("*"), *wanted}:
            if path not in wanted:
                path.unlink()
            elif _text(path) != wanted[path]:
                path.parent.mkdir(exist_ok=True)
                content = wanted[path].encode()
                path.write_bytes(lzma.compress(content) if path.suffix == ".xz" else content)


def _text(path: Path) -> str:
    content = path.read_bytes() if path.exists() else b""
    return (lzma.decompress(content) if content and path.suffix == ".xz" else content).decode()
