"""Who may come in and what each may do: roles, people with a role, settings of the door."""
