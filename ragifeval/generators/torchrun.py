"""Whether torchrun has started this process together with others. Imports nothing heavy."""

import os


def is_shared() -> bool:
    """Whether other processes take part in this run."""
    return "TORCHELASTIC_RUN_ID" in os.environ and int(os.environ["WORLD_SIZE"]) > 1
