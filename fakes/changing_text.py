"""What changes from run to run in texts, by its form: times, ids, ports of this machine. Knows texts alone."""

import re

UUID = re.compile(r"(?<![\w-])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![\w-])", re.IGNORECASE)
TIME = re.compile(
    r"(?<![\w-])\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?: ?(?:Z|UTC|[+-]\d\d:?\d\d))?(?![\w-])"
)
DATE = re.compile(r"(?<![\w-])\d{4}-\d\d-\d\d(?![\w-])")
PORT = re.compile(r"(127\.0\.0\.1|localhost|\[::1\]):\d+")


def with_names(text: str, names: dict[str, str]) -> str:
    """The text with a name for each id. Short ids are left: they may be any number in it."""
    for id, name in names.items():
        if len(id) < 6 or id not in text:
            continue
        text = re.sub(rf"(?<![\w-]){re.escape(id)}(?![\w-])", name, text)
    return text
