"""Reads the shapes of a Converse request from the service model that botocore ships.

`./dev python -m tests.fakes.wires.bedrock_converse.service_model` writes them to the table of the wire.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import botocore
from botocore.loaders import Loader

TABLE = Path(__file__).parents[4] / "fakes/fake_providers/wires/bedrock_converse/service_model.json"
OPERATIONS = {"converse": "ConverseRequest", "converse-stream": "ConverseStreamRequest"}
KEPT = ("type", "required", "min", "max", "pattern", "enum", "union", "document")


def table() -> dict[str, Any]:
    """The constraints of every shape that a request can hold, with the version of botocore that says them."""
    shapes = Loader().load_service_model("bedrock-runtime", "service-2")["shapes"]
    names = dict.fromkeys(name for operation in OPERATIONS.values() for name in _reached(shapes, operation))
    return {
        "botocore": botocore.__version__,
        "operations": OPERATIONS,
        "shapes": {name: _shape(shapes[name]) for name in names},
    }


def _reached(shapes: dict[str, Any], name: str) -> Iterator[str]:
    """This shape and those below it, each once for each way to it: no shape of a request holds itself."""
    yield name
    for member in _below(shapes[name]).values():
        yield from _reached(shapes, member)


def _below(shape: dict[str, Any]) -> dict[str, str]:
    """The shapes of its members, without those that stand in the path."""
    members = {name: one for name, one in shape.get("members", {}).items() if "location" not in one}
    parts = {part: shape[part] for part in ("member", "key", "value") if part in shape}
    return {name: one["shape"] for name, one in {**members, **parts}.items()}


def _shape(shape: dict[str, Any]) -> dict[str, Any]:
    kept = {name: shape[name] for name in KEPT if name in shape}
    if "required" in kept:
        kept["required"] = [name for name in kept["required"] if name in _below(shape)]
    return kept | ({"members": below} if (below := _below(shape)) else {})


if __name__ == "__main__":
    TABLE.write_text(json.dumps(table(), indent=1) + "\n")
