#!/usr/bin/env python3
# Times nothing: may run beside others.
"""Tests experiments/bundle.sh. The bundle runs for an ordinary user in a root folder that holds
nothing else, at any place, and reports what is missing; on this machine it finds the machine's
programs. Without unprivileged namespaces only the latter is tested."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, sys.path[0] + "/../support")
from needs import missing_page  # noqa: E402
from program import BUILD, RECORDINGS, SOURCE, outcome, skip, unpack_recording, write  # noqa: E402

ROOT = pathlib.Path("root").resolve()
NOBODY = 65534
# A user has all rights inside the namespaces that he creates, and none outside.
ENTER = 'mount --rbind /proc "$0/proc" && mount --rbind /dev "$0/dev" && cd "$0" && exec chroot . "$@"'
EXPERIMENT = """schema: kernelevolve/1
name: made
seed: 1
budget: {evaluations: 60}
device: {kind: function, function: rastrigin, dimensions: 3}
"""


def ordinary(*words):
    """Command line that an ordinary user runs in new namespaces."""
    user = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"] if os.geteuid() == 0 else []
    return [*user, "unshare", "--map-root-user", "--mount", *words]


def inside(*words, code=0):
    """Runs a program of the bundle where no other file exists."""
    done = subprocess.run(ordinary("sh", "-c", ENTER, ROOT, *words), capture_output=True, text=True,
                          env={"PATH": os.environ["PATH"], "HOME": "/tmp"})
    assert done.returncode == code, (words, done.returncode, done.stdout, done.stderr)
    return done.stdout


def unpack():
    shutil.rmtree(ROOT, ignore_errors=True)
    for name in ("proc", "dev", "tmp", "opt"):
        (ROOT / name).mkdir(parents=True)
    (ROOT / "tmp").chmod(0o777)
    archive = ROOT / "tmp/bundle.tar.gz"
    print(subprocess.check_output([SOURCE / "experiments/bundle.sh", archive, BUILD], text=True).strip())
    shutil.unpack_archive(archive, ROOT / "opt")
    archive.unlink()


def findings(text):
    return {one["what"]: one for one in json.loads(text)["findings"]}


def finds_what_this_machine_has():
    folder = ROOT / "opt/kernelevolve/bin"
    found = findings(outcome(folder / "kernelevolve", "doctor", "--json")[1])
    for name in ("kernelevolve-worker", "kernelevolve-cuda"):
        assert found[name]["ok"] and found[name]["detail"] == str(folder / name), found[name]
    assert found["/usr/bin/g++"]["ok"] == os.access("/usr/bin/g++", os.X_OK), found["/usr/bin/g++"]
    listed = subprocess.check_output([folder / "kernelevolve", "list", "tasks", "--json"], text=True)
    assert str(SOURCE) not in listed, "tasks of the source tree are used"


def says_what_is_missing(program):
    found = findings(inside(program, "doctor", "--json", code=4))
    compiler = found["/usr/bin/g++"]
    assert not compiler["ok"] and "oracle" in compiler["detail"], compiler
    assert "libcuda.so.1" in found["cuda driver"]["detail"], found["cuda driver"]
    assert found["kernelevolve-sandbox"]["ok"] and found["kernelevolve-cuda"]["ok"], found


def searches_and_reports(program):
    write({"tmp/made.yaml": EXPERIMENT}, ROOT)
    inside(program, "run", "/tmp/made.yaml", "-q", "-o", "/tmp/runs")
    shown = json.loads(inside(program, "show", "/tmp/runs", "--json"))["runs"]
    assert [run["evaluations"] for run in shown] == [60], shown
    if why := missing_page(ROOT / "tmp/runs", ROOT / "tmp"):
        print(f"without a report: {why}")
        return
    inside(program, "report", "/tmp/runs", "-o", "/tmp/report.html")
    assert "</html>" in (ROOT / "tmp/report.html").read_text()


def replays_the_recorded_run(program):
    unpack_recording("softmax-llm.kev", ROOT / "tmp").chmod(0o666)
    said = json.loads(inside(program, "verify", "--replay", "/tmp/softmax-llm.kev", "--json"))
    recorded = re.search(r"history `([0-9a-f]{64})`", (RECORDINGS / "README.md").read_text()).group(1)
    assert said["ok"] and said["history_hash"] == recorded, said


def main():
    unpack()
    finds_what_this_machine_has()
    if subprocess.run(ordinary("true"), capture_output=True).returncode != 0:
        skip("no namespaces for ordinary users, so no root folder without other files")
    says_what_is_missing("/opt/kernelevolve/bin/kernelevolve")
    searches_and_reports("/opt/kernelevolve/bin/kernelevolve")
    (ROOT / "opt/kernelevolve").rename(ROOT / "opt/moved")
    # A system whose own C library is too old for the bundle, which must not use it.
    write({"lib64/ld-linux-x86-64.so.2": "ld.so (GNU libc) stable release version 2.31."}, ROOT)
    replays_the_recorded_run("/opt/moved/bin/kernelevolve")
    shutil.rmtree(ROOT)


if __name__ == "__main__":
    main()
