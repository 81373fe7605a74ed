"""The tolerance that a definition's collection judges by, where its files state one."""

import pathlib

import torch

from licences import folders_above
from task_file import PublishedTolerance, Refused

SOL = {"max_atol": 1e-2, "max_rtol": 1e-2, "required_matched_ratio": 0.99, "max_error_cap": None}  # its defaults
FLASHINFER = {"atol": 1e-2, "rtol": 1e-2, "required_matched_ratio": 1.0}


def _of_workloads(workloads):
    """SOL-ExecBench: |d| <= max_atol + max_rtol |ref|. The strictest of the workloads'."""
    given = [w.get("tolerance") or {} for w in workloads]
    if not any(SOL.keys() & one.keys() for one in given):
        return None
    filled = [{**SOL, **one} for one in given]
    caps = [one["max_error_cap"] for one in filled if one["max_error_cap"] is not None]
    return PublishedTolerance(float(min(one["max_rtol"] for one in filled)), float(min(one["max_atol"] for one in filled)),
                              float(max(one["required_matched_ratio"] for one in filled)),
                              float(min(caps)) if caps else None)


def _configuration(path):
    """The nearest eval_config.yaml in a folder above the definition."""
    file = next((f / "eval_config.yaml" for f in folders_above(path) if (f / "eval_config.yaml").is_file()), None)
    if file is None:
        return {}
    try:
        import yaml
    except ImportError as error:
        raise Refused(f"{file.name} states tolerances, and this Python has no PyYAML to read it") from error
    return yaml.safe_load(pathlib.Path(file).read_text(encoding="utf-8")) or {}


def _of_configuration(document, path):
    """FlashInfer-Bench: |d| <= atol or |d| <= rtol |ref|. The sum of both halves is within that."""
    config = _configuration(path)
    layers = (config.get("op_type_config", {}).get(document.get("op_type")),
              config.get("definition_config", {}).get(document["name"]), config)
    stated = {key: layer[key] for layer in layers if layer for key in FLASHINFER if layer.get(key) is not None}
    if not stated:
        return None
    filled = {**FLASHINFER, **stated}
    return PublishedTolerance(float(filled["rtol"]) / 2, float(filled["atol"]) / 2, float(filled["required_matched_ratio"]), None)


def published_tolerance(document, workloads, path):
    """None where nothing is stated."""
    return _of_workloads(workloads) or _of_configuration(document, path)


def accepts(tolerance, exact, other):
    """True if all outputs `other` are right by the tolerance."""
    for want, got in zip(exact, other):
        if not want.is_floating_point():
            if not torch.equal(want, got):
                return False
            continue
        error = (got.double() - want.double()).abs()
        if not torch.isfinite(error).all():
            return False
        within = error <= tolerance.absolute + min(tolerance.relative, 0.5) * want.abs()
        if within.double().mean() < tolerance.matched_ratio:
            return False
        if tolerance.max_error is not None and error.max() > tolerance.max_error:
            return False
    return True


def is_usable(tolerance, runner, lengths):
    """True if the function in its own types is right by it, and neither zeros nor the results of other
    inputs are."""
    tensors = runner.drawn(lengths, 1)
    exact = runner.run(tensors, lengths)
    if not accepts(tolerance, exact, runner.run_as_written(tensors, lengths, exact)):
        return False
    others = [[torch.zeros_like(t) for t in exact], runner.run(runner.drawn(lengths, 101), lengths)]
    return not any(accepts(tolerance, exact, other) for other in others)
