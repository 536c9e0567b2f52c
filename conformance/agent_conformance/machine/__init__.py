"""What the machine can do that the suite runs on, what it does with agents' processes, and how the suite came to it."""
