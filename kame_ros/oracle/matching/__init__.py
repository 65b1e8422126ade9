"""Finding the entry of a file of wordings that was meant by what was heard."""
