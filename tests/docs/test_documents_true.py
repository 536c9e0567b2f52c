"""Figures, names and links in the documents are those of the code."""

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import get_args

import pytest

from agent_conformance.adapter.types import Feature
from agent_conformance.scenario.model import LawId
from fake_providers import WIRES
from pytest_agent_conformance_options import OPTIONS
from tests.docs.documents import DOCUMENTS, ROOT, anchors_of, links_of, name_of, prose_of
from tests.docs.figures import FIGURES, SITE_FIGURES, commands, figures_in, site_figures_in, with_figures

EACH = pytest.mark.parametrize("document", [pytest.param(d, id=name_of(d)) for d in DOCUMENTS])


def first_column(document: str, heading: str) -> list[str]:
    """The code words that begin the rows of the first table under a heading."""
    text = prose_of(ROOT / document)
    assert f"# {heading}\n" in text, f"{document} has no heading {heading}"
    section = re.split(r"^#+ ", text.split(f"# {heading}\n", 1)[1], maxsplit=1, flags=re.MULTILINE)[0]
    return re.findall(r"^\| `([^`]+)` \|", section, re.MULTILINE)


@EACH
def test_figures_are_up_to_date(document: Path) -> None:
    text = document.read_text(encoding="utf-8")

    assert with_figures(text) == text, "run: ./dev python -m tests.docs.regenerate --figures=documents"
    assert text.count("<!-- figures: ") == len(figures_in(document))


def test_every_figure_stands_somewhere() -> None:
    assert {name for document in DOCUMENTS for name in figures_in(document)} == FIGURES.keys()
    assert {name for document in DOCUMENTS for name in site_figures_in(document)} == SITE_FIGURES.keys()


@EACH
def test_figures_of_the_site_are_marked_rightly(document: Path) -> None:
    assert document.read_text(encoding="utf-8").count("<!-- on the site: ") == len(site_figures_in(document))


@EACH
def test_links_lead_somewhere(document: Path) -> None:
    lost = []
    for link in links_of(document):
        path, _, anchor = link.partition("#")
        if link.startswith(("https://", "http://")):
            continue
        target = (document.parent / path).resolve() if path else document
        if not target.exists() or (anchor and anchor not in anchors_of(target)):
            lost.append(link)

    assert not lost


@EACH
def test_heading_stands_once(document: Path) -> None:
    """A section that stands twice is a merge gone wrong, and its anchor leads to one of the two."""
    headings = re.findall(r"^#+ .+$", prose_of(document), re.MULTILINE)

    assert [heading for heading in headings if headings.count(heading) > 1] == []


@EACH
def test_options_exist(document: Path) -> None:
    known = {f"--{name}" for name, *_ in OPTIONS}
    said = set(re.findall(r"(?<![\w-])--agent(?:-[a-z]+)*", document.read_text(encoding="utf-8")))

    assert said <= known


@EACH
def test_paths_in_the_project_exist(document: Path) -> None:
    """Words such as `tests/docs/figures.py` that begin with a folder of the project; `<name>` and `*` match."""
    folders = "fakes|conformance|scenarios|tests|docs|benchmarks|.ci"
    said = re.findall(rf"`((?:{folders})/[\w./<>*-]*)`", prose_of(document))
    lost = [path for path in said if not list(ROOT.glob(re.sub(r"<[\w-]+>", "*", path).rstrip("/")))]

    assert not lost


def test_modules_that_contributing_names_exist() -> None:
    """Words such as `scenario/cases.py`, which are the end of a path."""
    said = re.findall(r"`([\w./]+/\w+\.py)`", prose_of(ROOT / "CONTRIBUTING.md"))
    lost = [path for path in said if not any(ROOT.glob(path)) and not any(ROOT.glob(f"*/**/{path}"))]

    assert said
    assert not lost


def test_readme_is_short() -> None:
    """At most 1,300 words, not counting code, tables and the targets of links."""
    prose = re.sub(r"<!--.*?-->|^\|.*$", "", prose_of(ROOT / "README.md"), flags=re.MULTILINE)
    words = re.sub(r"\]\([^)]*\)", "]", prose).split()

    assert len(words) <= 1300


def test_every_law_is_listed_once() -> None:
    assert first_column("docs/laws.md", "The laws") == list(get_args(LawId))


def test_every_command_is_listed_once() -> None:
    usage = subprocess.run(
        [sys.executable, "-m", "agent_conformance.commands.main", "--help"], capture_output=True, text=True, check=True
    ).stdout
    known = re.findall(r"^    ([a-z-]+)(?: |$)", usage, re.MULTILINE)
    listed = re.findall(r"^\| `([^`]+)` \|", commands(), re.MULTILINE)

    assert sorted(listed) == sorted(known)


def test_glossary_is_short_and_has_each_word_once() -> None:
    words = re.findall(r"^\| ([a-z ]+) \| (?!meaning)", prose_of(ROOT / "docs" / "glossary.md"), re.MULTILINE)

    assert len(words) == len(set(words))
    assert 0 < len(words) <= 40


def test_every_law_is_traced_to_its_mistakes() -> None:
    """The third column of the table, which is read when a law fails."""
    text = (ROOT / "docs" / "laws.md").read_text(encoding="utf-8")
    traced = re.findall(r"^\| `([a-z-]+)` \| [^|]+ \| [^|]{20,} \|$", text, re.MULTILINE)

    assert traced == list(get_args(LawId))


def test_every_feature_is_listed_once() -> None:
    assert sorted(first_column("docs/adapter-reference.md", "Features")) == sorted(get_args(Feature))


def test_changelog_is_by_version_from_the_newest_on() -> None:
    """`Unreleased` stands on top where something is not released, and a version takes a page."""
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    _, *sections = re.split(r"^## ", text, flags=re.MULTILINE)
    names = [section.partition("\n")[0] for section in sections]
    released = names[1:] if names[0] == "Unreleased" else names
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

    assert released == sorted(released, key=lambda name: [int(part) for part in name.split(".")], reverse=True)
    assert released[0] == project["version"]
    assert [name for name, section in zip(names, sections, strict=True) if len(section.split()) > 1000] == []


def test_every_wire_is_in_the_changelog() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")

    assert [wire for wire in WIRES if f"`{wire}`" not in changelog] == []


def test_members_of_setup_are_listed() -> None:
    source = ast.parse((ROOT / "conformance" / "agent_conformance" / "adapter" / "types.py").read_text())
    setup = next(node for node in source.body if isinstance(node, ast.ClassDef) and node.name == "Setup")
    fields = [
        node.target.id for node in setup.body if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
    ]

    assert first_column("docs/adapter-reference.md", "Setup") == fields


@pytest.mark.parametrize("heading", ["Features", "Setup"])
def test_first_page_on_adapters_has_a_part_of_the_reference(heading: str) -> None:
    part, whole = (first_column(f"docs/{page}.md", heading) for page in ("adapters", "adapter-reference"))

    assert part
    assert set(part) < set(whole)


@EACH
def test_document_names_no_machine(document: Path) -> None:
    assert not re.findall(r"/(?:work|tmp|home|root|Users)/", document.read_text(encoding="utf-8"))
