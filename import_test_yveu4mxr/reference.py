import torch
import torch.nn as nn
import torch.nn.functional as F

class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(channels, 8, kernel_size, stride=2, padding=1)
    def forward(self, x):
        return self.conv(x)
batch_size = 4
channels = 3
height = width = 32
kernel_size = 3
def get_inputs():
    return [torch.rand(batch_size, channels, height, width)]
def get_init_inputs():
    return []

# --- below: added by kernelevolve import ---
from kernelevolve_reference import module_reference
reference = module_reference(
    globals(),
    axes={'batch_size': 'batch_size', 'channels': 'channels', 'height': 'height', 'width': 'width'},
    inputs=['x'],
    parameters={'conv_weight': 'conv.weight', 'conv_bias': 'conv.bias'},
    mode='inference',
    cast=None,
)
