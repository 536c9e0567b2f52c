"""The options of the suite, as rows. Imports nothing of the project: every pytest run reads them, also without
`--agent`.
"""

from typing import Literal, NamedTuple


class Option(NamedTuple):
    """One option, and the key of the configuration with `_` for `-`.

    `action` is argparse's, `ini_type` the type of the key; it is empty for what would hide findings from every run, and
    so has to be typed. `again`: whether a printed command repeats it that runs one `case` again, or only one that runs
    the same `cases`; `no` command does. `--agent` stands in each. A `rare` one is explained at its key in
    `pytest --help`, and not among the options, which are those of a first week.
    """

    name: str
    action: str
    ini_type: str
    placeholder: str
    help: str
    again: Literal["case", "cases", "no"]
    rare: bool = False


OPTIONS: tuple[Option, ...] = (
    Option(
        "agent",
        "store",
        "string",
        "SPEC",
        "the agent: module:Adapter, path/to/file.py:Adapter, cmd:COMMAND, acp:COMMAND, @agent.toml, or a name of "
        "`agent-conformance agents`",
        "no",
    ),
    Option(
        "agent-scenarios",
        "append",
        "paths",
        "PATH",
        "more scenarios or cassettes: a folder or a file (repeatable)",
        "case",
    ),
    Option(
        "agent-case",
        "append",
        "args",
        "ID",
        "run these cases: an id of a case, example, scenario or area; * and ? match",
        "cases",
        rare=True,
    ),
    Option("agent-wire", "append", "args", "WIRE", "run these wires only (repeatable, or with commas)", "cases"),
    Option("agent-mode", "append", "args", "MODE", "run cases of this mode only: plain, or stream", "cases", rare=True),
    Option(
        "agent-provider", "append", "args", "NAME", "run these providers instead of each wire's own", "case", rare=True
    ),
    Option(
        "agent-profile",
        "append",
        "args",
        "NAME",
        "core, hardened (default: both), all: each example too, or smoke: twenty cases; core@2026.12: that version",
        "case",
    ),
    Option(
        "agent-models",
        "store",
        "string",
        "WHICH",
        "default, or newest: of each wire, where a scenario names no model",
        "case",
        rare=True,
    ),
    Option(
        "agent-open-models",
        "store_true",
        "bool",
        "",
        "servers of open models are behind the agent, as with its feature open-models",
        "case",
        rare=True,
    ),
    Option(
        "agent-level",
        "store",
        "string",
        "LEVEL",
        "what fails: must (default), or should, which fails advice too",
        "case",
        rare=True,
    ),
    Option(
        "agent-transport",
        "store",
        "string",
        "HOW",
        "process (default): httpx and httpx2 are answered in process; or socket",
        "case",
        rare=True,
    ),
    Option(
        "agent-cut",
        "store",
        "string",
        "HOW",
        "cut texts that look like calls in one way: whole, given, characters, bytes",
        "case",
        rare=True,
    ),
    Option(
        "agent-relations",
        "append",
        "args",
        "NAMES",
        "run each case again under changes that must not matter: all, or some of repeat, stream, cuts, wire, "
        "names, order",
        "case",
        rare=True,
    ),
    Option("agent-isolate", "store_true", "bool", "", "run an agent in Python in a process of its own", "case"),
    Option("agent-timeout", "store", "float", "SECONDS", "a turn may be silent this long (default 10)", "case"),
    Option(
        "agent-turn-limit",
        "store",
        "float",
        "SECONDS",
        "a turn may last this long, whatever the agent does in it (default 12 times --agent-timeout)",
        "case",
        rare=True,
    ),
    Option(
        "agent-baseline",
        "store",
        "string",
        "FILE",
        "known findings (default agent-baseline.yaml of the project)",
        "case",
        rare=True,
    ),
    Option("agent-baseline-update", "store_true", "", "", "write today's findings into the baseline", "no"),
    Option(
        "agent-baseline-create",
        "store_true",
        "",
        "",
        "write the baseline if there is none, as the first run in CI",
        "no",
    ),
    Option(
        "agent-fuzz",
        "store",
        "string",
        "LENGTH",
        "then try made-up conversations: for 30s or 5m, or so many, such as 200; `,seed=7` behind it repeats a search",
        "no",
        rare=True,
    ),
    Option(
        "agent-accept-fewer",
        "store_true",
        "",
        "",
        "do not fail because fewer features, wires, modes or cases are judged than when the baseline was written",
        "no",
        rare=True,
    ),
    Option(
        "agent-tolerate",
        "append",
        "",
        "RULE",
        "accept what breaks this rule of a provider, count it as known, and judge what follows (repeatable)",
        "case",
        rare=True,
    ),
    Option(
        "agent-snapshots",
        "store",
        "string",
        "DIR",
        "snapshots (default agent-snapshots of the project)",
        "case",
        rare=True,
    ),
    Option("agent-shard", "store", "string", "N/M", "run this part of the cases, such as 1/3", "no", rare=True),
    Option(
        "agent-show",
        "store_true",
        "bool",
        "",
        "print the transcript of each case that runs, passing or failing; with -vv its requests and responses too",
        "no",
    ),
    Option("agent-report", "store", "string", "DIR", "write the results into this folder: results.json and more", "no"),
)

BARE = {"agent-relations": "all"}
"""What an option means that is typed without a value."""
