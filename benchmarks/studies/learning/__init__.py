"""How errors of predicted survival functions fall with the number of rows, from a thousand to a million."""
