"""The texts that the models of scenarios write: the tools that are offered, the text, and what it means."""

from agent_conformance.scenario.files import bundled_scenarios
from agent_conformance.scenario.loading import load_folder

AREAS = ("pseudo-calls", "reasoning", "injection")

FILES, _ = load_folder(bundled_scenarios())
TEXTS = {
    f"{file.id}[{row}] {turn}.{number}": (frozenset(tool.name for tool in scenario.tools), reply.text, reply.means)
    for file in FILES
    if file.area in AREAS
    for row, scenario in file.rows.items()
    for turn, spec in enumerate(scenario.conversation, 1)
    for number, reply in enumerate(spec.model, 1)
    if reply.text
}
