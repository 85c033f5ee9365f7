"""How far predictions of FPBoost depend on its random seed."""
