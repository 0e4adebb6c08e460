"""The harness against servers that others wrote: `make servers`."""
