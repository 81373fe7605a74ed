"""Gated linear unit in PyTorch."""
import torch.nn.functional as F


def plain(gate, up):
    return F.silu(gate) * up
