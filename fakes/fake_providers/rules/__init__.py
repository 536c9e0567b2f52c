"""What the rules of every wire and provider share, besides the rulebook itself."""
