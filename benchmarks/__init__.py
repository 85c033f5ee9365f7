"""The benchmarks: one harness, one folder of peer models, and five studies.

``python -m benchmarks paper|accuracy|kinds|speed|truth`` runs a study. They need the extra ``benchmarks`` and a
checkout of the repository: results are kept in ``benchmarks/results``, and none of this is part of the installed
library.
"""
