"""The task conformance/axpb with other kernels, and with one bench size and smaller others."""
import shutil

from program import SOURCE, write

FOLDER = SOURCE / "configs/tasks/conformance/axpb"


def write_axpb(folder, naive, anchor, sizes):
    """sizes: of bench, of validation, and two of holdout."""
    kept = [line for line in (FOLDER / "task.yaml").read_text().splitlines()
            if not line.startswith(("include:", "kernels:", "workloads:", "  - {"))]
    kept += [f"kernels: {{naive: {naive}, anchor: {anchor}}}", "workloads:"]
    roles = ("test", "test", "test", "test", "bench", "validation", "holdout", "holdout", "holdout")
    kept += [f"  - {{n: {n}, role: {role}}}" for n, role in zip((1, 63, 64, 1009, *sizes, 999), roles, strict=True)]
    shutil.copytree(FOLDER, folder)
    write({"task.yaml": "\n".join(kept) + "\n"}, folder)
