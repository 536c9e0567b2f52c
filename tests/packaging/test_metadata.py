"""What a package index and an installation get: metadata, the page of the project, and the files."""

import re
import tarfile
import zipfile
from email.message import Message
from email.parser import Parser
from pathlib import Path

import pytest
from trove_classifiers import classifiers

from tests.packaging.pins import EXTRAS, PROJECT, ROOT

pytestmark = pytest.mark.slow

README = (ROOT / "README.md").read_text(encoding="utf-8")
FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
ENTRY = ("pytest_agent_conformance.py", "pytest_agent_conformance_options.py")
"""What pytest loads also without `--agent`."""
RELATIVE = re.compile(r"\]\((?!https?:|#)[^)]*\)")


@pytest.fixture(scope="session")
def wheel(built: Path) -> zipfile.ZipFile:
    [path] = built.glob("*.whl")
    return zipfile.ZipFile(path)


@pytest.fixture(scope="session")
def metadata(wheel: zipfile.ZipFile) -> Message:
    [name] = [name for name in wheel.namelist() if name.endswith(".dist-info/METADATA")]
    return Parser().parsestr(wheel.read(name).decode())


@pytest.fixture(scope="session")
def page(metadata: Message) -> str:
    """What the package index shows."""
    return str(metadata.get_payload())


def test_metadata_are_complete(metadata: Message) -> None:
    assert metadata["Name"] == "pytest-agent-conformance"
    assert metadata["Author"] == "agent-conformance contributors"
    assert metadata["License-Expression"] == "MIT"
    assert metadata["License-File"] == "LICENSE"
    assert metadata["Requires-Python"] == ">=3.11"
    assert metadata["Description-Content-Type"] == "text/markdown"
    assert "pytest" in metadata["Keywords"].split(",")
    assert set(metadata.get_all("Provides-Extra")) == EXTRAS.keys()


def test_classifiers_exist_and_name_every_python(metadata: Message) -> None:
    given = metadata.get_all("Classifier")

    assert set(given) <= classifiers
    assert {"Framework :: Pytest", "Typing :: Typed"} <= set(given)
    assert [one.rpartition(" ")[2] for one in given if "Python :: 3." in one] == ["3.11", "3.12", "3.13"]


def test_page_has_no_link_that_leads_nowhere(page: str) -> None:
    assert RELATIVE.findall(FENCE.sub("", page)) == []


def test_page_says_what_the_readme_says(page: str) -> None:
    assert FENCE.findall(page) == FENCE.findall(README)
    assert page.count("\n#") == README.count("\n#")
    for path in re.findall(r"\]\((?!https?:)([^)#\s]+)", FENCE.sub("", README)):
        assert path in page


def test_addresses_are_one(page: str) -> None:
    """With a public address, the page's links to files go there; without one, none is made up."""
    repository = PROJECT["project"].get("urls", {}).get("Repository")
    replacements = PROJECT["tool"]["hatch"]["metadata"]["hooks"]["fancy-pypi-readme"]["substitutions"][-2:]

    assert all(("://" in one["replacement"]) == bool(repository) for one in replacements)
    assert all(not repository or f"{repository}/blob/main/" in one["replacement"] for one in replacements)


def test_wheel_has_what_a_run_reads(wheel: zipfile.ZipFile) -> None:
    names = set(wheel.namelist())

    assert {*ENTRY, "agent_conformance/py.typed", "fake_providers/py.typed"} <= names
    for folder in ("conformance/agent_conformance", "fakes/fake_providers"):
        root = (ROOT / folder).parent
        ours = {f"{path.relative_to(root)}" for path in (ROOT / folder).rglob("*") if path.is_file()}
        assert {name for name in ours if "__pycache__" not in name} <= names
    scenarios = {path.relative_to(ROOT / "scenarios") for path in (ROOT / "scenarios").rglob("*.yaml")}
    assert {f"agent_conformance/_scenarios/{path}" for path in scenarios} <= names


def test_wheel_has_the_client_for_node_without_its_tests(wheel: zipfile.ZipFile) -> None:
    inside = "agent_conformance/_clients/node"
    files = {name.removeprefix(f"{inside}/") for name in wheel.namelist() if name.startswith(f"{inside}/")}

    sources = {f"src/{path.name}" for path in (ROOT / "clients/node/src").glob("*.mjs")}
    assert files == {"package.json", "README.md", *sources}
    assert "agent_conformance/attach/node_resolution.mjs" in wheel.namelist()


def test_paths_of_the_wheel_are_short_enough_below_any_folder(wheel: zipfile.ZipFile) -> None:
    """Windows allows 259 characters, of which an environment takes some hundred, and ignores case."""
    names = wheel.namelist()

    assert [name for name in names if len(name) > 120] == []
    assert len({name.casefold() for name in names}) == len(names)


def test_wheel_takes_no_other_name_at_the_top(wheel: zipfile.ZipFile) -> None:
    tops = {name.partition("/")[0] for name in wheel.namelist()}

    assert {top for top in tops if not top.endswith(".dist-info")} == {
        "agent_conformance", "fake_providers", *ENTRY,
    }  # fmt: skip


def test_source_distribution_has_what_the_two_commands_read(built: Path) -> None:
    [path] = built.glob("*.tar.gz")
    with tarfile.open(path) as sources:
        names = {name.partition("/")[2] for name in sources.getnames()}

    assert {"dev", "README.md", "mkdocs.yml", "constraints/dev.txt", "constraints/renew", ".ci/run"} <= names
    assert any(name.startswith("tests/packaging/") for name in names)
    assert "clients/node/test/serve.test.mjs" in names
