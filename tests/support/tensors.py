"""Tensors of the same values that lie otherwise in memory."""
import torch


def columns_first(tensor):
    """Not contiguous."""
    return tensor.transpose(-1, -2).contiguous().transpose(-1, -2) if torch.is_tensor(tensor) and tensor.dim() > 1 else tensor


def misaligned(tensor):
    """One element after an aligned address."""
    if not torch.is_tensor(tensor):
        return tensor
    memory = torch.empty(tensor.numel() + 1, dtype=tensor.dtype, device=tensor.device)
    moved = memory[1:].view(tensor.shape).copy_(tensor)
    assert moved.data_ptr() % 64 != 0
    return moved
