"""A project with an agent and scenarios of its own, on which pytest is run with `--agent`."""

from pathlib import Path

import pytest

import agent_conformance.baseline.syrupy_files  # noqa: F401

# Imported before any run in this process: pytester forgets what a run imported, and libyaml cannot be loaded twice.
import agent_conformance.pytest.plugin  # noqa: F401
import agent_conformance.run.case_session
import agent_conformance.scenario.files.selection

AGENT = """
class Adapter:
    wires = ("openai-chat", "gemini-generate")
    modes = ("plain", "stream")
    features = {"conversation"}

    def __init__(self, setup): ...
    def send(self, message): ...
"""

SCENARIO = """\
description: {description}
profile: {profile}
{extra}
conversation:
  - user: Hello.
    model:
      - text: Hi.
"""

# Plugins of other people take longer to start than what is tested here.
PLUGINS = ("-p", "stand_in", "-p", "no:hypothesispytest", "-p", "no:anyio", "-p", "no:respx", "-p", "no:syrupy")
HERE = Path(__file__).parent


class Project:
    """`run` works in this process; `run_process` in one of its own, where workers, threads and imports matter."""

    def __init__(self, pytester: pytest.Pytester) -> None:
        self.pytester = pytester
        self.path = pytester.path
        self.path.joinpath("corpus").mkdir()
        self.path.joinpath("corpus", "default.txt").write_text("")
        self.path.joinpath("verdicts.txt").write_text("")
        self.path.joinpath("mymodule.py").write_text(AGENT)

    def scenario(
        self, id: str, *, into: str = "corpus", profile: str = "core", extra: str = "", text: str = ""
    ) -> Path:
        path = self.path / into / f"{id}.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text or SCENARIO.format(description="a greeting is answered", profile=profile, extra=extra))
        return path

    def verdicts(self, *lines: str) -> None:
        self.path.joinpath("verdicts.txt").write_text("\n".join(lines))

    def run(self, *args: str, agent: str = "mymodule:Adapter") -> pytest.RunResult:
        return self.pytester.runpytest_inprocess(*PLUGINS, f"--agent={agent}", *args)

    def run_plain(self, *args: str) -> pytest.RunResult:
        """A run in which `--agent` is not typed."""
        return self.pytester.runpytest_inprocess(*PLUGINS, *args)

    def run_process(self, *args: str, agent: str = "mymodule:Adapter") -> pytest.RunResult:
        return self.pytester.runpytest_subprocess(*PLUGINS, f"--agent={agent}", *args)


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Project:
    # `stand_in` replaces these two in each run; this puts them back.
    for module, name in (
        (agent_conformance.scenario.files.selection, "bundled_scenarios"),
        (agent_conformance.run.case_session, "CaseSession"),
    ):
        monkeypatch.setattr(module, name, getattr(module, name))
    monkeypatch.setenv("STAND_IN_HOME", str(pytester.path))
    monkeypatch.setenv("PYTHONPATH", str(HERE))
    return Project(pytester)


@pytest.fixture
def corpus(project: Project) -> Project:
    """The project with two scenarios."""
    project.scenario("history/x")
    project.scenario("history/y")
    return project


@pytest.fixture
def baseline(corpus: Project) -> Path:
    return corpus.path / "agent-baseline.yaml"
