"""The results of a run as data: the model of `results.json`, and what is made of it."""
