"""A comment of a pull request as a page for a picture: the Markdown of a summary, shown much as GitHub shows it."""

from pathlib import Path

from markdown import markdown

from tests.docs.projects import normal

PAGE = """<!doctype html><meta charset="utf-8"><style>
body {{ font: 14px/1.5 "Noto Sans", "DejaVu Sans", sans-serif; color: #1f2328; margin: 16px; }}
article {{ border: 1px solid #d1d9e0; border-radius: 6px; padding: 0 16px 16px; overflow: hidden; }}
.author {{ margin: 0 -16px 16px; padding: 8px 16px; background: #f6f8fa; border-bottom: 1px solid #d1d9e0; }}
h2 {{ font-size: 1.5em; padding-bottom: .3em; border-bottom: 1px solid #d1d9e0; }}
h3 {{ font-size: 1.25em; margin: 24px 0 16px; }}
code {{ font: 85% "DejaVu Sans Mono", monospace; background: #818b981f; border-radius: 6px; padding: .2em .4em; }}
pre {{ background: #f6f8fa; border-radius: 6px; padding: 16px; overflow-x: auto; }}
pre code {{ background: none; padding: 0; }}
table {{ border-collapse: collapse; }}
th, td {{ border: 1px solid #d1d9e0; padding: 6px 13px; }}
</style><article><div class="author"><b>github-actions</b> (bot) commented</div>
{text}
</article>"""


def comment_page(summary: Path, folder: Path) -> Path:
    """Paths in it are those of a reader."""
    text = markdown(normal(summary.read_text(encoding="utf-8"), folder), extensions=["tables", "fenced_code"])
    page = folder / "comment.html"
    page.write_text(PAGE.format(text=text), encoding="utf-8")
    return page
