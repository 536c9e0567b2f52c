"""Counting tokens the way the fakes do: one for every four characters."""

import json

from fakes.view import View


def count_tokens(view: View) -> int:
    """Tokens of all texts, arguments, results and declarations; one per four characters, rounded up."""
    letters = len(view.texts)
    for tool in view.tools:
        letters += len(tool.name) + len(tool.description) + len(json.dumps(tool.parameters, ensure_ascii=False))
    return -(-letters // 4)
