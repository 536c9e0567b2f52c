"""What the user chose, read once from the command line and the configuration."""

import difflib
import shlex
from collections.abc import Iterable
from datetime import date
from importlib.util import find_spec
from pathlib import Path
from typing import Any, cast

import pytest
from msgspec import Struct

from agent_conformance.baseline.baseline import Baseline, Entry
from agent_conformance.machine.installation import install_command
from agent_conformance.pytest.fuzzing import FuzzLength, fuzz_length
from agent_conformance.pytest.shards import ChosenShard, shard_named
from agent_conformance.relations.scope import RELATIONS, Relation
from agent_conformance.scenario.model import MODE_NAMES, WIRE_NAMES
from agent_conformance.scenario.versions import CorpusVersion, version_named
from agent_conformance.transcripts.finding import Level, subject_of
from agent_conformance.transcripts.redaction import redacted
from agent_conformance.transcripts.transcript import TURN_TIMEOUTS
from fake_providers import PROVIDERS
from fake_providers.registry import rule_ids
from pytest_agent_conformance_options import OPTIONS

PROFILES = ("core", "hardened", "smoke", "all")
MODELS = ("default", "newest")
LEVELS = ("must", "should")
TRANSPORTS = ("process", "socket")
CUTS = ("whole", "given", "characters", "bytes")
A_DAY = 86_400.0
"""The most seconds that an option takes."""
DEFAULT_BASELINE = "agent-baseline.yaml"
DEFAULT_SNAPSHOTS = "agent-snapshots"
SNAPSHOT_UPDATE = ("update_snapshots", "snapshot_update")
"""What syrupy and pytest-snapshot call `--snapshot-update` among pytest's options."""

_PYTEST = ("-c", "--config-file", "--rootdir", "-o", "--override-ini", "-p", "--confcutdir", "--import-mode")
_FLAGS = frozenset(f"--{option.name}" for option in OPTIONS if option.action == "store_true")
"""The options that take no value."""
CARRIED = frozenset((*(f"--{option.name}" for option in OPTIONS if option.again == "case"), *_PYTEST))
"""What a command that runs one case again must repeat, when it was typed. Selection is left out: the id replaces it."""
SELECTING = frozenset(
    (*(f"--{option.name}" for option in OPTIONS if option.again == "cases"), "-k", "-m", "--deselect")
)
"""What a command that runs the same cases again must repeat besides, with the paths and ids that were typed."""


class Options(Struct, frozen=True):
    """The choices of one run; paths are absolute. `profiles` is empty where none was chosen.

    Of a `version` of the corpus only what it has counts; it is typed behind a profile, as in `core@2026.12`.
    """

    agent: str
    cases: tuple[str, ...]
    wires: tuple[str, ...]
    modes: tuple[str, ...]
    providers: tuple[str, ...]
    profiles: tuple[str, ...]
    version: CorpusVersion | None
    models: str
    open_models: bool
    level: Level
    transport: str
    cut: str
    relations: tuple[Relation, ...]
    isolate: bool
    timeout: float
    turn_limit: float
    baseline: Path
    baseline_update: bool
    accept_fewer: bool
    fuzz: FuzzLength | None
    tolerate: tuple[str, ...]
    snapshots: Path
    snapshot_update: bool
    report: Path | None
    shard: ChosenShard | None
    show: bool


def read_options(config: pytest.Config) -> Options:
    """Raises `pytest.UsageError` that names the option, its value and what is allowed."""
    return Options(
        agent=_single(config, "agent", ""),
        cases=_many(config, "agent-case", split=False),
        wires=_words(config, "agent-wire", WIRE_NAMES),
        modes=_words(config, "agent-mode", MODE_NAMES),
        providers=_words(config, "agent-provider", tuple(PROVIDERS)),
        profiles=_profiles(config),
        version=_version(config),
        models=_word(config, "agent-models", MODELS),
        open_models=bool(config.getoption("agent_open_models") or config.getini("agent_open_models")),
        level=cast(Level, _word(config, "agent-level", LEVELS)),
        transport=_word(config, "agent-transport", TRANSPORTS),
        cut=_cut(config),
        relations=_relations(config),
        isolate=bool(config.getoption("agent_isolate") or config.getini("agent_isolate")),
        timeout=(timeout := _seconds(config, "agent-timeout", 10.0)),
        turn_limit=_seconds(config, "agent-turn-limit", min(TURN_TIMEOUTS * timeout, A_DAY)),
        baseline=_baseline_path(config),
        baseline_update=_baseline_update(config),
        accept_fewer=bool(config.getoption("agent_accept_fewer")),
        fuzz=fuzz_length(length) if (length := _single(config, "agent-fuzz", "")) else None,
        tolerate=_split(config.getoption("agent_tolerate") or ()),
        snapshots=_snapshots_path(config),
        snapshot_update=_snapshot_update(config),
        report=_path(config, "agent-report", "") if _single(config, "agent-report", "") else None,
        shard=shard_named(shard) if (shard := _single(config, "agent-shard", "")) else None,
        show=bool(config.getoption("agent_show") or config.getini("agent_show")),
    )


def check_supported(options: Options, wires: tuple[str, ...], modes: tuple[str, ...]) -> None:
    """Raises `pytest.UsageError` where the agent has none of the chosen wires or modes, so that nothing could run."""
    for name, chosen, declared in (("wire", options.wires, wires), ("mode", options.modes, modes)):
        if chosen and not set(chosen) & set(declared):
            raise pytest.UsageError(f"--agent-{name}={','.join(chosen)}: this agent supports {', '.join(declared)}")


def runs_nothing(config: pytest.Config) -> bool:
    """Whether pytest prints a help and ends. A `--version` that is typed ends pytest 9 before it loads a plugin, and
    one of `addopts` is ignored by it.
    """
    of_versions = 2 if pytest.version_tuple >= (9,) else 1
    return bool(config.option.help) or config.option.version >= of_versions


def verbosity(config: pytest.Config) -> int:
    """0 where pytest runs without its terminal's plugin, which has the option."""
    return int(getattr(config.option, "verbose", 0))


def shows_whole_traces(config: pytest.Config) -> bool:
    """Whether `--tb` or `--full-trace` asks for all frames of a crash."""
    return bool(config.getoption("fulltrace", False)) or config.getoption("tbstyle", "auto") in ("long", "native")


def command(config: pytest.Config, *arguments: str) -> str:
    """A command line, quoted for a shell, that runs `arguments` with the options of this run."""
    return _command(config, CARRIED, arguments)


def command_again(config: pytest.Config, *arguments: str) -> str:
    """The command line that was typed, as far as it says which cases run and how, with `arguments` added."""
    paths = [str(path) for path in config.getoption("file_or_dir")]
    typed = [word for word in map(str, config.invocation_params.args) if word in paths]
    return _command(config, CARRIED | SELECTING, (*arguments, *dict.fromkeys(typed)))


def _command(config: pytest.Config, kept: frozenset[str], arguments: Iterable[str]) -> str:
    typed = _carried(with_relations_named([str(argument) for argument in config.invocation_params.args]), kept)
    words = [*typed, *arguments]
    is_ours = any(word.startswith("--agent-") or "@" in word for word in words)
    if config.getoption("agent") or not is_ours:  # else pytest's configuration says which
        words.insert(0, f"--agent={_single(config, 'agent', '')}")
    return redacted(" ".join(shlex.quote(word) for word in ("pytest", *words)))


def _carried(typed: list[str], names: frozenset[str]) -> list[str]:
    kept: list[str] = []
    words = iter(typed)
    for word in words:
        name = word.partition("=")[0]
        if name in names:
            kept.append(word)
            if "=" not in word and name not in _FLAGS:
                kept.extend([next(words, "")])
        elif word[:2] in names and not word.startswith("--"):
            kept.append(word)
    return kept


def _single(config: pytest.Config, name: str, default: str) -> str:
    key = name.replace("-", "_")
    return str(config.getoption(key) or config.getini(key) or default)


def _many(config: pytest.Config, name: str, *, split: bool = True) -> tuple[str, ...]:
    key = name.replace("-", "_")
    given: Iterable[Any] = config.getoption(key) or config.getini(key) or ()
    if not split:
        return tuple(str(word) for word in given)
    return _split(given)


def _split(given: Iterable[Any]) -> tuple[str, ...]:
    return tuple(part.strip() for word in given for part in str(word).split(",") if part.strip())


def _words(config: pytest.Config, name: str, allowed: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(_checked(name, word, allowed) for word in dict.fromkeys(_many(config, name)))


def _profiles(config: pytest.Config) -> tuple[str, ...]:
    names = (word.partition("@")[0] for word in _many(config, "agent-profile"))
    return tuple(dict.fromkeys(_checked("agent-profile", name, PROFILES) for name in names))


def _version(config: pytest.Config) -> CorpusVersion | None:
    """The one version of all chosen profiles. Raises `pytest.UsageError` where there are several, or no such one."""
    words = _many(config, "agent-profile")
    named = {word.partition("@")[2] for word in words}
    if len(named) > 1:
        raise pytest.UsageError(f"--agent-profile={','.join(words)}: give all profiles the same version")
    name = next(iter(named), "")
    try:
        return version_named(name) if name or any("@" in word for word in words) else None
    except LookupError as unknown:
        raise pytest.UsageError(f"--agent-profile={','.join(words)}: {unknown}") from None


def _word(config: pytest.Config, name: str, allowed: tuple[str, ...]) -> str:
    return _checked(name, _single(config, name, allowed[0]), allowed)


def _checked(name: str, word: str, allowed: tuple[str, ...]) -> str:
    if word not in allowed:
        near = difflib.get_close_matches(word, allowed, n=1)
        hint = f" Did you mean {near[0]}?" if near else ""
        raise pytest.UsageError(f"--{name}={word}: there is {', '.join(allowed)}.{hint}")
    return word


def _cut(config: pytest.Config) -> str:
    """Raises `pytest.UsageError` where what it leaves out would be missing in a file that is written."""
    cut = _single(config, "agent-cut", "")
    if cut and (_baseline_update(config) or _snapshot_update(config)):
        raise pytest.UsageError(f"--agent-cut={cut}: baselines and snapshots are of all cuts; update them without it")
    return _checked("agent-cut", cut, CUTS) if cut else ""


def _relations(config: pytest.Config) -> tuple[Relation, ...]:
    words = _words(config, "agent-relations", ("all", *RELATIONS))
    return tuple(relation for relation in RELATIONS if "all" in words or relation in words)


def with_relations_named(words: list[str]) -> list[str]:
    """What was typed, with `--agent-relations=all` where that option has no value.

    The word behind it is a path or an id, unless it is made of names of relations.
    """
    named: list[str] = []
    for word in words:
        if named and named[-1] == "--agent-relations":
            is_value = {"all", *RELATIONS}.issuperset(word.split(","))
            named[-1:] = [f"--agent-relations={word}"] if is_value else ["--agent-relations=all", word]
        else:
            named.append(word)
    return ["--agent-relations=all" if word == "--agent-relations" else word for word in named]


def _seconds(config: pytest.Config, name: str, default: float) -> float:
    key = name.replace("-", "_")
    given = config.getoption(key)
    try:
        seconds = float(given or config.getini(key) or default)
    except (ValueError, pytest.UsageError) as error:  # which one depends on the version of pytest
        given, seconds = given or str(error).rpartition(": ")[2].strip("'"), 0.0
    if not 0 < seconds <= A_DAY:
        raise pytest.UsageError(f"--{name}={given or seconds}: write seconds, a number above 0")
    return seconds


def _path(config: pytest.Config, name: str, default: str) -> Path:
    """Typed paths start from the working directory, configured ones and the default from the project's root."""
    key = name.replace("-", "_")
    typed = config.getoption(key)
    if typed:
        return config.invocation_params.dir / str(typed)
    return config.rootpath / (str(config.getini(key)) or default)


def _baseline_update(config: pytest.Config) -> bool:
    if config.getoption("agent_baseline_update"):
        return True
    return (
        bool(config.getoption("agent_baseline_create"))
        and not _path(config, "agent-baseline", DEFAULT_BASELINE).is_file()
    )


def _baseline_path(config: pytest.Config) -> Path:
    path = _path(config, "agent-baseline", DEFAULT_BASELINE)
    named = config.getoption("agent_baseline") or config.getini("agent_baseline")
    if named and not _baseline_update(config) and not path.is_file():
        raise pytest.UsageError(f"--agent-baseline={named}: no such file; --agent-baseline-update writes it")
    return path


def _snapshot_update(config: pytest.Config) -> bool:
    return any(bool(getattr(config.option, name, False)) for name in SNAPSHOT_UPDATE)


def _snapshots_path(config: pytest.Config) -> Path:
    path = _path(config, "agent-snapshots", DEFAULT_SNAPSHOTS)
    theirs = getattr(config.option, "snapshot_dirname", "__snapshots__")
    if theirs in path.parts:
        message = (
            f"--agent-snapshots={path}: syrupy deletes files that it does not know from {theirs}; name another folder"
        )
        raise pytest.UsageError(message)
    if not has_syrupy() and (_snapshot_update(config) or any(path.rglob("*.ambr"))):
        why = "--snapshot-update needs syrupy" if _snapshot_update(config) else f"comparing with {path} needs syrupy"
        raise pytest.UsageError(f"{why}: {install_command('snapshot')}")
    return path


def has_syrupy() -> bool:
    return find_spec("syrupy") is not None


def early_scenarios(config: pytest.Config) -> tuple[Path, ...]:
    """The folders and files of `--agent-scenarios`, also before the options are final. Raises `pytest.UsageError`."""
    typed = config.known_args_namespace.agent_scenarios
    if typed:
        paths = [config.invocation_params.dir / str(path) for path in typed]
    else:
        paths = [Path(path) for path in config.getini("agent_scenarios")]
    for path in paths:
        if not path.exists():
            raise pytest.UsageError(f"--agent-scenarios={path}: no such file or folder")
    return tuple(path.resolve() for path in paths)


BY_OPTION = "tolerated by --agent-tolerate"


def tolerated_rules(typed: Iterable[str], baseline: Baseline, *, today: date) -> dict[str, Entry]:
    """Each rule that is tolerated with the entry that says why; also those of the same name at other providers.

    Raises `pytest.UsageError` for a rule that no provider has, also for one whose findings the baseline only knows.
    """
    typed = [subject_of(rule).code for rule in typed]
    places = {rule: baseline.place_of(entry) for rule, entry in baseline.tolerated.items()}
    places |= {rule: baseline.place_of(entry) for rule, entry in baseline.rules.items()}
    places |= {rule: f"--agent-tolerate={rule}" for rule in typed}
    known = rule_ids() if places else frozenset()
    for rule, where in places.items():
        if rule not in known:
            raise pytest.UsageError(f"{where}: {_no_rule(rule, known)}")
    valid = {rule: entry for rule, entry in baseline.tolerated.items() if not entry.expired(today)}
    named = {rule: Entry(rule, BY_OPTION) for rule in typed} | valid
    same = {id: entry for rule, entry in named.items() for id in known if id.endswith(f"/{rule.partition('/')[2]}")}
    return same | named


def _no_rule(rule: str, known: Iterable[str]) -> str:
    """Near are rules of the same name at another provider, then those that are spelled alike."""
    name = rule.rpartition("/")[2]
    same = sorted(id for id in known if id.endswith(f"/{name}"))
    near = list(dict.fromkeys([*same, *difflib.get_close_matches(rule, sorted(known), n=3)]))[:3]
    hint = f" Did you mean {' or '.join(near)}?" if near else ""
    return f"there is no rule {rule}.{hint} `agent-conformance rules` lists them."
