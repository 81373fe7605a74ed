"""Layer normalisation in PyTorch."""
import torch.nn.functional as F


def plain(x, weight, bias):
    return F.layer_norm(x, weight.shape, weight, bias, 1e-5)
