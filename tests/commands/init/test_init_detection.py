"""What kind of agent `init` finds in a project, and what it says of why."""

import pytest

from tests.commands.init.project import Project

POETRY = '[tool.poetry]\nname = "shop"\n[tool.poetry.group.ai.dependencies]\nanthropic = "^2"\n'
GROUP = '[project]\nname = "shop"\n[dependency-groups]\nai = ["pydantic-ai-slim[google]>=2"]\n'

DETECTED = {
    "--for openai: pyproject.toml has openai": {"pyproject.toml": '[project]\ndependencies = ["OpenAI>=1"]\n'},
    "--for anthropic: pyproject.toml has anthropic": {"pyproject.toml": POETRY},
    "--for pydantic-ai: pyproject.toml has pydantic-ai-slim": {"pyproject.toml": GROUP},
    "--for google-genai: requirements.txt has google-genai": {"requirements.txt": "# x\ngoogle_genai==2  # y\n"},
    "--for langchain: requirements/base.txt has langgraph": {"requirements/base.txt": "openai\nlanggraph[a]\n"},
    "--for openai: uv.lock has openai": {"uv.lock": '[[package]]\nname = "openai"\nversion = "3"\n'},
    "--for anthropic: imported in shop/agent.py": {
        "shop/agent.py": "import anthropic\n",
        "requirements.txt": "openai\n",
    },
    "--for openai: imported in a.py and 1 more; there is anthropic too": {
        "a.py": "from openai import OpenAI\n",
        "b.py": "    import openai\nimport anthropic\n",
    },
    "--for langchain: imported in a.py": {"a.py": "from langchain_openai import ChatOpenAI\nimport openai\n"},
    "--for google-genai: imported in a.py": {"a.py": "from google import genai\n"},
    "--for strands: pyproject.toml has strands-agents": {
        "pyproject.toml": '[project]\ndependencies = ["strands-agents"]\n'
    },
    "--for boto3: imported in a.py": {"a.py": 'import boto3\nmodel = boto3.client("bedrock-runtime")\n'},
    "--for http: requirements.txt has flask, and nothing that calls a model": {
        "requirements.txt": "boto3\nflask\n",
        "a.py": 'import boto3\nfiles = boto3.client("s3")\n',
    },
    "--for http: requirements.txt has fastapi, and nothing that calls a model": {"requirements.txt": "fastapi\n"},
    "--for openai: requirements.txt has openai": {"requirements.txt": "fastapi\nopenai\n"},
    "--for node: there is a package.json": {"package.json": '{"dependencies": {"openai": "6"}}'},
    "--for cmd: go.mod: the agent is written in Go": {"go.mod": "module shop\n"},
    "--for openai: nothing here says which API the agent calls, and this is the most common one": {
        "tests/test_a.py": "import anthropic\n",
        ".venv/lib/a.py": "import anthropic\n",
        "env/pyvenv.cfg": "",
        "env/a.py": "import anthropic\n",
        "note.py": "'import anthropic'\n",
    },
}


@pytest.mark.parametrize("said", DETECTED)
def test_kind_is_detected(project: Project, said: str) -> None:
    for path, text in DETECTED[said].items():
        project.write(path, text)

    assert project.init()[0] == said
    assert project.init()[0] == said  # what the first run wrote is no evidence


def test_kind_that_is_named_is_taken(project: Project) -> None:
    project.write("requirements.txt", "openai\n")

    assert project.init("--for", "anthropic")[0] == "--for anthropic: as --for says"


@pytest.mark.parametrize(
    ("kind", "files", "wire"),
    [
        ("langchain", {"requirements.txt": "langchain\nlangchain-anthropic\n"}, "anthropic-messages"),
        ("langchain", {"a.py": 'import langchain\nm = init_chat_model("google_genai:gemini-3")\n'}, "gemini-generate"),
        ("langchain", {"requirements.txt": "langchain\n"}, "openai-chat"),
        ("pydantic-ai", {"requirements.txt": "pydantic-ai-slim[anthropic]\n"}, "anthropic-messages"),
        ("pydantic-ai", {"a.py": "import pydantic_ai\nagent = Agent('google-gla:gemini-3')\n"}, "gemini-generate"),
        ("pydantic-ai", {"a.py": "from pydantic_ai.models.openai import OpenAIChatModel\n"}, "openai-chat"),
    ],
)
def test_framework_is_set_up_for_the_models_it_uses(
    project: Project, kind: str, files: dict[str, str], wire: str
) -> None:
    for path, text in files.items():
        project.write(path, text)

    assert project.init()[0].startswith(f"--for {kind}: ")
    assert f'wires = ("{wire}",)' in project.read("agent_adapter.py")


@pytest.mark.parametrize(
    ("files", "package"),
    [
        ({"src/shop/__init__.py": "", "src/shop/agent.py": ""}, "shop"),
        (
            {"pyproject.toml": '[project]\nname = "my-shop"\n', "my_shop/__init__.py": "", "a/__init__.py": ""},
            "my_shop",
        ),
        ({"src/shop/agent.py": "", "app/__init__.py": ""}, "shop"),
        ({"scripts/a.py": "", "shop/agent.py": "", "z.py": ""}, "shop"),
        ({"shop.py": "", "tests/__init__.py": ""}, "shop"),
        ({}, "my_agent"),
    ],
)
def test_adapter_names_the_package_to_import(project: Project, files: dict[str, str], package: str) -> None:
    for path, text in files.items():
        project.write(path, text)
    project.init("--for", "openai")

    assert f"# from {package} import Agent\n" in project.read("agent_adapter.py")


def test_node_adapter_names_the_main_file(project: Project) -> None:
    project.write("package.json", '{"main": "./lib/index.mjs"}')
    project.init()

    assert "// import { Agent } from './lib/index.mjs'\n" in project.read("agent_adapter.mjs")


@pytest.mark.parametrize("name", ["pyproject.toml", "package.json"])
def test_file_that_cannot_be_read_stops_before_anything_is_written(project: Project, name: str) -> None:
    from agent_conformance.commands.main import main

    project.write(name, "[project\n")

    assert main(["init"]) == 1
    assert f"{name}: is not " in project.capsys.readouterr().err
    assert list(project.files()) == [name]
