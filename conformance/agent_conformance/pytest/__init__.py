"""The pytest plugin, and the only folder that imports pytest. What a case is, and whether it holds, is decided
elsewhere.
"""
