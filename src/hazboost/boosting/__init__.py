"""Algorithm 1 of the paper: the likelihood, its gradient, and the loop over rounds."""
