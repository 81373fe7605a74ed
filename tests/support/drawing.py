"""Checks whether figures can be drawn here."""
import subprocess


def can_draw():
    """True if one of the Pythons that `plot` tries has matplotlib."""
    return any(subprocess.run([python, "-c", "import matplotlib"], stderr=subprocess.DEVNULL).returncode == 0
               for python in ("python3", "/usr/bin/python3"))
