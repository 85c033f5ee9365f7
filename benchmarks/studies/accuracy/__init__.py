"""Accuracy of survival models at their defaults, over the time-fixed data sets of SurvSet."""
