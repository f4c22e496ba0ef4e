"""Tables of items that stay where they are: Parquet parts by DuckDB, PostgreSQL, Spark."""
