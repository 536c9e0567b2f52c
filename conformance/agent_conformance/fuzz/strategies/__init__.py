"""Hypothesis strategies of scenario documents, one module per subject.

What a document expects holds for every right agent; the laws do the rest. Each is without mistakes, and some wire can
express it.
"""
