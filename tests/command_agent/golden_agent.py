"""The agent's side of one golden transcript, as `golden_agent.py FILE FOLDER`: says its lines, compares the suite's.

Each process takes the next part of the transcript, which begins with a hello of the suite's; FOLDER counts them.
"""

import json
import sys
from pathlib import Path
from typing import Any

Entry = dict[str, Any]


def entries_of(path: Path) -> list[Entry]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def processes_of(entries: list[Entry]) -> list[list[tuple[int, Entry]]]:
    """The numbered lines of each process, in order."""
    processes: list[list[tuple[int, Entry]]] = []
    for number, entry in enumerate(entries, 1):
        if entry.get("suite", {}).get("type") == "hello":
            processes.append([])
        processes[-1].append((number, entry))
    return processes


def difference(golden: Any, said: Any, place: str = "") -> str | None:
    """Where what is said lacks or changes something of the golden message; new fields are no difference."""
    if isinstance(golden, dict) and isinstance(said, dict):
        for name, value in golden.items():
            if name not in said:
                return f"{place}.{name} is missing"
            if found := difference(value, said[name], f"{place}.{name}"):
                return found
        return None
    if isinstance(golden, list) and isinstance(said, list) and len(golden) == len(said):
        pairs = enumerate(zip(golden, said, strict=True))
        return next((found for i, (a, b) in pairs if (found := difference(a, b, f"{place}[{i}]"))), None)
    same = golden == said and type(golden) is type(said)
    return None if same else f"{place} was {json.dumps(golden)} and is {json.dumps(said)}"


def replay(path: Path, folder: Path) -> None:
    turn = len(list(folder.iterdir()))
    (folder / f"{turn}").touch()
    sessions: dict[str, str] = {}  # the golden names, and today's
    lines = processes_of(entries_of(path))[turn]
    last = max(number for number, entry in lines if "suite" in entry)
    for number, entry in lines:
        if "agent" in entry:
            said = dict(entry["agent"])
            if "session" in said:
                said["session"] = sessions.get(said["session"], said["session"])
            print(json.dumps(said), flush=True)
        elif "suite" in entry:
            golden = dict(entry["suite"])
            said = json.loads(sys.stdin.readline() or "{}")
            if golden["type"] == "open" and "session" in said:
                sessions[golden["session"]] = said["session"]
            if "session" in golden:
                golden["session"] = sessions[golden["session"]]
            if found := difference(golden, said):
                sys.exit(f"{path.name}:{number}: {golden['type']}{found}")
            if number == last:
                (folder / f"{turn}").write_text("to the end")


if __name__ == "__main__":
    replay(Path(sys.argv[1]), Path(sys.argv[2]))
