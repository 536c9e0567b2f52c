"""What commands print with `--json`: one object, with the number of its format. Knows no command."""

import json
from typing import Any

FORMAT = 1
"""A field may be added to an object; one that goes, or means something else, is another format."""


def print_json(fields: dict[str, Any]) -> None:
    print(json.dumps({"format": FORMAT, **fields}, ensure_ascii=False, indent=1))
