#!/usr/bin/env python3
# Times nothing: may run beside others.
"""Searches with a language model in four languages that ship with the project replay to their printed hashes, without the
devices and compilers that made them."""
import gzip
import json
import os
import pathlib
import re
import shutil
import subprocess

BINARY = os.environ["KERNELEVOLVE"]
CONFIGS = pathlib.Path(os.environ["KE_SOURCE"]) / "configs"
RECORDINGS = CONFIGS / "recordings"
FOLDER = pathlib.Path("recorded_languages")
ROW = re.compile(r"\| (\S+)\.gz \| (\S+) \|.*`([0-9a-f]{64})` \|")


def main():
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir()
    rows = ROW.findall((RECORDINGS / "README.md").read_text())
    shipped = {path.name for path in (RECORDINGS / "languages").glob("*.gz")}
    assert {name + ".gz" for name, _, _ in rows} == shipped and len(rows) >= 11, (rows, shipped)
    for name, _, _ in rows:
        (FOLDER / name).write_bytes(gzip.decompress((RECORDINGS / "languages" / f"{name}.gz").read_bytes()))
    index = [{"file": name, "task_folder": str(CONFIGS / "tasks" / task)} for name, task, _ in rows]
    (FOLDER / "index.json").write_text(json.dumps({"schema": "kernelevolve-index/1", "runs": index}))
    for name, _, printed in rows:
        done = subprocess.run([BINARY, "verify", "--replay", "--json", str(FOLDER / name)], capture_output=True, text=True)
        assert done.returncode == 0, (name, done.stdout, done.stderr)
        report = json.loads(done.stdout)
        assert report["ok"] and report["history_hash"] == printed, (name, report)
    print(f"{len(rows)} searches replay")


if __name__ == "__main__":
    main()
