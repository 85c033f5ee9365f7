"""What all studies share: cells, worker processes, storage, progress, interpreters, versions, ranks, tables, options.

The harness knows neither the peer models nor the studies.
"""
