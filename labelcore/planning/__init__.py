"""Before the first label: previews and simulations."""
