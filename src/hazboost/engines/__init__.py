"""Who grows the trees. Nothing here knows about survival: an engine receives data and a callable objective."""
