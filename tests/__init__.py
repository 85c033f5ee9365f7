"""The tests. A package, because some distributions install one of the same name, which would hide ``tests.fuzz``."""
