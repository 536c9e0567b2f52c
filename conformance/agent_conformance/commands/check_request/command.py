"""Bodies, checked by every provider of their wire: which accept them, which refuse them, and what to do."""

import json
import sys
from itertools import chain

from agent_conformance.commands.check_request.checks import CheckedBody, checked
from agent_conformance.commands.check_request.json_output import as_json
from agent_conformance.commands.check_request.printing import check_lines
from agent_conformance.commands.check_request.sources import Unusable, posted_in


def check_request(sources: list[str], *, providers: tuple[str, ...], path: str, is_json: bool) -> int:
    """Print a block for each provider. 1: a provider refuses a body; 2: a body cannot be checked."""
    found = list(chain.from_iterable(posted_in(source) for source in sources))
    results = []
    for posted in found:
        result = posted if isinstance(posted, Unusable) else checked(posted, providers=providers, path=path)
        results.append(result)
        if not is_json:
            _print(result, label=posted.label if len(found) > 1 else "")
    if is_json:
        print(json.dumps(as_json(results), indent=2))
    bodies = [result for result in results if isinstance(result, CheckedBody)]
    if len(bodies) < len(results) or not results:
        return 2
    return int(any(check.violation for body in bodies for check in body.checks))


def _print(result: CheckedBody | Unusable, *, label: str) -> None:
    if isinstance(result, Unusable):
        print(result, file=sys.stderr)
        return
    if label:
        print(label)
    print("\n".join(line for check in result.checks for line in check_lines(check)), flush=True)
