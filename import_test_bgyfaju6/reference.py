import torch
import torch.nn as nn
import torch.nn.functional as F

class Model(nn.Module):
    def forward(self, a, b):
        return a @ b
m, k = 12, 32768
def get_inputs():
    return [torch.randn(m, k), torch.randn(k, 16)]
def get_init_inputs():
    return []

# --- below: added by kernelevolve import ---
from kernelevolve_reference import module_reference
reference = module_reference(
    globals(),
    axes={'m': 'm', 'k': 'k'},
    inputs=['a', 'b'],
    mode='inference',
    cast=None,
)
