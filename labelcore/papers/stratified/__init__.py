"""Strata by how sure the classifier is, for accuracy."""
