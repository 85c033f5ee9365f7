"""``python -m hazboost``: the command line."""

from hazboost.cli import main

if __name__ == "__main__":
    main()
