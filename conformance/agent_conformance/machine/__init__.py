"""What the machine can do that the suite runs on, and what it does with the processes of agents."""
