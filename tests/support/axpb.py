"""The task conformance/axpb with other kernels, and with one bench size and smaller others, or smaller as it is."""
import shutil

from markdown_blocks import lessen_work
from program import SOURCE, write

FOLDER = SOURCE / "configs/tasks/conformance/axpb"
# For lessen_work, of task.yaml.
SMALLER = {"n: 1048577,": "n: 10487,", "n: 2097152,": "n: 200000,", "n: 786433,": "n: 70001,", "n: 300007,": "n: 30011,",
           "n: 3000000,": "n: 150001,"}


def write_axpb(folder, naive, anchor, sizes):
    """sizes: of bench, of validation, and two of holdout."""
    kept = [line for line in (FOLDER / "task.yaml").read_text().splitlines()
            if not line.startswith(("include:", "kernels:", "workloads:", "  - {"))]
    kept += [f"kernels: {{naive: {naive}, anchor: {anchor}}}", "workloads:"]
    roles = ("test", "test", "test", "test", "bench", "validation", "holdout", "holdout", "holdout")
    kept += [f"  - {{n: {n}, role: {role}}}" for n, role in zip((1, 63, 64, 1009, *sizes, 999), roles, strict=True)]
    shutil.copytree(FOLDER, folder)
    write({"task.yaml": "\n".join(kept) + "\n"}, folder)


def copy_smaller(configs):
    """A copy of the task with SMALLER shapes, which experiments in that folder or the one above take by its name."""
    shutil.copytree(FOLDER, configs / "tasks/conformance/axpb")
    shutil.copytree(SOURCE / "configs/tasks/include", configs / "tasks/include")
    lessen_work(configs, {"tasks/conformance/axpb/task.yaml": SMALLER})
