"""What is fixed before the first label: the plan, claims, stop rules, known labels."""
