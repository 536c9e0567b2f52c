"""How many requests a turn may have: one place, for who plays and for who judges."""

HANDED_EXCHANGES = 20
"""What an agent with a limit of its own is handed, unless the scenario says otherwise."""

BOUND_WITH_LIMIT = 25
BOUND_WITHOUT_LIMIT = 120

MOST_REQUESTS = 1000
"""Requests of one turn, refused, repeated and stray ones included, after which the suite answers none."""

MOST_MEGABYTES = 200
"""Of all requests of one turn together, after which the suite answers none: they are kept to be judged."""

MOST_ATTEMPTS = 1000
"""Calls of tools in one turn that are recorded and that count as a sign of life."""

MANY = 30
"""From here on an agent without a limit of its own is advised to have one."""
