"""The rank-1 transformer, trained: labelled sequences, eleven networks, one run, and the race between them."""
