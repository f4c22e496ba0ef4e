"""The candidate that finds most among those of a required precision."""
