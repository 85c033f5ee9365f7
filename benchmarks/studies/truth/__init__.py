"""Predicted survival functions against the true ones of simulated subjects."""
