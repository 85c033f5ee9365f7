"""Seconds and memory of fits and predictions, beside other packages and beside the version before."""
