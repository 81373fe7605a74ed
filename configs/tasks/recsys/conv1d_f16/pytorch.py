"""Convolution along a sequence in float16 in PyTorch."""
import torch
import torch.nn.functional as F


def plain(x, weight):
    return F.conv1d(x, weight, padding=1)


def expert(x, weight):
    """One matrix product of the sequence beside itself, shifted."""
    padded, length = F.pad(x, (1, 1)), x.shape[2]
    shifted = torch.cat([padded[:, :, j:j + length] for j in range(3)], dim=1)
    return torch.matmul(weight.permute(0, 2, 1).flatten(1), shifted)


def channels_last(x, weight):
    """With channels side by side in memory, as cuDNN wants them, in the result too."""
    return F.conv2d(x, weight, padding=(0, 1)).squeeze(2)


def prepare_channels_last(x, weight):
    return tuple(t.unsqueeze(2).contiguous(memory_format=torch.channels_last) for t in (x, weight))
