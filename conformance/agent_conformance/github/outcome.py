"""What the action hands on: its outputs, and whether the job fails. Knows results."""

from typing import Literal, get_args

from agent_conformance.results.model import Results

FailOn = Literal["findings", "errors", "nothing"]
FAIL_ON: tuple[FailOn, ...] = get_args(FailOn)
"""`errors` lets findings pass, and what keeps a run from judging fails; `nothing` lets both pass."""

ONLY_FINDINGS = 1
"""pytest's exit code where there are findings and nothing else."""


def outputs_of(results: Results | None) -> dict[str, int]:
    """Numbers of cases. All are 0 where there are no results."""
    counts = results.counts if results is not None else {}
    return {
        "passed": counts.get("pass", 0),
        "failed": counts.get("fail", 0) + counts.get("stale", 0),
        "known": counts.get("known", 0),
        "not-verified": counts.get("not-verified", 0),
        "errors": counts.get("error", 0),
    }


UNJUDGED = 3
"""pytest's exit code where an error kept the run from judging."""


def judged_exit_code(code: int, results: Results | None) -> int:
    """The exit code of a run whose process ended with this one, which an agent in that process may have chosen.

    It is not below that in the results. A run that has not written at its end how it ended is not judged.
    """
    written = None if results is None else results.exit_code
    return max(code, written) if written is not None else code or UNJUDGED


def exit_code_of_job(code: int, fail_on: FailOn) -> int:
    """From the exit code of the run."""
    if fail_on == "nothing" or (fail_on == "errors" and code == ONLY_FINDINGS):
        return 0
    return code


def reason_of_end(code: int, fail_on: FailOn) -> str:
    """Why the job fails, or passes all the same; empty where there is nothing to say."""
    if code == 0:
        return ""
    what = (
        "there are new findings"
        if code == ONLY_FINDINGS
        else f"the run ended with exit code {code}, and judged not all"
    )
    return f"{what}; fail-on is `{fail_on}`"
