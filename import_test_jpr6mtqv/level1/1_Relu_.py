import torch
import torch.nn as nn
import torch.nn.functional as F

class Model(nn.Module):
    def forward(self, x):
        return torch.relu(x)
batch_size = 16
DIM = 64 * 2
def get_inputs():
    return [torch.randn(batch_size, DIM)]
def get_init_inputs():
    return []
