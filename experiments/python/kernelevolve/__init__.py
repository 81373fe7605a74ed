"""Reads, compares and draws runs of KernelEvolve.

    import kernelevolve
    runs = kernelevolve.open("runs/strategies")
    runs.champions                                   # a pandas frame; kernelevolve.runs.COLUMNS documents the columns
    kernelevolve.compare.compare(runs).contrasts     # the arms, as their sweep declared the comparison
    kernelevolve.archives.draw(runs, show="share")   # matplotlib figures
"""
import importlib

__version__ = "0.2.0"
_PLACES = {"open": "runs", "Runs": "runs", "RunError": "runs"}
_MODULES = {"analysis", "archives", "axes", "compare", "figures", "landscapes", "runs", "statistics"}


def __getattr__(name):
    """Loads pandas and SciPy when something of theirs is first asked for."""
    if name in _PLACES:
        return getattr(importlib.import_module(f".{_PLACES[name]}", __name__), name)
    if name in _MODULES:
        return importlib.import_module(f".{name}", __name__)
    raise AttributeError(f"module 'kernelevolve' has no attribute '{name}'")
