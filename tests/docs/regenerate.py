"""Writes what is generated into the repository as it is now: `./dev python -m tests.docs.regenerate --help`.

An output with a line `...` was shortened by hand, and one that shows a failure of the suite itself belongs in no
document: these are only reported.
"""

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from agent_conformance.commands.rules import page
from agent_conformance.commands.serve.control import write_interface
from agent_conformance.explain import all_rules
from agent_conformance.report_data.encoding import write_schema as write_schema_of_results
from tests.docs.documents import DOCUMENTS, ROOT, name_of
from tests.docs.figures import with_figures
from tests.docs.projects import MANY_LINES, run_document
from tests.fakes import refusals_of_changes, refusals_of_rules, verdicts_of_places, whole_answers
from tests.fakes.transport import raw_exchanges
from tests.mutants import findings_of_mutants
from tools import historic_bugs
from tools.schema_of_scenarios import write_schema

FAILURES = ("Traceback (most recent call last)", "error (not the agent)", "INTERNALERROR", "= ERRORS =")
IN_MINUTES = {
    "rules": (refusals_of_rules, refusals_of_changes, verdicts_of_places, whole_answers, raw_exchanges),
    "mutants": (findings_of_mutants,),
}


def main(arguments: Sequence[str] | None = None) -> int:
    options = parse(arguments)
    write_in_seconds()
    for figures, writers in IN_MINUTES.items():
        if options.figures in (figures, "all"):
            for written in writers:
                written.write()
    outputs = [write_outputs(document) for document in options.documents]
    return 0 if all(outputs) else 1


def write_in_seconds() -> None:
    write_schema(ROOT / "scenarios" / "scenario.schema.json")
    write_schema_of_results()
    write_interface(ROOT / "docs" / "serve.openapi.json")
    historic_bugs.write()
    (ROOT / "fakes" / "RULES.md").write_text("\n".join(page(list(all_rules()))), encoding="utf-8")
    for document in DOCUMENTS:
        write_figures(document)


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description="Write the schemas of scenarios and results, fakes/RULES.md and the figures in the documents, in"
        " seconds; the refusals of all rules, whole answers and the findings about historic bugs, in minutes; then run"
        " the commands that the documents show, and write their outputs, in minutes."
    )
    parser.add_argument(
        "--figures",
        nargs="?",
        const="all",
        choices=("all", "documents", "rules", "mutants"),
        help="run no command of a document; with a value, write besides what is written in seconds only the refusals of"
        " `rules` and the answers, only the findings about `mutants`, or neither",
    )
    parser.add_argument("documents", nargs="*", metavar="DOCUMENT", help="run the commands of these (default: all)")
    options = parser.parse_args(arguments)
    known = {name_of(document): document for document in DOCUMENTS}
    unknown = [name for name in options.documents if name not in known]
    if unknown:
        parser.error(f"{', '.join(unknown)}: no such document. There are {', '.join(known)}.")
    named = [known[name] for name in options.documents]
    options.documents = [] if options.figures else named or list(DOCUMENTS)
    options.figures = options.figures or "all"
    return options


def write_figures(document: Path) -> None:
    before = document.read_text(encoding="utf-8")
    write(document, before, with_figures(before))


def write_outputs(document: Path) -> bool:
    """Whether each output that has changed could be written."""
    reported = 0
    before = after = document.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        for difference in run_document(document, Path(folder).resolve()):
            written = difference.command.output
            if MANY_LINES in written.split("\n") or any(text in difference.output for text in FAILURES):
                print(f"not written: {difference}")
                reported += 1
                continue
            command = f"$ {difference.command.command}\n"
            old, new = (f"{command}{text}\n" for text in (written, difference.output))
            after = after.replace(old if written else command, new)
    write(document, before, after)
    return not reported


def write(document: Path, before: str, after: str) -> None:
    if after != before:
        document.write_text(after, encoding="utf-8")
        print(f"{name_of(document)} written")


if __name__ == "__main__":
    sys.exit(main())
