"""What ``kame doctor`` looks at, one kind of thing a file."""
