"""What each step of the automatic fit is worth: FPBoost without it, on the data of two other studies."""
