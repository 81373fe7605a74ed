"""A ranking model like DLRM: sums of embeddings, a bottom MLP, dot products of all pairs, a top MLP.

`kernelevolve needs` takes it apart. The tables of all features lie in one, one after the other.
"""
import torch
import torch.nn as nn

batch_size = 2048
tables = 26
table_rows = 10000
bag = 2
dense_features = 13
dim = 64


def mlp(widths):
    layers = []
    for inner, outer in zip(widths, widths[1:]):
        layers += [nn.Linear(inner, outer), nn.ReLU()]
    return layers


class Model(nn.Module):
    def __init__(self, tables, table_rows, dense_features, dim):
        super().__init__()
        self.embeddings = nn.EmbeddingBag(tables * table_rows, dim, mode="sum")
        self.register_buffer("first_rows", (torch.arange(tables) * table_rows)[:, None], persistent=False)
        self.bottom = nn.Sequential(*mlp([dense_features, 256, 128, dim]))
        pairs = tables * (tables + 1) // 2
        self.top = nn.Sequential(*mlp([dim + pairs, 512, 256]), nn.Linear(256, 1))

    def forward(self, dense, indices):
        features = self.bottom(dense)
        rows = (indices + self.first_rows).flatten(0, 1)
        sums = self.embeddings(rows).view(indices.size(0), indices.size(1), -1)
        vectors = torch.cat([features[:, None], sums], dim=1)
        products = torch.bmm(vectors, vectors.transpose(1, 2))
        i, j = torch.tril_indices(vectors.size(1), vectors.size(1), -1, device=dense.device)
        return torch.sigmoid(self.top(torch.cat([features, products[:, i, j]], dim=1)))


def get_inputs():
    return [torch.rand(batch_size, dense_features), torch.randint(0, table_rows, (batch_size, tables, bag))]


def get_init_inputs():
    return [tables, table_rows, dense_features, dim]
