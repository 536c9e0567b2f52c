"""A plugin for the runs under test: a session that gives the verdicts a test wrote down, and a corpus of a test's own.

Loaded with `-p stand_in`, so that a run in another process and an xdist worker have it too. `STAND_IN_HOME` is the
folder with `corpus/` and `verdicts.txt`: lines of a glob for case ids and words. `must:ID` and `should:ID` are
findings, after which `~` and a detail may follow. `error`, `crash`, `restore`, `hang` and `interrupt` are what happens,
`saw:WORD` stands in the narrative, and findings have `cut:HOW`. What follows `first:` or `second:` is of
that run alone.
"""

import os
import threading
from fnmatch import fnmatchcase
from itertools import zip_longest
from pathlib import Path

from msgspec.structs import replace

from agent_conformance.transcripts.finding import Consequence, Finding, Place, ScenarioPlace, Verdict, subject_of


def pytest_addoption():
    import agent_conformance.run.case_session
    import agent_conformance.scenario.files.selection

    agent_conformance.scenario.files.selection.bundled_scenarios = corpus
    agent_conformance.run.case_session.CaseSession = CaseSession


def corpus():
    return Path(os.environ["STAND_IN_HOME"], "corpus")


def words_for(case_id):
    lines = Path(os.environ["STAND_IN_HOME"], "verdicts.txt").read_text(encoding="utf-8").splitlines()
    found = [line.split()[1:] for line in lines if fnmatchcase(case_id.replace("[", "("), line.split()[0])]
    return found[-1] if found else []


class CaseSession:
    def __init__(self, agent, **options):
        self.agent = agent
        self.tolerated = options.get("tolerated", ())
        self.crash = None
        self.transcripts = ()
        self.has_stuck_thread = False
        self.not_undone: list[str] = []
        self.stray_exits = []

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return None

    def run(self, case):
        if case.missing:
            return Verdict(case.id, "not-verified", reason=f"needs {', '.join(sorted(case.missing))}")
        return self.verdict(case, [word.removeprefix("first:") for word in words_for(case.id)])

    def repeat(self, case):
        return self.verdict(case, [word.removeprefix("second:") for word in words_for(case.id) if word != "hang"])

    def verdict(self, case, words):
        if "error" in words:
            return Verdict(case.id, "error", reason="the fake received no request in turn 1\x1b[31m\nmore of it")
        if "crash" in words:
            raise RuntimeError("a defect of the suite")
        if "interrupt" in words:
            raise KeyboardInterrupt
        if "restore" in words:
            return Verdict(case.id, "not-verified", reason="cannot restore the history: no thinking")
        if "hang" in words:
            self.has_stuck_thread = True
            threading.Thread(target=threading.Event().wait).start()
        chosen = [word for word in words if word.startswith(("must:", "should:"))]
        findings = tuple(finding(case, word, self.tolerated) for word in chosen)
        cuts = [word.removeprefix("cut:") for word in words if word.startswith("cut:")]
        findings = tuple(
            replace(one, cut=cut) for one, cut in zip_longest(findings, cuts[: len(findings)], fillvalue="")
        )
        replies = [word.removeprefix("saw:") for word in words if word.startswith("saw:")]
        text = "\n".join(["turn 1", "  user: Hello.", *(f"  reply: {word}" for word in replies)]) + "\n"
        failed = any(one.level == "must" for one in findings)
        return Verdict(case.id, "fail" if failed else "pass", findings, narrative=text)


def finding(case, word, tolerated):
    word, _, detail = word.partition("~")
    level, _, name = word.partition(":")
    subject = subject_of(name)
    rule = subject.rule
    return Finding(
        subject,
        level,
        place=Place(1, 2, "contents[0]"),
        refused="400 Please ensure\x1b[2J that\nit \ud800 is " + "long " * 400,
        scenario=ScenarioPlace(f"scenarios/{case.file.id}.yaml", 3, 0, "https://example.org/7"),
        consequences=(Consequence(subject_of("reply"), "not reached"),),
        not_checked=("survives",),
        detail=detail.replace("_", " "),
        ends_case=bool(rule) and rule not in tolerated,
        is_tolerated=rule in tolerated,
    )
