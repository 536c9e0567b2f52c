"""What an agent raises: how it is described, and where in its code it came from."""
