"""Random data and parameters: the library either refuses them in plain words or keeps its promises.

`strategies` draws a `Case`, a short description; `check` makes the data, fits, predicts, and returns what is wrong.
``pytest tests/fuzz`` runs a few hundred cases, ``python -m tests.fuzz --cases 20000`` as many as asked for.
"""
