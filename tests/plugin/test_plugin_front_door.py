"""Starting: without `--agent` nothing of ours is loaded, and a project may call its own packages as it likes."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import fake_providers
import pytest_agent_conformance as front_door
from pytest_agent_conformance import GROUP
from pytest_agent_conformance_options import OPTIONS
from tests.patience import PATIENCE

pytest_plugins = ["pytester"]

OURS = Path(front_door.__file__).parent

NOTHING_LOADED = """
import sys

def test_nothing_of_the_suite_is_loaded():
    assert [name for name in sys.modules if name.split(".")[0] in ("fake_providers", "agent_conformance")] == []
"""


def python_m_pytest(project, *args):
    """As users with packages of their own run it: the working directory comes first on the path."""
    plugins = ("-p", "no:hypothesispytest", "-p", "no:anyio", "-p", "no:respx", "-p", "no:cacheprovider")
    command = [sys.executable, "-m", "pytest", *plugins, *args]
    return subprocess.run(command, check=False, cwd=project.path, capture_output=True, text=True, timeout=PATIENCE)


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
    for option in OPTIONS:
        assert (f"{option.name.replace('-', '_')} (" in result.stdout.str()) is bool(option.ini_type)
    assert "--snapshot-update" in result.stdout.str()


def test_help_without_agent_lists_what_a_first_week_needs_and_loads_nothing(project):
    project.pytester.makeconftest(
        "import sys\n\ndef pytest_unconfigure():\n"
        "    ours = ('fake_providers', 'agent_conformance')\n"
        "    print('LOADED', [name for name in sys.modules if name.split('.')[0] in ours])\n"
    )

    result = project.pytester.runpytest_subprocess("--help", "-p", "no:syrupy")

    ours = result.stdout.str().partition(f"\n{GROUP}:\n")[2].partition("\n\n")[0]
    listed = [line.split()[0].partition("=")[0] for line in ours.splitlines() if line.startswith("  --")]
    common = [f"--{option.name}" for option in OPTIONS if not option.rare]
    assert listed == [*common, "--snapshot-update"]
    assert len(common) == 10
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


OWN_PACKAGES = """
import scenarios, conformance, fakes.shop
import tests.fakes as helpers

assert (conformance.OWN, fakes.OWN, scenarios.OWN, helpers.OWN, fakes.shop.SOLD) == (1, 2, 3, 4, 5)
"""


@pytest.fixture
def shop(project):
    """A project with packages of common names, and an adapter that imports them all."""
    for number, name in enumerate(("conformance", "fakes", "scenarios"), 1):
        project.pytester.mkpydir(name).joinpath("__init__.py").write_text(f"OWN = {number}")
    project.path.joinpath("fakes", "shop.py").write_text("SOLD = 5")
    project.pytester.mkpydir("tests").joinpath("fakes.py").write_text("OWN = 4")
    adapter = project.path / "mymodule.py"
    adapter.write_text(OWN_PACKAGES + adapter.read_text())
    project.scenario("history/x")
    return project


@pytest.mark.slow
@pytest.mark.parametrize("how", [(), ("--agent-isolate",), ("-n", "2")], ids=["in-process", "isolated", "workers"])
def test_a_project_has_packages_of_common_names(shop, how):
    result = python_m_pytest(shop, "-p", "stand_in", "--agent=mymodule:Adapter", "--agent-scenarios=scenarios", *how)

    assert "4 cases: 4 passed" in result.stdout, result.stdout + result.stderr


@pytest.mark.slow
def test_its_unit_tests_have_the_fixture_beside_them(shop):
    shop.path.joinpath("tests", "test_unit.py").write_text(
        f"{OWN_PACKAGES}\ndef test_it(fake_provider): assert fake_provider('openai', replies=[]).base_url"
    )

    result = python_m_pytest(shop, "tests")

    assert "1 passed" in result.stdout, result.stdout + result.stderr


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
    """As in a wheel: the corpus lies in `agent_conformance/_scenarios`, below a folder that pytest would not enter."""
    site = project.path / ".venv/lib/site-packages"
    site.mkdir(parents=True)
    for package in (OURS / "agent_conformance", Path(fake_providers.__file__).parent):
        shutil.copytree(package, site / package.name)
    for module in OURS.glob("pytest_agent_conformance*.py"):
        shutil.copy(module, site)
    project.scenario("history/x", into=".venv/lib/site-packages/agent_conformance/_scenarios")
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
def test_the_fixture_fake_provider_is_known_and_loads_the_fakes_when_used(project):
    project.pytester.makepyfile(
        "import sys\n\n"
        "def test_before(): assert 'fake_providers' not in sys.modules\n\n"
        "def test_use(fake_provider): assert fake_provider('openai').base_url.startswith('http://127.0.0.1')\n"
    )

    project.pytester.runpytest_subprocess().assert_outcomes(passed=2)


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        ("from fakes import Reply", "E   fakes is called fake_providers now"),
        ("import conformance.reference", "E   conformance is called agent_conformance now"),
    ],
)
def test_test_module_that_imports_a_former_name_is_told_the_name_of_today(project, line, hint):
    project.pytester.makepyfile(test_it=f"{line}\n\ndef test_it(): pass\n")

    result = project.pytester.runpytest_subprocess("-p", "no:cacheprovider")

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([f"{hint}*"])


def test_test_module_that_lacks_another_package_is_told_nothing_more(project):
    project.pytester.makepyfile(test_it="import not_installed\n")

    result = project.pytester.runpytest_subprocess("-p", "no:cacheprovider")

    result.assert_outcomes(errors=1)
    result.stdout.no_fnmatch_line("*is called*")


def test_former_name_of_a_package_is_that_of_a_package_of_todays_project(project):
    project.pytester.mkpydir("fakes")
    project.pytester.makepyfile(test_it="from fakes import Reply\n")

    result = project.pytester.runpytest_subprocess("-p", "no:cacheprovider")

    result.assert_outcomes(errors=1)
    result.stdout.no_fnmatch_line("*is called*")


INSTALLED = 'import pytest; pytest.register_assert_rewrite("agent_conformance", "fake_providers")'
"""What pytest does by itself for the distribution of a plugin that is not installed as editable."""


def test_of_a_run_the_asserts_of_tests_alone_are_rewritten(project):
    project.pytester.makepyfile(
        installed=INSTALLED,
        test_it="""
        import sys

        def test_what_pytest_has_loaded():
            ours = ("agent_conformance", "fake_providers")
            named = [module for name, module in sys.modules.items() if name.partition(".")[0] in ours]
            loaded = [module for module in named if module.__file__]  # a folder has no code of its own
            assert [module for module in loaded if type(module.__loader__).__name__ != "SourceFileLoader"] == []
            assert type(__loader__).__name__ == "AssertionRewritingHook"
        """,
    )
    result = project.pytester.runpytest_subprocess(
        "-W", "error", "-p", "installed", "--agent=mymodule:Adapter", "test_it.py"
    )

    result.assert_outcomes(passed=1)


@pytest.mark.parametrize("package", ["agent_conformance", "fake_providers"])
def test_package_that_was_imported_before_pytest_brings_no_warning(project, package):
    project.pytester.makepyfile(installed=INSTALLED, test_it="def test_it(): pass")
    program = f"import {package}, pytest; raise SystemExit(pytest.main(['-W', 'error', '-p', 'installed']))"
    command = [sys.executable, "-c", program]

    ended = subprocess.run(command, check=False, cwd=project.path, capture_output=True, text=True, timeout=PATIENCE)

    assert ended.returncode == 0, ended.stdout + ended.stderr
