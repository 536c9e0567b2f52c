"""The explanations of laws, of expectations, and of findings of the suite itself."""

from agent_conformance.explain.explanation import Explanation, Kind, Source, UnknownId
from agent_conformance.explain.places import place_of
from agent_conformance.explain.texts import Text, expectation_texts, law_texts, without_links
from agent_conformance.explain.threads import threads_of_expectation, threads_of_law
from agent_conformance.judge.laws import LAWS
from agent_conformance.record.finding import Level
from agent_conformance.record.subject import Subject

RELATIONS = ("repeat", "stream", "cuts", "wire", "names", "order")
OTHER = ("snapshot", "foreign-host", *(f"relation:{name}" for name in RELATIONS))
ADVICE = ("foreign-host", "means", "images", "relation:repeat")


def explain_law(id: str, *, finding: str = "") -> Explanation:
    """Raises `UnknownId`."""
    level = next((law.level for law in LAWS if law.id == id), None)
    if level is None:
        raise UnknownId(id)
    return _explanation(finding or id, "law", id, law_texts()[id], level=level, threads=threads_of_law(id))


def explain_expectation(subject: Subject, *, finding: str) -> Explanation:
    """Of an expectation, a relation, `snapshot` or `foreign-host`. Raises `UnknownId`."""
    kind = subject.part or subject.code
    text = expectation_texts().get(kind)
    if text is None:
        raise UnknownId(kind)
    is_advice = kind in ADVICE or subject.is_advice
    level: Level = "should" if is_advice else "must"
    is_other = kind in OTHER
    threads = () if is_other else threads_of_expectation(kind)
    return _explanation(finding, "other" if is_other else "expectation", kind, text, level=level, threads=threads)


def _explanation(
    id: str, kind: Kind, about: str, text: Text, *, level: Level, threads: tuple[Source, ...]
) -> Explanation:
    look = f"Look first at {without_links(text.look)}."
    return Explanation(
        id=id,
        kind=kind,
        about=about,
        title=without_links(text.title),
        level=level,
        demands=without_links(text.demands),
        why=text.why,
        evidence=(*(Source(source) for source in text.evidence), *threads),
        seen=(text.seen,),
        fixes=((look, *text.fixes) if text.look else text.fixes),
        reference=tuple(place_of(symbol) for symbol in text.reference),
    )
