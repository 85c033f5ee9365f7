"""Outcomes and features: from what a user gives to checked arrays."""
