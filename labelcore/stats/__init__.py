"""Numbers in, numbers out: intervals, strata, allocation, orders."""
