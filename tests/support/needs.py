"""Requirements of tests on this machine: where one is missing, the test ends with exit code 77 and the reason."""
import importlib
import os
import subprocess
import sys

from program import call, json_of, skip

DEBIAN = "/usr/bin/python3"  # which has Debian's PyTorch


def need(*packages):
    """Goes on with a Python that has these, first this one. Children take it as python3."""
    try:
        for name in packages:
            importlib.import_module(name)
    except ImportError as error:
        if os.path.realpath(sys.executable) != os.path.realpath(DEBIAN):
            os.execv(DEBIAN, [DEBIAN, *sys.argv])
        skip(error)
    os.environ["PATH"] = os.pathsep.join([os.path.dirname(sys.executable), os.environ["PATH"]])


def need_torch(*least, gpu=False):
    """The PyTorch of this Python, of at least that version, on request one that finds an NVIDIA GPU."""
    try:
        import torch
    except ImportError as error:
        skip(error)
    if tuple(int(part) for part in torch.__version__.split(".")[:2]) < least:
        skip(f"PyTorch {'.'.join(map(str, least))} or later is needed, this is {torch.__version__}")
    if gpu and not torch.cuda.is_available():
        skip("needs an NVIDIA GPU and PyTorch for it")
    return torch


def need_of_debian(*packages):
    for name in packages:
        if subprocess.run([DEBIAN, "-c", f"import {name}"], capture_output=True).returncode != 0:
            skip(f"{DEBIAN} has no {name}: install Debian's python3-{name}")


def need_of_machine(*needs):
    """Requires findings of `doctor`."""
    findings = json_of("doctor", codes=(0, 4))["findings"]
    assert set(needs) <= {finding["what"] for finding in findings}, (needs, findings)
    missing = [f"{finding['what']}: {finding['detail']}" for finding in findings if finding["what"] in needs and not finding["ok"]]
    if missing:
        skip("; ".join(missing))


def has_torch(*least, path=None):
    """Whether the python3 of PATH has PyTorch, of at least that version."""
    statement = f"import torch; assert tuple(map(int, torch.__version__.split('.')[:2])) >= {least}"
    return subprocess.run(["python3", "-c", statement], capture_output=True,
                          env={**os.environ, "PATH": path or os.environ["PATH"]}).returncode == 0


def missing_page(runs, folder="."):
    """Why the program cannot make pages, or "": a build without npm's registry lacks their parts. `runs`: run files."""
    _, _, err = call("report", runs, "-o", "page.html", cwd=folder)
    return err.strip() if "built without its page" in err else ""


def python_with_matplotlib():
    """One of the Pythons that the program tries; None where none has the packages of comparisons and drawings."""
    needed = "import matplotlib, pandas, scipy, statsmodels"
    return next((python for python in ("python3", DEBIAN)
                 if subprocess.run([python, "-c", needed], stderr=subprocess.DEVNULL).returncode == 0), None)


def can_draw():
    return python_with_matplotlib() is not None


def need_drawing():
    if not can_draw():
        skip("the Python packages of kernelevolve are missing")
