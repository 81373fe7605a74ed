"""cat, bmm, tril_indices, index: 1 in dlrm.py, first at forward."""
import torch
import torch.nn as nn
import torch.nn.functional as F

x1_1 = 64
batch = 2048


class Model(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x1, x2):
        view = torch.reshape(x1, [batch, 26, -1])
        unsqueeze = torch.unsqueeze(x2, 1)
        cat = torch.cat([unsqueeze, view], 1)
        transpose = torch.transpose(cat, 1, 2)
        bmm = torch.bmm(cat, transpose)
        tril_indices = torch.tril_indices(27, 27, -1)
        unbind = torch.unbind(tril_indices)
        part = unbind[0]
        part_2 = unbind[1]
        index = torch.ops.aten.index.Tensor(bmm, [None, part, part_2])
        return index


def get_inputs():
    return [torch.randn(batch * 26, x1_1), torch.rand(batch, x1_1)]


def get_init_inputs():
    return []

# --- below: added by kernelevolve import ---
from kernelevolve_reference import module_reference
reference = module_reference(
    globals(),
    axes={'x1_1': 'x1_1', 'batch': 'batch'},
    inputs=['x1', 'x2'],
    mode='inference',
    cast=None,
)
