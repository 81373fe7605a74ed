import torch
import torch.nn as nn
import torch.nn.functional as F

class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.layers = nn.Sequential(*[nn.Linear(width, width) for _ in range(9)])
    def forward(self, x):
        return self.layers(x)
rows = 8
width = 16
def get_inputs():
    return [torch.rand(rows, width)]
def get_init_inputs():
    return [width]

# --- below: added by kernelevolve import ---
from kernelevolve_reference import module_reference
reference = module_reference(
    globals(),
    axes={'rows': 'rows', 'width': 'width'},
    inputs=['x'],
    parameters={'parameters': ['layers.0.weight', 'layers.0.bias', 'layers.1.weight', 'layers.1.bias', 'layers.2.weight', 'layers.2.bias', 'layers.3.weight', 'layers.3.bias', 'layers.4.weight', 'layers.4.bias', 'layers.5.weight', 'layers.5.bias', 'layers.6.weight', 'layers.6.bias', 'layers.7.weight', 'layers.7.bias', 'layers.8.weight', 'layers.8.bias']},
    mode='inference',
    cast=None,
)
