"""From data and a plan to a fitted model: starts, cross-validation, the final fit."""
