"""The five studies. They do not import one another; what they share is in the harness and the peer models."""
