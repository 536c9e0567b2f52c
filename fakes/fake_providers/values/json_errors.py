"""What is wrong with a text that is not JSON, in the same words on every Python."""

import json
import re

_SPACE = re.compile(r"[ \t\n\r]*")


def fault_of(error: json.JSONDecodeError) -> tuple[str, int]:
    """The message and the position of the error, as before Python 3.13.

    Since then the parser has a message of its own for a comma before a closing bracket, and the position of the comma.
    """
    if not error.msg.startswith("Illegal trailing comma"):
        return error.msg, error.pos
    spaces = _SPACE.match(error.doc, error.pos + 1)
    in_object = error.msg.endswith("object")
    message = "Expecting property name enclosed in double quotes" if in_object else "Expecting value"
    return message, spaces.end() if spaces else error.pos
