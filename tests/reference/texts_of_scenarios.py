"""The texts that the models of scenarios write: the tools that are offered, the text, and what it means."""

from tests.bundled import bundled_files

AREAS = ("pseudo-calls", "reasoning", "injection")

FILES = bundled_files()
TEXTS = {
    f"{file.id}[{row}] {turn}.{number}": (frozenset(tool.name for tool in scenario.tools), reply.text, reply.means)
    for file in FILES
    if file.area in AREAS
    for row, scenario in file.rows.items()
    for turn, spec in enumerate(scenario.conversation, 1)
    for number, reply in enumerate(spec.model, 1)
    if reply.text
}
