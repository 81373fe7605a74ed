#!/usr/bin/env python3
"""What a task says of its tolerance, its licence and its group reaches the judge, `check`, `show`, exported kernels, the
report and `compare`."""
import json
import shutil
import sys

sys.path.insert(0, sys.path[0] + "/../support")
from program import carry_out, fresh_folder, json_of, says, show, write  # noqa: E402

FOLDER = fresh_folder("task_rules")
TASK = """schema: kernelevolve-task/1
name: NAME
source: "a test"
licence: LicenseRef-Test
category: GROUP
axes: {n: var}
signature: [x, y, n]
inputs:
  x: {shape: [n], classes: [normal, positive]}
outputs:
  y: {shape: [n]}
tolerance: {relative: 1.0e-5, relative_l2: 1.0e-5, scale: 1.0e-6}
row: n
cost: {bytes: "8*n", flops: "2*n"}
reference: reference.cpp
kernels: {naive: naive.cpp, anchor: naive.cpp}
workloads:
  - {n: 1, role: test}
  - {n: 1009, role: test}
  - {n: 400000, role: bench}
  - {n: 300000, role: validation}
  - {n: 50000, role: holdout}
  - {n: 70001, role: holdout}
  - {n: 350000, role: holdout}
"""
KERNEL = """// @knob UNROLL int {1, 2, 4} = 1
// @flags -O3; -march=native?
#include <cstddef>
extern "C" void kernel(const TYPE* x, TYPE* y, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) y[i] = i < COUNT ? 2 * x[i] + 1 : 0;
}
"""
USUAL = "relative: 1.0e-5, relative_l2: 1.0e-5, scale: 1.0e-6"


def kernel(count="n", element="float"):
    return KERNEL.replace("TYPE", element).replace("COUNT", count)


def task(name, tolerance=USUAL, group='"level 1"'):
    write({"task.yaml": TASK.replace("NAME", name).replace("GROUP", group).replace(USUAL, tolerance), "naive.cpp": kernel(),
           "reference.cpp": kernel("n", "double").replace("void kernel", "void reference")}, name)


def judged(name, code, *parts):
    says(("eval", f"./{name}", "partial.cpp", "--only", "correctness"), *parts, code=code)


def a_share_of_the_elements_is_judged_as_declared():
    (FOLDER / "partial.cpp").write_text(kernel("n - n / 100"))
    task("all")
    task("shared", "relative: 1.0e-5, matched_ratio: 0.98")
    task("capped", "relative: 1.0e-5, matched_ratio: 0.98, max_error: 0.5")
    judged("all", 1, "wrong_result")
    judged("shared", 0, "verdict ok")
    judged("capped", 1, "wrong_result", "beyond the largest error")
    says(("check", "./shared"), "a kernel may get 2 % of the elements wrong", "is admitted")
    says(("check", "./capped"), "is admitted")
    says(("show", "contract", "./capped"), "for at least 98 % of the elements of each output and |got - ref| <= 0.5")


def licence_and_group_reach_what_people_read():
    task("second", group='"level 2"')
    for seed, name in enumerate(("all", "second")):
        (FOLDER / f"{name}.yaml").write_text(
            f"name: {name}\ntask: ./{name}\nseed: {seed}\nbudget: {{evaluations: 3}}\nverify: {{cells: 1}}\n"
            "operators: {knob_step: 1, random_restart: 1}\nislands: {count: 1}\n")
        says(("run", f"{name}.yaml", "-o", f"runs/{name}", "-q"))
    said = says(("show", "runs/all"), "source       a test", "licence      LicenseRef-Test", "category     level 1")
    assert "libraries" not in said, said
    labels = show("runs/all")["labels"]
    assert labels == {"source": "a test", "licence": "LicenseRef-Test", "category": "level 1", "libraries": "forbidden",
                      "threads": "1"}, labels
    says(("export", "runs/all", "--kernel", "champion", "-o", "exported"))
    assert json.loads((FOLDER / "exported/candidate.json").read_text())["task"]["licence"] == "LicenseRef-Test"
    files = sorted(FOLDER.glob("runs/*/*.kev"))
    for file in files:
        shutil.copy(file, FOLDER / f"arm.{file.parent.name}.kev")
    words = ("compare", "arm.all.kev", "arm.second.kev", "endpoint=best_verified_speedup", "baseline=naive")
    says(words, "By category of the tasks:", "level 2", "sol: SOL score", "2 of 2 runs have one")
    arm = json_of(*words)["arms"][0]
    assert [group["name"] for group in arm["groups"]] == ["level 1", "level 2"], arm
    assert 0 < arm["sol"] <= 1 and arm["sol_runs"] == 2, arm


def counted_calls_make_the_score():
    """A kernel that is slow at the short shape, which is called 30 times as often."""
    task("counted")
    text = (FOLDER / "counted/task.yaml").read_text().replace("anchor: naive.cpp", "anchor: slow.cpp")
    text = text.replace("{n: 400000, role: bench}", "{n: 400000, role: bench}\n  - {n: 20000, role: bench, weight: 30}")
    (FOLDER / "counted/task.yaml").write_text(text.replace("row: n", "row: n\naggregate: total_time"))
    slow = kernel().replace("{\n  for", "{\n  if (n < 30000) {\n    for (std::size_t i = 0; i < n; ++i) {\n"
                            "      volatile float v = x[i];\n      for (int k = 0; k < 4; ++k) v = v + 0;\n"
                            "      y[i] = 2 * v + 1;\n    }\n    return;\n  }\n  for", 1)
    (FOLDER / "counted/slow.cpp").write_text(slow)
    says(("show", "contract", "./counted"), "96.8 % of the calls", "the speedup of all calls together at the bench shapes, over")
    for _ in range(5):  # a busy machine may time nothing
        answer = json_of("eval", "./counted", "counted/slow.cpp", "--against", "naive")
        if answer["speedup"]:
            break
    own = {one["workload"]: one for one in answer["workloads"] if one["role"] == "bench"}
    long, short = own["n=400000"], own["n=20000"]
    assert short["speedup"] < 0.7 < long["speedup"], own
    total = {name: long[name] + 30 * short[name] for name in ("baseline_ns", "candidate_ns")}
    assert 0.8 < answer["speedup"] / (total["baseline_ns"] / total["candidate_ns"]) < 1.25, answer
    assert abs(answer["baseline_ns"] / (total["baseline_ns"] / 31) - 1) < 1e-6, answer
    (FOLDER / "counted.yaml").write_text("name: counted\ntask: ./counted\nbudget: {evaluations: 2}\nverify: {cells: 1, naive_flag_sets: 1}\n"
                                         "operators: {knob_step: 1}\nislands: {count: 1}\ndevice: {kind: cpu, verify_time: 1s}\n")
    says(("run", "counted.yaml", "-o", "runs/counted", "-q"))
    said = says(("show", "runs/counted"))
    shown = show("runs/counted")
    naive = shown["champion"]["verified"]["roles"]["bench"]["naive"]
    assert naive.get("note") or naive["speedup"] < 0.8, naive
    assert "slower       than naive at bench n=20000 (0." in said and "bench n=20000" in shown["slower"]["naive"], said


if __name__ == "__main__":
    carry_out(a_share_of_the_elements_is_judged_as_declared, licence_and_group_reach_what_people_read,
              counted_calls_make_the_score)
