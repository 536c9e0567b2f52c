"""What a runner of GitHub Actions says of itself in the environment. Knows neither results nor commands."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

RUNNER_FILES = ("GITHUB_OUTPUT", "GITHUB_ENV", "GITHUB_PATH", "GITHUB_STATE", "GITHUB_STEP_SUMMARY")
_REPOSITORY = re.compile(r"[\w.-]+/[\w.-]+")
API = "https://api.github.com"


@dataclass(frozen=True, slots=True)
class Runner:
    """Files are None where the runner names none, texts empty. `workspace` is where the repository lies."""

    workspace: Path
    output: Path | None = None
    summary: Path | None = None
    event: Path | None = None
    repository: str = ""
    api: str = API
    token: str = ""

    @property
    def pull_request(self) -> int | None:
        """The number of the pull request that the event is about."""
        event = _event(self.event)
        numbers = [event.get("pull_request"), event.get("issue") if _is_of_pull_request(event.get("issue")) else None]
        found = (one.get("number") for one in numbers if isinstance(one, dict))
        return next((number for number in found if type(number) is int and number > 0), None)


def runner_of(environment: Mapping[str, str]) -> Runner:
    repository = environment.get("GITHUB_REPOSITORY", "")
    return Runner(
        workspace=Path(environment.get("GITHUB_WORKSPACE") or Path.cwd()),
        output=_path(environment, "GITHUB_OUTPUT"),
        summary=_path(environment, "GITHUB_STEP_SUMMARY"),
        event=_path(environment, "GITHUB_EVENT_PATH"),
        repository=repository if _REPOSITORY.fullmatch(repository) else "",
        api=environment.get("GITHUB_API_URL", "").rstrip("/") or API,
        token=environment.get("GITHUB_TOKEN", ""),
    )


def environment_of_agent(environment: Mapping[str, str]) -> dict[str, str]:
    """Without the files that steer a runner, and its own tokens: an agent under test has no use for them."""
    return {
        name: value
        for name, value in environment.items()
        if name not in RUNNER_FILES and not name.startswith("ACTIONS_")
    }


def _path(environment: Mapping[str, str], name: str) -> Path | None:
    return Path(environment[name]) if environment.get(name) else None


def _event(path: Path | None) -> dict[str, Any]:
    """Empty where there is none, or none that can be read."""
    try:
        value = json.loads(path.read_bytes()) if path is not None else {}
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}


def _is_of_pull_request(issue: object) -> bool:
    return isinstance(issue, dict) and isinstance(issue.get("pull_request"), dict)
