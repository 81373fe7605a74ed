import torch
import torch.nn as nn
import torch.nn.functional as F

class Model(nn.Module):
    def __init__(self, count, dim):
        super().__init__()
        self.table = nn.Embedding(count, dim)
    def forward(self, ids):
        return self.table(ids)
rows = 64
count = 100
dim = 32
def get_inputs():
    return [torch.randint(0, count, (rows,))]
def get_init_inputs():
    return [count, dim]

# --- below: added by kernelevolve import ---
from kernelevolve_reference import module_reference
reference = module_reference(
    globals(),
    axes={'rows': 'rows', 'count': 'count', 'dim': 'dim'},
    inputs=['ids'],
    parameters={'table_weight': 'table.weight'},
    mode='inference',
    cast=None,
)
