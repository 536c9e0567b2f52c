"""The pytest plugin, and the only folder that imports pytest. Knows how pytest selects, runs and reports; what a case
is and whether it holds is decided elsewhere.
"""
