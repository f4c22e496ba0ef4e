"""Labels needed for the same promise and the same width, method beside method."""
