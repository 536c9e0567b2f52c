"""What is recorded of a case run: transcript, narrative, findings."""
