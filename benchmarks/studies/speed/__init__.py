"""Seconds of a default fit beside a random survival forest."""
