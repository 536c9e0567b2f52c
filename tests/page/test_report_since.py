"""`agent-conformance report DIR --since EARLIER`: the page is made again, with what has changed."""

from pathlib import Path
from typing import Any

import pytest

from agent_conformance.commands.main import main
from agent_conformance.results.folder import write_report
from tests.page.packed_data import block
from tests.page.sample_results import earlier_sample, sample


def index_of(folder: Path) -> Any:
    return block((folder / "index.html").read_text(encoding="utf-8"), "index")


def test_page_compares_with_the_earlier_report(tmp_path: Path) -> None:
    write_report(sample(), tmp_path / "now")
    write_report(earlier_sample(), tmp_path / "then")

    assert main(["report", str(tmp_path / "now"), "--since", str(tmp_path / "then")]) == 0

    earlier = index_of(tmp_path / "now")["earlier"]
    assert [earlier[name] for name in ("new", "fixed", "changed", "same")] == [1, 1, 1, 1]


def test_page_compares_with_nothing_without_the_option(tmp_path: Path) -> None:
    write_report(sample(), tmp_path)

    assert main(["report", str(tmp_path)]) == 0

    assert index_of(tmp_path)["earlier"] is None


def test_earlier_report_that_is_none_is_a_usage_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_report(sample(), tmp_path)

    assert main(["report", str(tmp_path), "--since", str(tmp_path / "nothing")]) == 2

    assert "nothing" in capsys.readouterr().err
    assert not (tmp_path / "index.html").exists()
