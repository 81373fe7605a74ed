import torch
import torch.nn as nn
import torch.nn.functional as F

class Model(nn.Module):
    def __init__(self, shape):
        super().__init__()
        self.norm = nn.LayerNorm(shape)
    def forward(self, x):
        return self.norm(x)
rows = 12
shape = (96,)
def get_inputs():
    return [torch.randn(rows, *shape)]
def get_init_inputs():
    return [shape]

# --- below: added by kernelevolve import ---
from kernelevolve_reference import module_reference
reference = module_reference(
    globals(),
    axes={'rows': 'rows', 'shape_0': 'shape[0]'},
    inputs=['x'],
    parameters={'norm_weight': 'norm.weight', 'norm_bias': 'norm.bias'},
    mode='inference',
    cast=None,
)
