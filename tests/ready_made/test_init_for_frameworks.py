"""What `init` writes for a framework runs to its first verdict with the models of each provider, where installed."""

import sys
from itertools import product
from pathlib import Path

import pytest

from agent_conformance.attach.ready_made import READY
from agent_conformance.commands.main import main
from tests.commands.init.generated_project import report_on, verdict_of
from tests.ready_made.requested_frameworks import LeftOut, Missing, check

BY_NAME = {ready.name: ready for ready in READY}
MODELS = {
    "openai": {"langchain": "langchain-openai", "pydantic-ai": "pydantic-ai-slim[openai]"},
    "anthropic": {"langchain": "langchain-anthropic", "pydantic-ai": "pydantic-ai-slim[anthropic]"},
    "google": {"langchain": "langchain-google-genai", "pydantic-ai": "pydantic-ai-slim[google]"},
}


@pytest.mark.parametrize(
    ("framework", "provider"),
    [*product(("langchain", "pydantic-ai"), MODELS), ("strands", "")],
)
@pytest.mark.filterwarnings("default")
def test_what_is_written_runs_to_its_first_verdict(
    framework: str,
    provider: str,
    requested_frameworks: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    try:
        check(BY_NAME[framework], requested_frameworks)
    except Missing as missing:
        pytest.fail(str(missing))
    except LeftOut as left_out:
        pytest.skip(str(left_out))
    tmp_path.joinpath("requirements.txt").write_text(MODELS[provider][framework] if provider else "strands-agents")
    main(["init", "--only-files", "--for", framework, "--to", str(tmp_path)])
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.delitem(sys.modules, "agent_adapter", raising=False)

    assert verdict_of(tmp_path, "agent_adapter:Adapter") == "3 cases: 3 passed"
    assert report_on(tmp_path, "agent_adapter:Adapter").is_clean
