"""Bugs in how a request is written as JSON. The provider refuses it, each in its own words."""

from agent_conformance.agents.mutants.encoding import blocks, calls, contents, options, schemas, tool_fields, whole

MUTANTS = (
    *whole.MUTANTS,
    *contents.MUTANTS,
    *calls.MUTANTS,
    *tool_fields.MUTANTS,
    *schemas.MUTANTS,
    *options.MUTANTS,
    *blocks.MUTANTS,
)
