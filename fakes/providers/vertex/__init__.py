"""Vertex AI."""
