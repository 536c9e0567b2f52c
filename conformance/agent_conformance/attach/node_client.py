"""Agents in Node: where their client is, and how a bridge to a framework is started."""

import shlex
from pathlib import Path

HERE = Path(__file__).resolve().parent


def client_folder() -> Path:
    """The npm package of the client: inside the wheel, or beside the packages in a checkout."""
    in_wheel = HERE.parent / "_clients" / "node"
    return in_wheel if in_wheel.is_dir() else HERE.parents[2] / "clients" / "node"


def bridge_command(bridge: Path) -> str:
    """The command that runs this bridge, which finds its framework in the folder that npm installed it into."""
    return shlex.join(["node", "--import", (HERE / "node_resolution.mjs").as_uri(), str(bridge)])
