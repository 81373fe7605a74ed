"""Unpacks the recorded runs into OUT/arms.full, where study.py looks for the runs of the sweep `arms`."""
import json
import os
import pathlib
import tarfile

HERE = pathlib.Path(__file__).resolve().parent


def unpack():
    folder = pathlib.Path(os.environ["OUT"]) / "arms.full"
    if not (folder / "whole").exists():
        with tarfile.open(HERE / "runs.tar.xz") as recorded:
            recorded.extractall(folder)
        runs = [{"file": path.name, "task_folder": str(HERE / "tasks" / path.name.split(".")[1])}
                for path in sorted(folder.glob("*.kev"))]
        (folder / "index.json").write_text(json.dumps({"schema": "kernelevolve-index/1", "runs": runs}))
        (folder / "whole").touch()
    return folder
