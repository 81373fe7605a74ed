"""Products as NVIDIA's tensor cores take them of float32, in double precision: factors keep 10 bits after the point."""

import torch
from torch.utils._python_dispatch import TorchDispatchMode

# Positions of the factors of each operation that PyTorch hands to tensor cores; () = all.
FACTORS = {"mm": (0, 1), "bmm": (0, 1), "addmm": (1, 2), "baddbmm": (1, 2), "convolution": (0, 1), "_convolution": (0, 1),
           "_scaled_dot_product_flash_attention_for_cpu": (0, 1, 2), "_scaled_dot_product_attention_math": (0, 1, 2),
           "_native_multi_head_attention": (), "_transformer_encoder_layer_fwd": ()}
DROPPED = 52 - 10  # bits of a double


def truncated(value):
    """Towards zero, as kernels have it that hand float32 over as it is; PyTorch's rounding to nearest errs by half as much."""
    if not isinstance(value, torch.Tensor) or value.dtype != torch.float64:
        return value
    return ((value.contiguous().view(torch.int64) >> DROPPED) << DROPPED).view(torch.float64)


class TensorCores(TorchDispatchMode):
    """`used`: whether any product was taken within."""

    def __init__(self):
        super().__init__()
        self.used = False

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        factors = FACTORS.get(func.overloadpacket.__name__)
        if factors is not None:
            self.used = True
            args = [truncated(one) if not factors or i in factors else one for i, one in enumerate(args)]
        return func(*args, **(kwargs or {}))
