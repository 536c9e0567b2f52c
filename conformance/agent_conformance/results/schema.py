"""The JSON Schema of `results.json`. It is committed, for those who read results in another language."""

import json
from pathlib import Path
from typing import Any

from agent_conformance.results.encoding import adapter_of
from agent_conformance.results.model import Results

PATH = Path(__file__).with_name("results.schema.json")


def results_schema() -> dict[str, Any]:
    """Of what is written: all fields are there. Others may come, with the same number of the format."""
    schema: dict[str, Any] = adapter_of(Results).json_schema(mode="serialization")
    for kind in (schema, *schema["$defs"].values()):
        kind["required"] = list(kind["properties"])
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Results of agent-conformance: results.json of --agent-report",
        **{key: value for key, value in schema.items() if key != "title"},
    }


def write_schema(path: Path = PATH) -> None:
    path.write_text(json.dumps(results_schema(), indent=2) + "\n", encoding="utf-8")
