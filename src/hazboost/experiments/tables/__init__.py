"""The tables of the paper from the results of the study, as Markdown, LaTeX, CSV and HTML.

Cells become estimates (`estimates`), these become tables (`compose`, made of the entries of `table`), and four writers
read the same tables: `markdown`, `latex`, `delimited`, `page`; `text` is for terminals.
"""

from hazboost.experiments.tables.report import print_tables, write_report

__all__ = ["print_tables", "write_report"]
