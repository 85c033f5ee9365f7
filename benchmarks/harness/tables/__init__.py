"""Tables and their writers.

A `Table` of `table` is written by `markdown`, `latex`, `delimited` (CSV) and `page` (HTML); `text` is for terminals.
"""
