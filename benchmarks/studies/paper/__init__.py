"""The experiments of the FPBoost paper: its protocol, its tables, and every model of it and more."""
