"""Parametric hazards and their weighted sum: array mathematics, without data or trees."""
