"""An answer -> its scores; all scores -> means with intervals, under a signature."""
