"""The program under test."""
import json
import os
import subprocess

BINARY = os.environ["KERNELEVOLVE"]


def call(folder, *words, codes=(0,)):
    """Standard output of a call in the folder, which must end with one of the codes."""
    done = subprocess.run([BINARY, *map(str, words)], cwd=folder, capture_output=True, text=True, timeout=400)
    assert done.returncode in codes, (words, done.returncode, done.stdout, done.stderr)
    return done.stdout


def machine_has(*needs):
    """Whether `doctor` finds all of them; prints why not."""
    findings = json.loads(call(".", "doctor", "--json", codes=(0, 4)))["findings"]
    missing = [finding for finding in findings if finding["what"] in needs and not finding["ok"]]
    assert set(needs) <= {finding["what"] for finding in findings}, (needs, findings)
    for finding in missing:
        print(f"skipped: {finding['what']}: {finding['detail']}")
    return not missing
