"""``python -m hazboost`` is the command ``hazboost``."""

from __future__ import annotations

import sys

from hazboost.cli import main

if __name__ == "__main__":
    sys.exit(main())
