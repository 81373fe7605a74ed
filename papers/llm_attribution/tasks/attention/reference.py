"""scaled_dot_product_attention: 2 in transformer.py, first at layers.0."""
import torch
import torch.nn as nn
import torch.nn.functional as F

batch = 8
x_1 = 128
x_2 = 768


class Model(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        view = torch.reshape(x, [batch, x_1, 3, 4, 64])
        permute = torch.permute(view, [2, 0, 3, 1, 4])
        unbind = torch.unbind(permute)
        part = unbind[0]
        part_2 = unbind[1]
        part_3 = unbind[2]
        scaled_dot_product_attention = F.scaled_dot_product_attention(part, part_2, part_3)
        return scaled_dot_product_attention


def get_inputs():
    return [torch.randn(batch, x_1, x_2)]


def get_init_inputs():
    return []

# --- below: added by kernelevolve import ---
from kernelevolve_reference import module_reference
reference = module_reference(
    globals(),
    axes={'batch': 'batch', 'x_1': 'x_1'},
    inputs=['x'],
    mode='inference',
    cast=None,
)
