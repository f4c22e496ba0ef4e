"""Every sentence of the product, one table per concept."""
