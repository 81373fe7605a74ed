#!/usr/bin/env python3
# Times nothing: may run beside others.
"""Searches with a language model in four languages that ship with the project replay to their printed hashes, without the
devices and compilers that made them."""
import json
import re
import sys

sys.path.insert(0, sys.path[0] + "/../support")
from program import RECORDINGS, SOURCE, fresh_folder, unpack_recording, verify, write  # noqa: E402

ROW = re.compile(r"\| (\S+)\.gz \| (\S+) \|.*`([0-9a-f]{64})` \|")


def main():
    folder = fresh_folder("recorded_languages")
    rows = ROW.findall((RECORDINGS / "README.md").read_text())
    shipped = {path.name for path in (RECORDINGS / "languages").glob("*.gz")}
    assert {name + ".gz" for name, _, _ in rows} == shipped and len(rows) >= 11, (rows, shipped)
    for name, _, _ in rows:
        unpack_recording(f"languages/{name}", folder)
    index = [{"file": name, "task_folder": str(SOURCE / "configs/tasks" / task)} for name, task, _ in rows]
    write({"index.json": json.dumps({"schema": "kernelevolve-index/1", "runs": index})})
    for name, _, printed in rows:
        report = verify(name, "--replay")
        assert report["history_hash"] == printed, (name, report)
    print(f"{len(rows)} searches replay")


if __name__ == "__main__":
    main()
