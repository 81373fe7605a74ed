"""Compressed feature interaction in PyTorch."""
import torch


def plain(x, p):
    return torch.bmm(x, torch.bmm(x.transpose(1, 2), p))


def expert(x, p):
    """(x x^T) p: less to multiply where there are fewer features than dimensions."""
    return torch.bmm(torch.bmm(x, x.transpose(1, 2)), p)
