"""Builds the site from the documents as they lie in the repository.

It adds the pages that lie outside `docs/`, and turns each link into the one that leads there on the site: to a page
where the target is one, to the repository for everything else. It knows where documents lie, and not what they say.
"""

import logging
import posixpath
import re
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PAGES = {
    "README.md": "get-started.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "scenarios/README.md": "scenarios.md",
    "fakes/RULES.md": "rules.md",
}
"""Documents outside `docs/`, and the pages that they are on the site."""

FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(?<!!)(\[[^\]]+\]\()([^)\s]+)(\))")
ADDED_TO = re.compile(r'^(```\w+) at-the-end-of="([^"]+)"$', re.MULTILINE)
FOREIGN = re.compile(r"""<(?:script|link|img|iframe)\b[^>]*\b(?:src|href)=["']?(?:https?:)?//[^>]*>""")

log = logging.getLogger("mkdocs.hooks.repository")


def on_config(config: Any) -> Any:
    config.mdx_configs.setdefault("toc", {})["slugify"] = anchor_of
    return config


def on_files(files: Any, config: Any) -> Any:
    from mkdocs.structure.files import File

    for document, page in PAGES.items():
        files.append(File.generated(config, page, abs_src_path=str(ROOT / document)))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    document = document_of(page.file.src_uri)
    markdown = ADDED_TO.sub(r'\1 title="at the end of \2"', markdown)
    prose = FENCE.split(markdown)
    blocks = [*FENCE.findall(markdown), ""]
    return "".join(with_site_links(text, document) + block for text, block in zip(prose, blocks, strict=True))


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
    return LINK.sub(lambda match: f"{match[1]}{site_link(match[2], document)}{match[3]}", text)


def site_link(link: str, document: str) -> str:
    """The link of a document as it is to stand on the site. What leads nowhere stays, for MkDocs to complain of."""
    repository = f"{repository_url()}/blob/main/"
    path, hash_sign, anchor = link.removeprefix(repository).partition("#")
    if not path or "://" in path or path.startswith("mailto:"):
        return link
    base = "" if link.startswith(repository) else posixpath.dirname(document)
    target = posixpath.normpath(posixpath.join(base, path))
    page = page_of(target)
    if page is not None:
        own = posixpath.dirname(page_of(document) or "")
        return posixpath.relpath(page, own or ".") + hash_sign + anchor
    return f"{repository}{target}{hash_sign}{anchor}" if (ROOT / target).exists() else link


def repository_url() -> str:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    url: str = project["urls"]["Repository"]
    return url.rstrip("/")
