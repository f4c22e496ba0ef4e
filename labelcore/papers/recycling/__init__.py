"""One sample used again for several classifiers."""
