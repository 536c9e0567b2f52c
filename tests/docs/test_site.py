"""The site shows every document once, and a link leads to the same place on it as in the repository."""

import posixpath
from collections import Counter
from pathlib import Path

import pytest

from tests.docs.documents import DOCUMENTS, ROOT, anchors_of, links_of, name_of
from tests.docs.site import CONFIGURATION, HOOK, pages_in_nav

URL = "https://example.org/the/repository"
OTHERS = [path for folder in ("benchmarks", "examples", "fakes", "tests") for path in (ROOT / folder).rglob("*.md")]


def test_navigation_names_every_page_once() -> None:
    written = [HOOK.page_of(name_of(document)) for document in DOCUMENTS]

    assert Counter(pages_in_nav()) == Counter([*written, HOOK.page_of("fakes/RULES.md")])


def test_pages_for_maintainers_stand_apart() -> None:
    *for_users, last = CONFIGURATION["nav"]

    assert not [page for section in for_users for page in pages_in_nav(section) if page.startswith("maintainers/")]
    assert set(pages_in_nav(last)) >= {page for page in pages_in_nav() if page.startswith("maintainers/")}


def test_every_document_is_a_page() -> None:
    names = [name_of(document) for document in DOCUMENTS]

    assert [HOOK.document_of(HOOK.page_of(name)) for name in names] == names


@pytest.mark.parametrize("document", [pytest.param(d, id=name_of(d)) for d in (*DOCUMENTS, *sorted(OTHERS))])
def test_links_lead_somewhere_in_the_repository(document: Path) -> None:
    assert [link for link in links_of(document) if not leads_somewhere(link, document)] == []


def leads_somewhere(link: str, document: Path) -> bool:
    """Whether a link into the repository, relative or by its address, leads to a file, and its anchor to a heading."""
    own = f"{HOOK.repository_url() or URL}/blob/main/"
    if "://" in link and not link.startswith(own):
        return True
    path, _, anchor = link.removeprefix(own).partition("#")
    folder = ROOT if link.startswith(own) else document.parent
    target = (folder / path).resolve() if path else document
    return target.exists() and (not anchor or anchor in anchors_of(target))


@pytest.mark.parametrize("document", [pytest.param(d, id=name_of(d)) for d in DOCUMENTS])
def test_links_lead_somewhere_on_the_site(document: Path) -> None:
    pages = {*pages_in_nav(), *(path.name for path in (ROOT / "docs").iterdir())}
    links = [HOOK.site_link(link, name_of(document)) for link in links_of(document)]
    files = [link.partition("#")[0] for link in links if link and "://" not in link]
    folder = posixpath.dirname(HOOK.page_of(name_of(document)))

    assert [file for file in files if file and posixpath.normpath(posixpath.join(folder, file)) not in pages] == []


@pytest.mark.parametrize(
    ("link", "document", "shown"),
    [
        ("fakes.md#providers", "docs/adapters.md", "fakes.md#providers"),
        ("../README.md#laws", "docs/adapters.md", "index.md#laws"),
        ("docs/fakes.md", "README.md", "fakes.md"),
        ("../docs/fakes.md", "scenarios/README.md", "fakes.md"),
        ("#words", "README.md", "#words"),
        (f"{URL}/blob/main/docs/fakes.md#providers", "README.md", "fakes.md#providers"),
        ("../tests/docs/site.py", "docs/adapters.md", f"{URL}/blob/main/tests/docs/site.py"),
        ("LICENSE", "README.md", f"{URL}/blob/main/LICENSE"),
        ("coverage.yaml", "docs/adapters.md", "coverage.yaml"),
        ("verdicts", "docs/adapters.md", f"{URL}/blob/main/docs/verdicts"),
        ("nowhere.txt", "README.md", "nowhere.txt"),
        ("https://example.org/a#b", "README.md", "https://example.org/a#b"),
    ],
)
def test_link_on_the_site(link: str, document: str, shown: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(HOOK, "repository_url", lambda: URL)

    assert HOOK.site_link(link, document) == shown


def test_link_to_a_file_is_none_while_the_repository_has_no_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(HOOK, "repository_url", lambda: None)

    assert HOOK.with_site_links("See [the terms](LICENSE), [fakes](docs/fakes.md).", "README.md") == (
        "See the terms, [fakes](fakes.md)."
    )


def test_links_in_code_stay() -> None:
    page = type("Page", (), {"file": type("File", (), {"src_uri": "contributing.md"})})
    block = '```python at-the-end-of="a.py"\n# [a](docs/fakes.md)\n```'

    shown = HOOK.on_page_markdown(f"[a](docs/fakes.md)\n\n{block}\n", page)

    assert shown == '[a](fakes.md)\n\n```python title="at the end of a.py"\n# [a](docs/fakes.md)\n```\n'


@pytest.mark.parametrize("heading", ["`send`", "Where https is insisted on", "Read & write", "1. Hello"])
def test_anchors_are_those_of_the_repository(heading: str, tmp_path: Path) -> None:
    document = tmp_path / "page.md"
    document.write_text(f"# {heading}\n")

    assert {HOOK.anchor_of(heading, "-")} == anchors_of(document)


@pytest.mark.parametrize(
    ("html", "foreign"),
    [
        ('<script src="https://cdn.example.org/a.js"></script>', 1),
        ('<link rel="stylesheet" href="//fonts.example.org/a.css">', 1),
        ('<img alt="" src="http://example.org/a.png">', 1),
        ('<link rel="stylesheet" href="assets/a.css"><script src="../a.js"></script>', 0),
        ('<link rel="canonical" href="https://example.org/page/">', 0),
        ('<a href="https://example.org">elsewhere</a>', 0),
    ],
)
def test_page_that_loads_from_another_host_is_found(html: str, foreign: int) -> None:
    assert len(HOOK.FOREIGN.findall(html)) == foreign


def test_site_has_the_figures_that_the_repository_leaves_out() -> None:
    options = (ROOT / "docs" / "options.md").read_text(encoding="utf-8")

    assert "| `doctor` | " not in options
    assert "| `doctor` | " in HOOK.with_site_figures(options)


def test_build_is_strict_and_offline() -> None:
    nav, links = CONFIGURATION["validation"]["nav"], CONFIGURATION["validation"]["links"]

    assert CONFIGURATION["strict"] is True
    assert CONFIGURATION["theme"]["font"] is False
    assert {*nav.values(), *links.values()} == {"warn"}
    assert "omitted_files" in nav
    assert {"not_found", "anchors"} <= links.keys()


def test_pull_requests_build_the_site() -> None:
    assert "mkdocs build --strict" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")
