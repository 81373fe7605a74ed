"""Checks whether figures can be drawn here."""
import subprocess


def python_with_matplotlib():
    """One of the Pythons that `plot` tries; None where neither can draw."""
    found = (python for python in ("python3", "/usr/bin/python3")
             if subprocess.run([python, "-c", "import matplotlib"], stderr=subprocess.DEVNULL).returncode == 0)
    return next(found, None)


def can_draw():
    return python_with_matplotlib() is not None
