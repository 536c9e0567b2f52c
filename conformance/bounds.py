"""How many exchanges a step may have: one place, for who plays and for who judges."""

HANDED_EXCHANGES = 20
"""What an agent with a limit of its own is handed, unless the scenario says otherwise."""

BOUND_WITH_LIMIT = 25
BOUND_WITHOUT_LIMIT = 120

MANY = 30
"""From here on an agent without a limit of its own is advised to have one."""
