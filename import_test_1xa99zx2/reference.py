import torch
import torch.nn as nn
import torch.nn.functional as F

class Model(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.norm = nn.BatchNorm1d(channels, track_running_stats=False)
        self.calls = torch.zeros(1)
    def forward(self, x):
        return self.norm(x)
rows = 16
channels = 24
def get_inputs():
    return [torch.randn(rows, channels)]
def get_init_inputs():
    return [channels]

# --- below: added by kernelevolve import ---
from kernelevolve_reference import module_reference
reference = module_reference(
    globals(),
    axes={'rows': 'rows', 'channels': 'channels'},
    inputs=['x'],
    parameters={'norm_weight': 'norm.weight', 'norm_bias': 'norm.bias'},
    mode='inference',
    cast=None,
)
