"""Model files: round trips of all kinds of models, and files that were damaged, forged or made by somebody else.

``python -m tests.files --cases 10000`` makes a long run of the latter.
"""
