"""Azure."""
