"""Cross entropy in PyTorch."""
import torch
import torch.nn.functional as F


def prepare(x, target):
    return x, target.long()  # PyTorch takes no other indices here; the conversion is not timed


def plain(x, target):
    return F.cross_entropy(x, target, reduction="none")


def expert(x, target):
    return torch.logsumexp(x, 1) - x.gather(1, target[:, None])[:, 0]
