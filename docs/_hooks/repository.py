"""Builds the site from the documents as they lie in the repository.

It adds the pages that are outside `docs/`, a page for each agent of the leaderboard, and the figures that only the site
has. It turns each link into the one that
leads there on the site: to a page if the target is one, to the repository for everything else. While the repository has
no address, what would lead there is no link. It knows where documents are, and not what they say.
"""

import json
import logging
import posixpath
import re
import sys
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PAGES = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "scenarios/README.md": "scenarios.md",
    "fakes/RULES.md": "rules.md",
}
"""Documents outside `docs/`, and the pages that they are on the site."""
LEADERBOARD = "Leaderboard"
"""The section of the navigation that gets a page for each agent."""

FENCE = re.compile(r"^(?P<fence>```+)(?!`).*?^(?P=fence)$", re.MULTILINE | re.DOTALL)
BETWEEN = "\0"
"""In place of a block."""
LINK = re.compile(r"(?<!!)\[([^\]]+)\]\(([^)\s]+)\)")
ADDED_TO = re.compile(r'^(```\w+) at-the-end-of="([^"]+)"$', re.MULTILINE)
NAMES_ONLY = r'(?![^>]*\brel="(?:canonical|alternate|prev|next)")'  # of these links a browser loads nothing
FOREIGN = re.compile(rf"""<(?:script|link|img|iframe)\b{NAMES_ONLY}[^>]*\b(?:src|href)=["']?(?:https?:)?//[^>]*>""")

log = logging.getLogger("mkdocs.hooks.repository")


def on_config(config: Any) -> Any:
    config.mdx_configs.setdefault("toc", {})["slugify"] = anchor_of
    section = next(entry for entry in config.nav if LEADERBOARD in entry)
    section[LEADERBOARD] += [{row["agent"]: agent_page_of(row["agent"])} for row in leaderboard()]
    return config


def on_files(files: Any, config: Any) -> Any:
    from mkdocs.structure.files import File

    for document, page in PAGES.items():
        files.append(File.generated(config, page, abs_src_path=str(ROOT / document)))
    for page, markdown in agent_pages().items():
        files.append(File.generated(config, page, content=markdown))
    return files


def leaderboard() -> list[Any]:
    """The rows of the agents, in their order."""
    rows: list[Any] = json.loads((ROOT / "docs/leaderboard.json").read_text(encoding="utf-8"))["agents"]
    return rows


def agent_page_of(agent: str) -> str:
    return f"leaderboard/{agent}.md"


def agent_pages() -> dict[str, str]:
    """Page and text of each agent of the leaderboard, made from its results and the verdicts by hand."""
    import yaml

    import_from_repository()
    from tools.leaderboard.pages import agent_page

    verdicts = [
        verdict
        for path in sorted((ROOT / "docs/verdicts").glob("*.yaml"))
        for verdict in yaml.load(path.read_text(encoding="utf-8"), yaml.CSafeLoader)
    ]
    return {agent_page_of(row["agent"]): agent_page(row, verdicts) for row in leaderboard()}


def with_agent_links(markdown: str) -> str:
    """The leaderboard, with each agent's name in the first table as a link to its page."""
    for row in leaderboard():
        name = rf"((?:<[^>]*>)?{re.escape(row['agent'])} {re.escape(row['version'])}(?:<[^>]*>)?)"
        markdown = re.sub(rf"\n\| {name} \|", rf"\n| [\1]({agent_page_of(row['agent'])}) |", markdown)
    return markdown


def import_from_repository() -> None:
    if str(ROOT) not in sys.path:
        sys.path.insert(0, str(ROOT))


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    document = document_of(page.file.src_uri)
    markdown = with_site_figures(markdown)
    if page.file.src_uri == "leaderboard.md":
        markdown = with_agent_links(markdown)
    markdown = ADDED_TO.sub(r'\1 title="at the end of \2"', markdown)
    blocks = [match[0] for match in FENCE.finditer(markdown)]
    prose = FENCE.sub(BETWEEN, markdown).split(BETWEEN)
    return "".join(with_site_links(text, document) + block for text, block in zip(prose, [*blocks, ""], strict=True))


def with_site_figures(markdown: str) -> str:
    if "<!-- on the site: " not in markdown:
        return markdown
    import_from_repository()
    from tests.docs import figures

    return figures.with_site_figures(markdown)


def on_post_page(output: str, page: Any, **_: Any) -> str:
    """A page that loads something from elsewhere is a warning, which stops a strict build."""
    for tag in FOREIGN.findall(output):
        log.warning("%s loads from another host: %s", page.file.src_uri, tag)
    return output


def anchor_of(heading: str, separator: str) -> str:
    """The anchor of a heading as repositories make it, so that one link works in both places."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", separator)


def document_of(page: str) -> str:
    """Where the text of a page lies in the repository."""
    return {page: document for document, page in PAGES.items()}.get(page, f"docs/{page}")


def page_of(document: str) -> str | None:
    """The page of the site that shows this file of the repository."""
    return PAGES.get(document) or (document.removeprefix("docs/") if document.startswith("docs/") else None)


def with_site_links(text: str, document: str) -> str:
    def replaced(match: re.Match[str]) -> str:
        link = site_link(match[2], document)
        return match[1] if link is None else f"[{match[1]}]({link})"

    return LINK.sub(replaced, text)


def site_link(link: str, document: str) -> str | None:
    """The link of a document as it is to stand on the site; None for a file of a repository without an address.

    What leads nowhere stays, for MkDocs to complain of.
    """
    url = repository_url()
    own = url is not None and link.startswith(f"{url}/blob/main/")
    path, hash_sign, anchor = (link.removeprefix(f"{url}/blob/main/") if own else link).partition("#")
    if not path or "://" in path or path.startswith("mailto:"):
        return link
    target = posixpath.normpath(posixpath.join("" if own else posixpath.dirname(document), path))
    page = page_of(target)
    if page is not None and not (ROOT / target).is_dir():
        folder = posixpath.dirname(page_of(document) or "")
        return posixpath.relpath(page, folder or ".") + hash_sign + anchor
    if not (ROOT / target).exists():
        return link
    return f"{url}/blob/main/{target}{hash_sign}{anchor}" if url else None


def repository_url() -> str | None:
    """What `pyproject.toml` says, once the project has a public address."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    url: str = project.get("urls", {}).get("Repository", "")
    return url.rstrip("/") or None
