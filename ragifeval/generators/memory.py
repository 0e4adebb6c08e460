"""Memory: whether an error says that it was short, and how many answers it holds at once."""

import gc

import torch

# What errors about memory say that are no torch.OutOfMemoryError: on CPU, on MPS, in cuBLAS.
_SHORTAGES = ("can't allocate memory", "out of memory", "STATUS_ALLOC_FAILED")
CPU_BATCH = 8
"""Answers at once on a CPU, where the config leaves it open: see benchmarks/README.md."""
_LARGEST_BATCH = 256
# The share of the free memory for keys and values; the rest is for what a step computes.
_SHARE = 0.8
# Answers are mostly much shorter than max_new_tokens; where they are not, the batch is halved.
_EXPECTED_TOKENS = 1024


def is_shortage(error: Exception) -> bool:
    """Whether an exception says that memory was short."""
    return isinstance(error, torch.OutOfMemoryError | MemoryError) or any(
        mark in str(error) for mark in _SHORTAGES
    )


def release() -> None:
    """Give back what a failed attempt held; to be called once its exception is gone."""
    gc.collect()
    if torch.accelerator.is_available():
        torch.accelerator.empty_cache()


def batch_that_fits(
    device: torch.device, bytes_a_token: float, longest: int, max_new_tokens: int
) -> int:
    """How many answers to generate at once where the config leaves it open.

    A step reads all weights whatever the batch, so an accelerator is given as many rows as its
    memory holds. A CPU is soon busy with the rows themselves, and lets a process that asks for too
    much be killed: there the batch is small.

    Args:
        bytes_a_token: what a row's keys and values take for each of its tokens.
        longest: the tokens of the longest prompt.
    """
    if device.type == "cpu":
        return CPU_BATCH
    row = bytes_a_token * (longest + min(max_new_tokens, _EXPECTED_TOKENS))
    return max(1, min(_LARGEST_BATCH, int(_SHARE * _free_bytes(device) / row)))


def _free_bytes(device: torch.device) -> int:
    """What tensors may still take: what nobody holds, and what torch holds in reserve."""
    free, _ = torch.accelerator.get_memory_info(device)
    reserved = torch.accelerator.memory_reserved(device)
    return free + reserved - torch.accelerator.memory_allocated(device)
