"""The benchmarks: one harness, one folder of peer models, and eight studies.

``python -m benchmarks STUDY`` runs a study, and ``python -m benchmarks --help`` lists them. They need the extra
``benchmarks`` and a checkout of the repository: results are kept in ``benchmarks/results``, and none of this is part of
the installed library.
"""
