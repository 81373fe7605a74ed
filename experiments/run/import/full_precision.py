"""Settings of PyTorch that make single-precision products less exact."""

import contextlib

import torch


def _setting(owner, name):
    return (lambda: getattr(owner, name)), (lambda value: setattr(owner, name, value))


_SETTINGS = {  # as a file writes it: (what reads it, what sets it)
    "torch.set_float32_matmul_precision({!r})": (torch.get_float32_matmul_precision, torch.set_float32_matmul_precision),
    "torch.backends.cuda.matmul.allow_tf32 = {!r}": _setting(torch.backends.cuda.matmul, "allow_tf32"),
    "torch.backends.cudnn.allow_tf32 = {!r}": _setting(torch.backends.cudnn, "allow_tf32"),
    "torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction = {!r}":
        _setting(torch.backends.cuda.matmul, "allow_fp16_reduced_precision_reduction"),
    "torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction = {!r}":
        _setting(torch.backends.cuda.matmul, "allow_bf16_reduced_precision_reduction"),
    "torch.backends.fp32_precision = {!r}": _setting(torch.backends, "fp32_precision"),
    "torch.backends.cuda.matmul.fp32_precision = {!r}": _setting(torch.backends.cuda.matmul, "fp32_precision"),
    "torch.backends.cudnn.conv.fp32_precision = {!r}": _setting(getattr(torch.backends.cudnn, "conv", None), "fp32_precision"),
    "torch.backends.mkldnn.matmul.fp32_precision = {!r}":
        _setting(getattr(torch.backends.mkldnn, "matmul", None), "fp32_precision"),
}


def _values():
    """Those that this PyTorch has, and that nothing else overrides."""
    found = {}
    for text, (read, _) in _SETTINGS.items():
        with contextlib.suppress(AttributeError, RuntimeError, AssertionError):
            found[text] = read()
    return found


@contextlib.contextmanager
def full_precision(source=""):
    """Undoes such settings at its end; yields the list that then holds those of the source, as it writes them."""
    before, made = _values(), []
    try:
        yield made
    finally:
        changed = {text: value for text, value in _values().items() if before.get(text, value) != value}
        made += [text.format(value) for text, value in changed.items() if _word(text) in source]
        for text in changed:
            _SETTINGS[text][1](before[text])


def _word(text):
    """Such as cuda.matmul.allow_tf32: PyTorch changes several settings for one that a file makes."""
    return text.replace("(", " ").split()[0].replace("torch.", "").replace("backends.", "")
