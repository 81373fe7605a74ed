"""Causal depthwise convolution in PyTorch."""
import torch.nn.functional as F

convolution = True  # cuDNN's, in TF32 unless it is told otherwise


def plain(x, weight):
    return F.conv1d(F.pad(x, (3, 0)), weight.unsqueeze(1), groups=x.shape[1])


def expert(x, weight):
    """A sum of four shifted sequences, which torch.compile makes one kernel."""
    padded, length = F.pad(x, (3, 0)), x.shape[2]
    return sum(weight[:, j, None] * padded[:, :, j:j + length] for j in range(4))
