"""Which files and ids are scenarios, and which of them a run is about."""
