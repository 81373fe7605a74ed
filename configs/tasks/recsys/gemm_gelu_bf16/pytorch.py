"""A linear layer with GELU in bfloat16 in PyTorch."""
import torch.nn.functional as F


def plain(x, weight, bias):
    return F.gelu(F.linear(x, weight, bias))
