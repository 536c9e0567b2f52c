"""How an entry of a baseline is written, and what is wrong with one. Only a run with a baseline loads this."""

from collections.abc import Callable, Mapping
from datetime import date
from typing import Annotated, Any

from msgspec import Meta, ValidationError

from agent_conformance.scenario.base_model import Strict
from agent_conformance.scenario.files import is_glob
from agent_conformance.scenario.yaml_files import Problem, described, did_you_mean, listed
from agent_conformance.scenario.yaml_files.validation_messages import Flaw, flaws_in
from agent_conformance.transcripts.finding import LAW_IDS

_RULE = r"^[^\s/#]+/[^\s#]+$"


class _Reason(Strict, frozen=True, kw_only=True):
    reason: Annotated[str, Meta(pattern=r"\S")]
    thread: str | None = None
    owner: str | None = None
    until: date | None = None


class _Flaky(_Reason, frozen=True, kw_only=True):
    """An entry whose findings may come and go."""

    flaky: bool = False


class _Fields(_Flaky, frozen=True, kw_only=True):
    finding: Annotated[str, Meta(pattern=r"^[^\s#]+@[^\s#]+\+[^\s#]+#\S.*$")]

    @property
    def key(self) -> str:
        return self.finding


class _Wide(_Flaky, frozen=True, kw_only=True):
    until: date


class _Pattern(_Wide, frozen=True, kw_only=True):
    finding: Annotated[str, Meta(pattern=r"^[^\s#]+#\S+$")]

    @property
    def key(self) -> str:
        return self.finding


class _Law(_Wide, frozen=True, kw_only=True):
    law: Annotated[str, Meta(pattern=r"^[a-z][a-z-]*$")]

    @property
    def key(self) -> str:
        return f"law {self.law}"


class _Area(_Wide, frozen=True, kw_only=True):
    area: Annotated[str, Meta(pattern=r"^[^\s#@*?]+$")]

    @property
    def key(self) -> str:
        return f"area {self.area}"


class _Tolerated(_Reason, frozen=True, kw_only=True):
    tolerate: Annotated[str, Meta(pattern=_RULE)]

    @property
    def key(self) -> str:
        return self.tolerate


class _Rule(_Reason, frozen=True, kw_only=True):
    rule: Annotated[str, Meta(pattern=_RULE)]

    @property
    def key(self) -> str:
        return self.rule


_AnyFields = _Fields | _Pattern | _Law | _Area | _Tolerated | _Rule
KINDS: Mapping[str, type[_AnyFields]] = {
    "finding": _Fields,
    "rule": _Rule,
    "tolerate": _Tolerated,
    "law": _Law,
    "area": _Area,
}
"""What an entry is about: each has one of these fields."""


def kind_of(entry: _AnyFields) -> str:
    """What the entry is about: a `finding`, a `rule`, one that is tolerated, or many findings: `wide`."""
    return next((kind for kind in ("finding", "rule", "tolerate") if isinstance(entry, KINDS[kind])), "wide")


def checked_entry(value: Any, line_of: Callable[[str], int], file: str) -> _AnyFields | list[Problem]:
    """The entry, or what is wrong with it. `line_of` has the line of a field."""
    if not isinstance(value, dict):
        return [
            Problem(file, line_of(""), f"an entry has the fields `finding` and `reason`; here is {described(value)}.")
        ]
    given = [kind for kind in KINDS if kind in value]
    if len(given) != 1:
        return [Problem(file, line_of(given[-1] if given else ""), _kinds_given(given))]
    fields = _Pattern if given[0] == "finding" and is_glob(str(value["finding"])) else KINDS[given[0]]
    try:
        checked = fields.read(value)
    except ValidationError:
        return [_problem(value, flaw, line_of, file) for flaw in flaws_in(value, fields)]
    if isinstance(checked, _Law) and checked.law not in LAW_IDS:
        near = did_you_mean(checked.law, sorted(LAW_IDS))
        return [Problem(file, line_of("law"), f"there is no law {checked.law}.{near} docs/laws.md lists them.")]
    if isinstance(checked, _Flaky) and checked.flaky and checked.until is None:
        return [Problem(file, line_of("flaky"), f"`until` is missing.{_WHY_REQUIRED['flaky']}")]
    return checked


def _kinds_given(given: list[str]) -> str:
    if not given:
        return "`finding` is missing. An entry has that, `law`, `area`, or `rule` or `tolerate` with the id of a rule."
    return f"`{given[-1]}` is given beside `{given[0]}`. Write two entries."


def _problem(value: dict[str, Any], flaw: Flaw, line_of: Callable[[str], int], file: str) -> Problem:
    field = str(flaw.path[0])
    known = [*KINDS, *_Flaky.__struct_fields__]
    if field == "flaky" and flaw.kind == "unknown":
        message = "`flaky` is for entries about findings: with `rule` and `tolerate` they may stay away anyway."
    elif field == "issue":
        message = "`issue` is now called `thread`."
    elif flaw.kind == "unknown":
        message = f"`{field}` is no field of an entry; there are {listed(known)}.{did_you_mean(field, known)}"
    elif flaw.kind == "missing":
        why = _WHY_REQUIRED.get(field, "")
        message = f"`{field}` is missing.{why}"
    elif field == "finding":
        message = f"`finding` is {described(value[field])}; expected <case id>#<finding id>, as a failure prints it."
    elif field == "law":
        message = f"`law` is {described(value[field])}; expected the name of a law, such as no-protocol-text."
    elif field == "area":
        message = f"`area` is {described(value[field])}; expected an area of scenarios, such as pseudo-calls."
    elif field in KINDS:
        message = f"`{field}` is {described(value[field])}; expected the id of a rule, such as openai/tools-empty."
    elif field == "flaky":
        message = f"`flaky` is {described(value[field])}; expected true, or no such line."
    elif field == "until":
        message = f"`until` is {described(value[field])}; expected a date, such as 2027-03-31."
    else:
        message = f"`{field}` is {described(value[field])}; expected a text that says something."
    return Problem(file, line_of(field), message)


_WHY_REQUIRED = {
    "flaky": " A flaky entry is not stale where nothing occurs: give the last day, such as 2027-03-31.",
    "reason": " Say why this is known, for those who read it next.",
    "until": " An entry about many findings also hides new ones: give the last day, such as 2027-03-31.",
}
