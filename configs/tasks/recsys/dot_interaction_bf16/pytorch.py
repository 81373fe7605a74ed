"""Pairwise dot products in bfloat16 in PyTorch."""
import torch


def plain(x):
    rows, columns = torch.tril_indices(x.shape[1], x.shape[1], -1, device=x.device)
    return torch.bmm(x, x.transpose(1, 2))[:, rows, columns]
