"""Writes figures and outputs into the documents as they are now: `./dev python -m tests.docs.regenerate`.

An output with a line `...` was shortened by hand, and one that shows a failure of the suite itself belongs in no
document: these are only reported.
"""

import sys
import tempfile
from pathlib import Path

from tests.docs.documents import DOCUMENTS, name_of
from tests.docs.figures import with_figures
from tests.docs.projects import MANY_LINES, run_document

FAILURES = ("Traceback (most recent call last)", "error (not the agent)", "INTERNALERROR", "= ERRORS =")


def main() -> int:
    reported = 0
    for document in DOCUMENTS:
        before = document.read_text(encoding="utf-8")
        after = with_figures(before)
        with tempfile.TemporaryDirectory() as folder:
            for difference in run_document(document, Path(folder).resolve()):
                written = difference.command.output
                if MANY_LINES in written.split("\n") or any(text in difference.output for text in FAILURES):
                    print(f"not written: {difference}")
                    reported += 1
                    continue
                command = f"$ {difference.command.command}\n"
                old, new = (f"{command}{text}\n".replace("\n\n```", "\n```") for text in (written, difference.output))
                after = after.replace(old if written else command, new)
        if after != before:
            document.write_text(after, encoding="utf-8")
            print(f"{name_of(document)} written")
    return 1 if reported else 0


if __name__ == "__main__":
    sys.exit(main())
