"""The command `hazboost`, in this process and through its executable."""
