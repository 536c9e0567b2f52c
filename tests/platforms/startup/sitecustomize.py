"""Python imports this by itself when it starts: a process below a simulated platform lacks what that platform lacks."""

import os

if platform := os.environ.get("SIMULATED_PLATFORM"):
    from lacking import take_away

    take_away(platform)
