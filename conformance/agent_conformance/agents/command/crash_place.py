"""Where a crash in another language was raised, and whether the language itself raised it. Knows texts alone."""

import re

BUG = re.compile(
    r"Cannot (?:read|set) propert|Cannot destructure|Cannot access '|Cannot convert undefined|is not a function"
    r"|is not defined|is not iterable|is not a constructor|Assignment to constant|Maximum call stack"
    r"|object has no attribute|object is not|unsupported operand|takes \d+ positional|unexpected keyword argument"
    r"|missing \d+ required|nil pointer|index out of range|panicked at"
)
"""Messages of the engines of JavaScript, of Python, Go and Rust for a bug; code that gives up has words of its own."""

_JAVASCRIPT = re.compile(r"^\s+at .*$", re.MULTILINE)
_PYTHON = re.compile(r'^\s+File "([^"]+)"', re.MULTILINE)


def raised_at(traceback: str) -> str:
    """The line of the first frame of a stack of JavaScript, or the last file of one of Python; else empty."""
    if frames := _JAVASCRIPT.findall(traceback):
        return str(frames[0])
    files = _PYTHON.findall(traceback)
    return str(files[-1]) if files else ""
