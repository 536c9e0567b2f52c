"""How many requests a turn may have: one place for the case run and the judge."""

DEFAULT_REQUEST_LIMIT = 20
"""`limits.requests` of an agent with a limit of its own, unless the scenario says otherwise."""

BOUND_WITH_LIMIT = 25
"""Five beyond the default limit: agents count their steps otherwise, and may ask once more for an ending."""
BOUND_WITHOUT_LIMIT = 120

MOST_REQUESTS = 1000
"""Requests of one turn of every kind, after which the suite answers none."""

MOST_REFUSALS = 50
"""Requests of one turn that are refused for one and the same reason, after which the suite answers none."""

MOST_MEGABYTES = 200
"""Size of all requests of one turn, which are kept for the judge, after which the suite answers none."""

MOST_ATTEMPTS = 1000
"""Tool calls of one turn that are recorded and count as a sign of life."""

TURN_TIMEOUTS = 12
"""A turn lasts at most so many times as long as it may be silent, unless `--agent-turn-limit` says otherwise."""

MANY = 30
"""From so many requests on, an agent without a limit of its own is advised to have one."""
