import torch
import torch.nn as nn
import torch.nn.functional as F

class Model(nn.Module):
    def forward(self, x):
        return torch.relu(x)
batch_size = 16
DIM = 64 * 2
def get_inputs():
    return [torch.randn(5, 7)]
def get_init_inputs():
    return []

# --- below: added by kernelevolve import ---
from kernelevolve_reference import module_reference
reference = module_reference(
    globals(),
    axes={'x_dim0': 'x.shape[0]', 'x_dim1': 'x.shape[1]'},
    inputs=['x'],
    mode='inference',
    cast=None,
)
