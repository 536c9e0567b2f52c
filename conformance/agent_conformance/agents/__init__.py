"""Agents that come with the suite: the reference agent, the mutants, and ready-made adapters."""
