import torch
import torch.nn as nn
import torch.nn.functional as F

class Model(nn.Module):
    def forward(self, a, b):
        return a * b, a.sum(1).argmax()
rows = 32
side = 32
def get_inputs():
    return [torch.rand(rows, side), torch.rand(rows)]
def get_init_inputs():
    return []

# --- below: added by kernelevolve import ---
from kernelevolve_reference import module_reference
reference = module_reference(
    globals(),
    axes={'rows': ['rows', 'side']},
    inputs=['a', 'b'],
    mode='inference',
    cast=None,
)
