"""A session on a store: labelling, projects, waves."""
