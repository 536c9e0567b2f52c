"""Starting: without `--agent` nothing of ours is loaded; with it both packages are, whatever names a project uses."""

import subprocess
import sys
from pathlib import Path

import pytest

import pytest_agent_conformance as front_door

pytest_plugins = ["pytester"]

OURS = Path(front_door.__file__).parent

NOTHING_LOADED = """
import sys

def test_nothing_of_the_suite_is_loaded():
    assert [name for name in sys.modules if name.split(".")[0] in ("fakes", "conformance")] == []
"""


def python_m_pytest(project, *args):
    """As users with packages of their own run it: the working directory comes first on the path."""
    plugins = ("-p", "no:hypothesispytest", "-p", "no:anyio", "-p", "no:respx", "-p", "no:cacheprovider")
    command = [sys.executable, "-m", "pytest", *plugins, *args]
    return subprocess.run(command, check=False, cwd=project.path, capture_output=True, text=True, timeout=60)


def test_without_agent_nothing_is_imported_and_nothing_is_added(project):
    project.pytester.makepyfile(test_it=NOTHING_LOADED)
    project.scenario("incidents/y", into="scenarios")

    result = project.pytester.runpytest_subprocess("-W", "error", "--strict-markers")

    result.assert_outcomes(passed=1)
    assert result.ret == 0


@pytest.mark.slow
@pytest.mark.parametrize(("agent", "kept"), [((), False), (("--agent=mymodule:Adapter",), True)])
def test_what_an_agents_run_has_loaded_is_not_walked_for_garbage(project, agent, kept):
    project.scenario("incidents/y", into="scenarios")
    project.pytester.makeconftest("import gc\nKEPT, ENABLED = gc.get_freeze_count() > 0, gc.isenabled()\n")
    project.pytester.makepyfile(
        f"import conftest\n\ndef test_it(): assert (conftest.KEPT, conftest.ENABLED) == ({kept}, True)"
    )

    result = project.pytester.runpytest_subprocess("-p", "stand_in", *agent, ".")

    assert (result.ret, result.parseoutcomes()["passed"]) == (0, 5 if kept else 1)


def test_without_agent_our_options_are_a_usage_error(project):
    result = project.run_plain("--agent-case=x")

    assert result.ret == 4
    result.stderr.fnmatch_lines(["ERROR: --agent-case=x needs --agent=module:Adapter*"])


def test_help_lists_the_options_and_loads_no_agent(project):
    result = project.run("--help", agent="missing:Adapter")

    assert result.ret == 0
    for name, *_ in front_door.OPTIONS:
        assert f"--{name}" in result.stdout.str()
        assert f"{name.replace('-', '_')} (" in result.stdout.str()
    assert "--snapshot-update" in result.stdout.str()


def test_help_without_agent_lists_all_options_and_loads_nothing(project):
    project.pytester.makeconftest(
        "import sys\n\ndef pytest_unconfigure():\n"
        "    print('LOADED', [name for name in sys.modules if name.split('.')[0] in ('fakes', 'conformance')])\n"
    )

    result = project.pytester.runpytest_subprocess("--help", "-p", "no:syrupy")

    ours = result.stdout.str().partition("\nagent conformance:\n")[2].partition("\n\n")[0]
    for name in (*(name for name, *_ in front_door.OPTIONS), "snapshot-update"):
        assert f"\n  --{name}" in f"\n{ours}"
    assert "LOADED []" in result.stdout.str()


@pytest.mark.slow
@pytest.mark.parametrize("agent", [(), ("--agent=mymodule:Adapter",)])
def test_beside_syrupy_help_lists_the_option_once(project, agent):
    result = project.pytester.runpytest_subprocess("--help", *agent)

    assert result.ret == 0
    assert result.stdout.str().count("\n  --snapshot-update ") == 1


@pytest.mark.parametrize("destination", ["", ", dest='update_snapshots'"])
def test_an_option_of_that_name_in_a_conftest_keeps_working(project, destination):
    project.scenario("history/x")
    project.pytester.makeconftest(
        f"def pytest_addoption(parser):\n    parser.addoption('--snapshot-update', action='store_true'{destination})\n"
    )
    project.pytester.makepyfile("def test_it(request): assert request.config.getoption('--snapshot-update')")

    project.run_plain("--snapshot-update").assert_outcomes(passed=1)
    project.run("--snapshot-update").assert_outcomes(passed=4)
    assert project.path.joinpath("agent-snapshots/history/x.ambr").is_file()


def test_recording_snapshots_without_an_agent_is_a_usage_error(project):
    result = project.run_plain("--snapshot-update")

    assert result.ret == 4
    result.stderr.fnmatch_lines(["ERROR: --snapshot-update needs --agent=module:Adapter*"])


def test_an_agent_is_named_by_its_file(project):
    project.scenario("history/x")
    project.path.joinpath("adapters").mkdir()
    project.path.joinpath("mymodule.py").rename(project.path / "adapters" / "of_the_shop.py")

    project.run(agent="adapters/of_the_shop.py:Adapter").assert_outcomes(passed=4)
    project.run(agent=f"{project.path}/adapters/of_the_shop.py:Adapter").assert_outcomes(passed=4)


def test_a_configured_file_is_found_from_a_subdirectory(project):
    project.scenario("history/x")
    project.pytester.makeini("[pytest]\nagent = mymodule.py:Adapter")
    project.pytester._monkeypatch.chdir(project.pytester.mkdir("inside"))

    project.run_plain("--agent-level=must").assert_outcomes(passed=4)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["fakes", "conformance"])
def test_a_users_own_packages_keep_working_without_agent(project, name):
    project.pytester.mkpydir(name).joinpath("other.py").write_text("VALUE = 7")
    project.pytester.makepyfile(test_it=f"from {name} import other\n\ndef test_it(): assert other.VALUE == 7")

    assert python_m_pytest(project).returncode == 0


@pytest.mark.slow
@pytest.mark.parametrize("name", ["fakes", "conformance"])
def test_a_users_own_namespace_package_keeps_working(project, name):
    project.pytester.mkdir(name).joinpath("other.py").write_text("VALUE = 7")
    project.pytester.makepyfile(test_it=f"from {name} import other\n\ndef test_it(): assert other.VALUE == 7")

    assert python_m_pytest(project).returncode == 0


def test_with_agent_our_packages_are_loaded_over_a_users_own(project):
    for name in ("fakes", "conformance"):
        project.pytester.mkpydir(name)

    result = python_m_pytest(project, "--agent=mymodule:Adapter", "--collect-only", "--agent-case=*no-such*")

    assert result.returncode == 4
    assert "*no-such*: is neither a path nor the id" in result.stderr


@pytest.mark.slow
@pytest.mark.parametrize("name", ["fakes", "conformance"])
def test_a_package_that_was_first_is_one_line_with_both_paths(project, name):
    project.pytester.mkpydir(name)
    project.pytester.makepyfile(early=f"import {name}")

    result = python_m_pytest(project, "--agent=mymodule:Adapter", "-p", "early")

    assert result.returncode == 4
    (line,) = [line for line in result.stderr.splitlines() if line]
    assert line.startswith(f"ERROR: --agent needs the package `{name}` of agent-conformance, {OURS / name}, but ")
    assert str(project.path / name) in line


def test_an_adapter_whose_own_package_is_hidden_says_so(project):
    project.pytester.mkpydir("fakes").joinpath("__init__.py").write_text("Clock = 1")
    project.path.joinpath("mymodule.py").write_text("from fake_providers import Clock")

    result = python_m_pytest(project, "--agent=mymodule:Adapter")

    assert result.returncode == 4
    (line,) = [line for line in result.stderr.splitlines() if line]
    assert f"your own {project.path / 'fakes'} is hidden by {OURS / 'fakes'}" in line


def test_it_can_be_switched_off(project):
    result = project.pytester.runpytest_inprocess("-p", "no:agent-conformance", "--agent=mymodule:Adapter")

    assert result.ret == 4


def test_it_can_be_loaded_by_name_where_autoload_is_off(project, monkeypatch):
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    project.scenario("history/x")

    result = project.pytester.runpytest_inprocess(
        "-p", "pytest_agent_conformance", "-p", "stand_in", "--agent=mymodule:Adapter"
    )

    result.assert_outcomes(passed=4)


def test_syrupys_option_is_left_to_syrupy(project):
    project.scenario("history/x")
    project.pytester.makepyfile(
        like_syrupy="def pytest_addoption(parser):\n"
        "    group = parser.getgroup('syrupy')\n"
        "    group.addoption('--snapshot-update', action='store_true', default=False, dest='update_snapshots')"
    )
    project.pytester.syspathinsert()

    result = project.run("-p", "like_syrupy", "--snapshot-update")

    assert result.ret == 0
    assert project.path.joinpath("agent-snapshots/history/x.ambr").is_file()


@pytest.mark.slow
def test_snapshots_are_recorded_beside_syrupy(project):
    project.scenario("history/x")

    result = project.pytester.runpytest_subprocess("--agent=mymodule:Adapter", "-p", "stand_in", "--snapshot-update")

    result.assert_outcomes(passed=4)
    assert project.path.joinpath("agent-snapshots/history/x.ambr").is_file()


@pytest.mark.slow
def test_an_installation_inside_the_project_collects_its_corpus(project):
    """As in a wheel: the corpus lies in `conformance/agent_conformance/_scenarios`, below a folder that pytest would
    not enter.
    """
    site = project.path / ".venv/lib/site-packages"
    site.mkdir(parents=True)
    for name in ("fakes", "conformance"):
        subprocess.run(["cp", "-r", str(OURS / name), str(site)], check=True)
    site.joinpath("pytest_agent_conformance.py").write_bytes(Path(front_door.__file__).read_bytes())
    project.scenario("history/x", into=".venv/lib/site-packages/conformance/agent_conformance/_scenarios")
    project.path.joinpath("pytest.ini").write_text("[pytest]\npythonpath = .venv/lib/site-packages\n")

    result = python_m_pytest(project, "--agent=mymodule:Adapter", "--collect-only", "-q")

    assert result.returncode == 0, result.stdout + result.stderr
    assert result.stdout.splitlines()[:4] == [
        "history/x@openai-chat+plain",
        "history/x@openai-chat+stream",
        "history/x@gemini-generate+plain",
        "history/x@gemini-generate+stream",
    ]


@pytest.mark.slow
def test_an_installation_is_not_rewritten_by_pytest(project, monkeypatch):
    """pytest rewrites the assertions of every file that a plugin's distribution lists."""
    site = project.path / "site"
    site.mkdir()
    for name in ("fakes", "conformance"):
        subprocess.run(["cp", "-r", str(OURS / name), str(site)], check=True)
    site.joinpath("pytest_agent_conformance.py").write_bytes(Path(front_door.__file__).read_bytes())
    project.scenario("history/x", into="site/conformance/agent_conformance/_scenarios")
    about = site / "agent_conformance-0.1.0.dist-info"
    about.mkdir()
    about.joinpath("METADATA").write_text("Metadata-Version: 2.1\nName: agent-conformance\nVersion: 0.1.0\n")
    about.joinpath("entry_points.txt").write_text("[pytest11]\nagent-conformance = pytest_agent_conformance\n")
    files = [path.relative_to(site).as_posix() for path in site.rglob("*.py")]
    about.joinpath("RECORD").write_text("".join(f"{file},,\n" for file in files))
    project.pytester.makeconftest(
        "import sys\n\n"
        "def pytest_collection_finish():\n"
        "    ours = [module for name, module in sys.modules.items() if name.startswith(('conformance.', 'fakes.'))]\n"
        "    print({type(module.__loader__).__name__ for module in ours}, ours[-1].__file__)\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(site))

    result = python_m_pytest(project, "--agent=mymodule:Adapter", "--collect-only", "-q")

    assert f"\n{{'SourceFileLoader'}} {site}" in result.stdout, result.stdout + result.stderr


def test_only_modules_of_ours_are_found_beside_the_front_door(tmp_path):
    tmp_path.joinpath("http.py").touch()
    theirs, ours = [str(tmp_path)], [str(OURS / "fakes"), str(tmp_path)]

    assert front_door.OwnModules.find_spec("fake_providers.http", theirs) is None
    assert front_door.OwnModules.find_spec("http", None) is None
    assert front_door.OwnModules.find_spec("other.http", ours) is None
    found = front_door.OwnModules.find_spec("fake_providers.http", ours)
    assert found is not None
    assert found.origin == str(OURS / "fakes/fake_providers/http.py")


@pytest.mark.slow
def test_the_fixture_fake_provider_is_known_and_loads_the_fakes_when_used(project):
    project.pytester.makepyfile(
        "import sys\n\n"
        "def test_before(): assert 'fakes' not in sys.modules\n\n"
        "def test_use(fake_provider): assert fake_provider('openai').base_url.startswith('http://127.0.0.1')\n"
    )

    project.pytester.runpytest_subprocess().assert_outcomes(passed=2)
