"""Counts what a module's operations write, the longest sum among them, and which kinds they are of."""

import collections

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from kernelevolve_reference import tensors_in

_REDUCTIONS = ("sum", "mean", "var", "std", "norm", "loss", "pool", "dist", "trace", "prod")


# Kinds of operations, in the words by which knowledge is found [operators/llm/knowledge.cpp], and how PyTorch's names begin.
_KINDS = {
    "attention": ("_scaled_dot_product", "_flash_attention", "_efficient_attention", "_native_multi_head_attention",
                  "_transformer_encoder_layer"),
    "matrix product": ("mm", "bmm", "addmm", "baddbmm", "addbmm", "mv", "addmv", "dot", "_int_mm", "linear"),
    "convolution": ("convolution", "_slow_conv", "conv_"),
    "softmax": ("_softmax", "_safe_softmax", "_log_softmax", "logsumexp", "nll_loss"),
    "normalization": ("native_layer_norm", "native_group_norm", "native_batch_norm", "_native_batch_norm", "cudnn_batch_norm",
                      "_fused_rms_norm", "renorm"),
    "embedding": ("embedding", "_embedding_bag"),
    "scatter": ("index_add", "scatter", "index_put", "bincount", "histc"),
    "gather": ("gather", "index", "take", "grid_sampler"),
    "cumulative": ("cumsum", "cumprod", "logcumsumexp", "cummax", "cummin"),
    "top-k": ("topk", "sort", "kthvalue", "median"),
    "bucket": ("bucketize", "searchsorted"),
    "reduction": ("sum", "mean", "prod", "amax", "amin", "max", "min", "argmax", "argmin", "var", "std", "linalg_vector_norm",
                  "any", "all", "avg_pool", "adaptive_", "_adaptive_", "max_pool", "_cdist", "huber_loss", "smooth_l1_loss",
                  "mse_loss"),
}
_SCALES = ("rsqrt", "sqrt", "linalg_vector_norm", "std")  # beside a reduction: rows are divided by what they sum to
MOST_KINDS = 4


def kinds_of(work, calls):
    """Kinds of the operations {name: elements that they compute, terms of sums counted}, {name: calls}; most work first."""
    by_kind = collections.Counter()
    for name, elements in work.items():
        for kind, beginnings in _KINDS.items():
            if any(name == one or (len(one) > 4 and name.startswith(one)) for one in beginnings):
                by_kind[kind] += elements
                break
    if "reduction" in by_kind and any(name in _SCALES for name in work):
        by_kind["normalization"] += by_kind.pop("reduction")
    if by_kind["softmax"] and calls["bmm"] + calls["baddbmm"] >= 2:
        by_kind["attention"] += by_kind.pop("softmax") + by_kind.get("matrix product", 0)
    kinds = [kind for kind, elements in by_kind.most_common(MOST_KINDS) if elements > 0]
    return kinds or ["elementwise"]


def _first_factor(name):
    """Place of a matrix product's first factor among the arguments, or None."""
    return {"mm": 0, "bmm": 0, "mv": 0, "dot": 0, "addmm": 1, "baddbmm": 1, "addbmm": 1, "addmv": 1}.get(name)


def longest_sum(name, arguments, results):
    """Terms of the longest sum of an operation of PyTorch."""
    if _first_factor(name) is not None:
        return arguments[_first_factor(name)].shape[-1]
    if name.endswith("convolution"):
        return arguments[1].numel() // max(1, arguments[1].shape[0])
    if name in ("_softmax", "_log_softmax", "cumsum", "logcumsumexp"):
        return arguments[0].shape[arguments[1]] if arguments[0].dim() else 1
    if "attention" in name:
        return max(arguments[1].shape[-2:])
    if name.startswith(("index_add", "scatter_add", "scatter_reduce")):
        return arguments[2].numel() if isinstance(arguments[2], torch.Tensor) else 1
    if any(word in name for word in _REDUCTIONS):
        given = max((t.numel() for t in tensors_in(list(arguments))), default=1)
        return given // min((t.numel() for t in results if t.numel()), default=given or 1)
    return 1


class OperationCounter(TorchDispatchMode):
    """Counts elements that operations write, those of the largest result, and terms of the longest sum."""

    def __init__(self):
        super().__init__()
        self.work, self.largest, self.terms = 0, 0, 1
        self.work_of, self.calls = collections.Counter(), collections.Counter()

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        result = function(*args, **(kwargs or {}))
        results = tensors_in(result)
        sizes = [t.numel() for t in results]
        name = str(function)
        if "view" not in name and "detach" not in name:
            self.work += sum(sizes)
        self.largest = max([self.largest] + sizes)
        short = name.split(".")[1]
        terms = longest_sum(short, args, results)
        self.terms = max(self.terms, terms)
        # batch_norm and its kind sum over whole batches only in training: counted per element, a convolution before it stays first.
        self.work_of[short] += sum(sizes) * (1 if short.endswith("_norm") and short != "linalg_vector_norm" else terms)
        self.calls[short] += 1
        return result
