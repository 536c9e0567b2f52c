"""What stops a fixture from being read. Knows no fixture."""


class Unmapped(ValueError):
    """The fixture has no counterpart. The message says what to do."""
