"""RMS normalisation in PyTorch."""
import torch.nn.functional as F


def plain(x, weight):
    return F.rms_norm(x, weight.shape, weight, 1e-5)
