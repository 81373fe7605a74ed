"""Bucketize and map in PyTorch."""
import torch


def plain(x, boundaries, table):
    return table[torch.bucketize(x, boundaries)]


def expert(x, boundaries, table):
    """Counts the boundaries, which torch.compile makes one kernel without a table of its own."""
    return table[(boundaries < x.unsqueeze(-1)).sum(-1)]


expert.compiled_only = True  # else a flag for each pair of value and boundary goes through memory
