"""Checks whether runs can be compared and drawn here."""
import subprocess

NEEDED = "import matplotlib, pandas, scipy, statsmodels"


def python_with_matplotlib():
    """One of the Pythons that the program tries; None where none has the packages."""
    found = (python for python in ("python3", "/usr/bin/python3")
             if subprocess.run([python, "-c", NEEDED], stderr=subprocess.DEVNULL).returncode == 0)
    return next(found, None)


def can_draw():
    return python_with_matplotlib() is not None
