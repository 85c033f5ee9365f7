"""How close fits to every kind of survival data come to a known truth."""
