"""Every kind of survival data: how close fits come to a known truth, and to other libraries on real data."""
