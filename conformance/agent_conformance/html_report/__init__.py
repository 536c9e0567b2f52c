"""The page of a report: `index.html` and `cases/*.html`, made from results alone."""

from agent_conformance.html_report.writing import write_page

__all__ = ["write_page"]
