"""Results as Plotly figures, each with its words and its numbers as a table."""
