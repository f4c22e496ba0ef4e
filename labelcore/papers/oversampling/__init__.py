"""Over-sampling of what is predicted positive, and a classifier watched wave after wave."""
