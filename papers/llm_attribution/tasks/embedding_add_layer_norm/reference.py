"""embedding, add, layer_norm: 1 in transformer.py, first at tokens."""
import torch
import torch.nn as nn
import torch.nn.functional as F

embedding_weight_0 = 8000
embedding_weight_1 = 256
batch = 8
tokens_1 = 128


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding_weight = nn.Parameter(1 * torch.randn(embedding_weight_0, embedding_weight_1))
        self.add_other = nn.Parameter(0.02 * torch.randn(tokens_1, embedding_weight_1))
        self.layer_norm_weight = nn.Parameter(torch.ones(embedding_weight_1))
        self.layer_norm_bias = nn.Parameter(torch.zeros(embedding_weight_1))

    def forward(self, tokens):
        embedding = torch.embedding(self.embedding_weight, tokens)
        add = torch.add(embedding, self.add_other)
        layer_norm = torch.layer_norm(add, [embedding_weight_1], self.layer_norm_weight, self.layer_norm_bias, 1e-05, False)
        return add, layer_norm


def get_inputs():
    return [torch.randint(0, embedding_weight_0, (batch, tokens_1,))]


def get_init_inputs():
    return []

# --- below: added by kernelevolve import ---
from kernelevolve_reference import module_reference
reference = module_reference(
    globals(),
    axes={'embedding_weight_0': 'embedding_weight_0', 'embedding_weight_1': 'embedding_weight_1', 'batch': 'batch', 'tokens_1': 'tokens_1'},
    inputs=['tokens'],
    parameters={'embedding_weight': 'embedding_weight', 'add_other': 'add_other', 'layer_norm_weight': 'layer_norm_weight', 'layer_norm_bias': 'layer_norm_bias'},
    mode='inference',
    cast=None,
)
