"""Matrix product in PyTorch."""


def plain(a, b):
    return a @ b
