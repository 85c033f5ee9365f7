"""One small class for each model: ``fit(X, event, time)``, ``risk(X)``, ``survival(X, times)``."""
