"""The command `leaderboard`."""
