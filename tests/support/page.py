"""Checks whether a program can make pages: a build without npm's registry lacks their parts."""
import subprocess


def missing_page(binary, runs, folder):
    """Reason why it cannot, or "". `runs`: run files, relative to `folder`."""
    made = subprocess.run([binary, "report", runs, "-o", "page.html"], capture_output=True, text=True, cwd=folder)
    return made.stderr.strip() if "built without its page" in made.stderr else ""
