import torch
import torch.nn as nn
import torch.nn.functional as F

class Model(nn.Module):
    def __init__(self, inner, outer):
        super().__init__()
        self.fc = nn.Linear(inner, outer)
    def forward(self, x, factor):
        return self.fc(x) * factor
rows, inner, outer = 32, 48, 24
def get_inputs():
    return [torch.rand(rows, inner), 3.0]
def get_init_inputs():
    return [inner, outer]

# --- below: added by kernelevolve import ---
from kernelevolve_reference import module_reference
reference = module_reference(
    globals(),
    axes={'rows': 'rows', 'inner': 'inner', 'outer': 'outer'},
    inputs=['x', 'factor'],
    parameters={'fc_weight': 'fc.weight', 'fc_bias': 'fc.bias'},
    constants={'factor': 3.0},
    mode='inference',
    cast=None,
)
