"""A fitted model and what it predicts."""
