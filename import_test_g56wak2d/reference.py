import torch
import torch.nn as nn
import torch.nn.functional as F

class Model(nn.Module):
    def forward(self, x):
        return torch.relu(x.view(5, 7))
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
    axes={},
    inputs=['x'],
    mode='inference',
    cast=None,
)
