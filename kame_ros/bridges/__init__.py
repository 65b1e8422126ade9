"""What others' nodes already speak, said beside our own topics: one optional node, one file for each bridge."""
