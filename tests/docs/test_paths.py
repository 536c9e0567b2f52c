"""How much somebody has to read for a job: all pages on the way, with their tables, code and outputs."""

import re
from itertools import pairwise
from pathlib import Path

import pytest

from tests.docs.documents import DOCUMENTS, ONE_LINE, ROOT, WIDTH, blocks_of, links_of, name_of

FIRST_PAGE = "README.md"
PATHS = {
    "a Python agent to green CI": (
        5000,
        (FIRST_PAGE, "docs/adapters.md", "docs/doctor.md", "docs/read-a-finding.md", "docs/pull-requests.md"),
    ),
    "an agent in Node to green CI": (
        5000,
        (
            FIRST_PAGE,
            "docs/tutorial-node.md",
            "docs/doctor.md",
            "docs/read-a-finding.md",
            "docs/pull-requests.md",
        ),
    ),
    "a scenario of one's own": (
        5000,
        ("scenarios/README.md", "docs/scenario-format.md", "docs/incident-to-test.md"),
    ),
    "the fakes alone": (4000, ("docs/fakes.md", "docs/serve.md")),
}
"""By job: the most words that its pages may have together, and the pages in the order in which they are read."""
OUTPUTS = ("console", "text")
ACTION = re.compile(r"^ *- (uses|run): ")


def words_of(document: str) -> int:
    """What a reader sees as words: no marks of tables, no targets of links, no comments."""
    text = (ROOT / document).read_text(encoding="utf-8")
    seen = re.sub(r"<!--.*?-->|\]\([^)\s]*\)", " ", text, flags=re.DOTALL)
    return sum(1 for word in seen.split() if re.search(r"\w", word))


@pytest.mark.parametrize("job", PATHS)
def test_path_is_short(job: str) -> None:
    most, pages = PATHS[job]
    words = {page: words_of(page) for page in pages}

    assert sum(words.values()) <= most, words
    assert len(pages) <= 5


@pytest.mark.parametrize("job", PATHS)
def test_each_page_of_a_path_leads_to_the_next(job: str) -> None:
    _, pages = PATHS[job]
    lost = [(page, following) for page, following in pairwise(pages) if not leads_to(ROOT / page, ROOT / following)]

    assert not lost


def leads_to(page: Path, following: Path) -> bool:
    targets = {(page.parent / link.partition("#")[0]).resolve() for link in links_of(page)}
    return following.resolve() in targets


@pytest.mark.parametrize("document", [pytest.param(d, id=name_of(d)) for d in DOCUMENTS])
def test_outputs_fit_the_page(document: Path) -> None:
    """A command stands in one line, so that it can be copied."""
    wide = [
        f"{block.place}: {line}"
        for block in blocks_of(document)
        if block.language in OUTPUTS
        for line in block.text.split("\n")
        if len(line) > WIDTH and not line.startswith("$ ") and not ONE_LINE.search(line)
    ]

    assert not wide


@pytest.mark.parametrize("page", sorted({page for _, pages in PATHS.values() for page in pages}))
def test_code_of_a_path_fits_the_page(page: str) -> None:
    wide = [
        f"{block.place}: {line}"
        for block in blocks_of(ROOT / page)
        if block.language not in {*OUTPUTS, "sh"}
        for line in block.text.split("\n")
        if len(line) > WIDTH and not ACTION.match(line)
    ]

    assert not wide
