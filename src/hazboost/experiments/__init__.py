"""The experiments of the paper: protocol, models, a runner that may be killed, and tables.

Needs the extra ``experiments``. ``hazboost bench`` is the door; ``docs/running-experiments.md`` says how to use it.
"""
