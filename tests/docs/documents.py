"""What readers see: the documents of this repository, their fenced blocks and their links. Runs nothing."""

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCUMENTS = (
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "CHANGELOG.md",
    ROOT / "scenarios" / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "docs" / "maintainers").glob("*.md")),
)
FENCE = re.compile(r"^(?P<fence>```+)(?P<info>[^\n`]*)\n(?P<text>.*?)^(?P=fence)$", re.MULTILINE | re.DOTALL)
"""A fence of four backticks can show a text with fences of three."""
WIDTH = 96
"""What the site shows of a line of code without scrolling."""
ONE_LINE = re.compile(r"\bpytest --|\bagent-conformance [a-z]")
"""Of a command, which a reader copies whole."""
LINK = re.compile(r"(?<!!)\[[^\]]+\]\(([^)\s]+)\)")


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block. `place` is `README.md:12`, the line of its first line.

    `title` is the file it is the text of, `at_the_end_of` the file that it is added to.
    """

    place: str
    language: str
    title: str
    at_the_end_of: str
    text: str


@dataclass(frozen=True, slots=True)
class Command:
    """One `$ command` of a console block, and the output written under it."""

    place: str
    command: str
    output: str


def name_of(document: Path) -> str:
    return str(document.relative_to(ROOT))


def blocks_of(document: Path) -> list[Block]:
    text = document.read_text(encoding="utf-8")
    blocks = []
    for match in FENCE.finditer(text):
        language, _, rest = match["info"].strip().partition(" ")
        named = dict(re.findall(r'(title|at-the-end-of)="([^"]+)"', rest))
        place = f"{name_of(document)}:{text.count(chr(10), 0, match.start('text')) + 1}"
        blocks.append(Block(place, language, named.get("title", ""), named.get("at-the-end-of", ""), match["text"]))
    return blocks


def commands_of(block: Block) -> list[Command]:
    """The commands of a console block, in order; what stands before the first `$` belongs to none."""
    parts = re.split(r"^\$ (.*)\n", block.text, flags=re.MULTILINE)
    return [
        Command(block.place, command, output.rstrip("\n"))
        for command, output in zip(parts[1::2], parts[2::2], strict=True)
    ]


def prose_of(document: Path) -> str:
    """The text without its fenced blocks."""
    return FENCE.sub("", document.read_text(encoding="utf-8"))


def links_of(document: Path) -> list[str]:
    return LINK.findall(prose_of(document))


def anchors_of(document: Path) -> set[str]:
    """The anchors of the headings, as they are made from their words where repositories are read."""
    headings = re.findall(r"^#+ (.+)$", prose_of(document), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def fitted(output: str) -> str:
    """An output as documents show it: each line is cut at the width of the page, unless it is a command."""
    return "\n".join(
        line if len(line) <= WIDTH or ONE_LINE.search(line) else f"{line[: WIDTH - 4].rstrip()} ..."
        for line in output.split("\n")
    )
