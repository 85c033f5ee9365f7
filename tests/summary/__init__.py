"""Summaries of fitted models."""
