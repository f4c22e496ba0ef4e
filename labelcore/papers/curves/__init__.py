"""Precision curves by logarithmically many labels (PAULA), by strata, and by a plain sample."""
