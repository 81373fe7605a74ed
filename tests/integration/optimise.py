#!/usr/bin/env python3
# Times nothing: may run beside others.
"""From a PyTorch module to a faster module with one command: it goes on after a kill at any step and measures nothing twice,
and it says what to set where nobody answers. The tutorial, which another test runs, asks by letter and finds nothing faster.

Exit code 77: this python3 has no PyTorch."""

import json
import os
import re
import signal
import subprocess
import sys
import time

sys.path.insert(0, sys.path[0] + "/../support")
import program  # noqa: E402
from llm_server import mock_llm  # noqa: E402
from needs import has_torch  # noqa: E402
from program import SOURCE, USAGE, fresh_folder, skip, write  # noqa: E402

FOLDER = fresh_folder("optimise")
DOCS = SOURCE / "experiments/docs/tutorial_module.md"
QUICK = ("budget.evaluations=1", "budget.proposals=4", "islands.lag=0", "device={kind: cpu, verify_time: 100ms}")
ENVIRONMENT = {**os.environ, "PATH": f"/usr/bin:{os.environ['PATH']}"}  # Debian's python3 has Debian's PyTorch
ENVIRONMENT.pop("OPENAI_API_KEY", None)
MODEL = """import torch

rows, columns, length, width = 401, 300, 64, 48


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(width, width)

    def forward(self, x, left, right):
        mixed = (left.abs() * right + left) * (left + right) * 0.5 + right * left
        return torch.relu(self.layer(x)), mixed


def get_inputs():
    return [torch.randn(length, width), torch.randn(rows, columns), torch.randn(rows, columns)]


def get_init_inputs():
    return []
"""


def files_of_the_tutorial():
    """The page's modules and kernels."""
    for name, text in re.findall(r"^cat >(\S+\.(?:py|cpp)) <<'EOF'\n(.*?)^EOF$", DOCS.read_text(), re.DOTALL | re.MULTILINE):
        write({name: text})
        if name.endswith(".cpp"):
            write({name.replace(".cpp", ".md"): f"```cpp\n{text}```\n"})


def start(*words, env=ENVIRONMENT):
    return program.start("optimise", *words, env=env, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def call(*words, **more):
    process = start(*words, **more)
    out, err = process.communicate(timeout=500)
    return process.returncode, out, err


def recorded(answer):
    return f"llm={{kind: command, program: [cat, {FOLDER / answer}]}}"


def says_what_to_set():
    code, out, err = call("zscore.py", "-o", "nobody")
    assert code == USAGE and not out and not (FOLDER / "nobody").exists(), (code, out, err)
    for word in ("OPENAI_API_KEY", "kind: mailbox", "kind: command", "kind: cassette"):
        assert word in err, err
    for words, message in ((("none.py", "-o", "x"), "none.py: no such file"), (("zscore.py",), "needs --out FOLDER"),
                           (("zscore.py", "-o", "x", "budget.evaluation=1"), "budget.evaluation")):
        code, out, err = call(*words)
        assert code == USAGE and message in err, (words, code, err)


def goes_on_after_each_kill():
    """Killed when a step begins, once a step: the end is that of a command that was never killed."""
    words = ("zscore.py", "-q", "-o", "killed", *QUICK, recorded("zscore.md"))
    for step in ("import", "run", "dispatch", "deploy"):
        process = start(*words)
        said = []
        for line in process.stderr:
            said.append(line)
            if f"kernelevolve {step} " in line or "kernelevolve resume " in line and step == "run":
                time.sleep(0.3)
                os.killpg(process.pid, signal.SIGKILL)
                break
        process.wait()
        assert process.returncode == -signal.SIGKILL, (step, process.returncode, said)
    code, out, err = call(*words)
    assert code == 0, (code, out, err)
    begun = [line for line in err.splitlines() if line.startswith("optimise: kernelevolve ")]
    assert len(begun) == 1 and " deploy " in begun[0], begun  # the others were finished before
    return out


def is_measured_once(out):
    before = {path: path.stat().st_mtime_ns for path in (FOLDER / "killed").rglob("*") if path.is_file()
              and path.name != "optimise.json"}
    code, again, err = call("zscore.py", "-o", "killed")
    assert code == 0 and again == out and "kernelevolve " not in err, (code, again, out, err)
    assert before == {path: path.stat().st_mtime_ns for path in before}
    code, out, err = call("zscore.py", "-o", "killed", "--json")
    summary = json.loads(out)
    task, = summary["tasks"]
    assert task["task"] == "zscore" and task["faster"] and task["against"] == "pytorch_eager", task
    over = task["over"]["pytorch_eager"]  # null where the machine was too busy to tell how much faster
    assert (over["speedup"] or 2) > 1.5 and task["shapes"] == 3 and task["role"] == "holdout", task
    assert all(0 < row["library"] < row["opponents"]["pytorch_eager"] for row in task["times_ns"]), task
    assert summary["cost"]["answers"] == 1 and summary["use"][1] == "fast_zscore.zscore(x)", summary
    for name in ("kernel_operator.py", "operators/zscore/libzscore.so", "README.md"):
        assert (FOLDER / summary["package"] / name).exists(), name


def the_folder_belongs_to_its_first_command():
    for words, message in ((("distances.py",), "zscore.py as it was then"), (("zscore.py", "--device", "cuda"), "--device cpu"),
                           (("zscore.py", "--model"), "begun with a module"),
                           (("zscore.py", "budget.evaluations=2"), "the settings 'budget.evaluations=1")):
        code, out, err = call(*words, "-o", "killed")
        assert code == USAGE and message in err, (words, code, err)


def whole_model():
    """Needs PyTorch 2.5 or later, for the python3 that is first in PATH. A server stands in for the language model's."""
    if not has_torch(2, 5):
        print("python3 has no PyTorch 2.5 or later: a whole model is left out")
        return
    write({"model.py": MODEL, "replies/1.md": """```cpp
// @flags -O3 -march=native
#include <cmath>
#include <cstddef>
extern "C" void kernel(const float* a, const float* b, float* out, std::size_t rows, std::size_t columns) {
  for (std::size_t i = 0; i < rows * columns; ++i) {
    const float l = a[i], r = b[i];
    out[i] = (std::fabs(l) * r + l) * (l + r) * 0.5f + r * l;
  }
}
```
"""})
    with mock_llm("replies", "for-a-test") as addresses:
        code, out, err = call("model.py", "--model", "-q", "-o", "model", *QUICK, f"llm.base_url={addresses['openai_chat']}",
                              "llm.price=free", env={**os.environ, "OPENAI_API_KEY": "for-a-test"})
    assert code == 0 and "not faster" in out and "end to end: " in out, (code, out, err)
    assert "for-a-test" not in out + err, err
    assert "model = fast_model.load_model()" in out, out


def main():
    if not has_torch(path=ENVIRONMENT["PATH"]):
        skip("python3 has no PyTorch")
    files_of_the_tutorial()
    begin = time.monotonic()
    says_what_to_set()
    is_measured_once(goes_on_after_each_kill())
    the_folder_belongs_to_its_first_command()
    whole_model()
    print(f"{time.monotonic() - begin:.0f} s")


if __name__ == "__main__":
    main()
