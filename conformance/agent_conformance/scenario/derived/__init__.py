"""What follows from a checked scenario: needs, targets, faults, pictures, texts."""
