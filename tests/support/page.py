"""Whether a program can make pages: without npm's registry it is built without what they need."""
import subprocess


def missing_page(binary, runs, folder):
    """Why it cannot, or "". `runs`: run files, relative to `folder`."""
    made = subprocess.run([binary, "report", runs, "-o", "page.html"], capture_output=True, text=True, cwd=folder)
    return made.stderr.strip() if "built without its page" in made.stderr else ""
