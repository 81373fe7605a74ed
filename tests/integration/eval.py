#!/usr/bin/env python3
"""`eval` on a conformance task, at small shapes: verdicts, figures, diagnostics, options, stable keys and exit codes."""

import json
import pathlib
import shutil
import sys

sys.path.insert(0, sys.path[0] + "/../support")
import program  # noqa: E402
from program import DEVICE, SOURCE, Skipped, carry_out, fresh_folder, json_of, write  # noqa: E402

FOLDER = fresh_folder("eval")
TASK = str(FOLDER / "tasks/conformance/axpb")
SHAPES = {"test": (1, 63, 64, 1009), "bench": (200000,), "validation": (65537,), "holdout": (1000, 30011, 150001)}
HEAD = "#include <cstddef>\nextern \"C\" void kernel(const float* in, float* out, std::size_t n) {\n"
KERNELS = {
    "good.cpp": HEAD + "  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;\n}\n",
    # Eight dependent divisions per element: several times slower, and exact.
    "slow.cpp": HEAD + "  for (std::size_t i = 0; i < n; ++i) {\n    volatile float v = in[i];\n"
                "    for (int k = 0; k < 8; ++k) v = v / 1.0f;\n    out[i] = 2.0f * v + 1.0f;\n  }\n}\n",
    "wrong.cpp": HEAD + "  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i];\n}\n",
    "broken.cpp": HEAD + "  out[0] = undeclared;\n}\n",
    "knobs.cpp": "// @knob SIGN enum {plus, minus} = plus\n// @knob STEP int {1, 2} = 1\n"
                 "// @require SIGN == 0 || STEP == 1\n" + HEAD +
                 "  for (std::size_t i = 0; i < n; i += STEP) {\n"
                 "    for (std::size_t j = i; j < n && j < i + STEP; ++j)\n"
                 "      out[j] = 2.0f * in[j] + (SIGN == SIGN_plus ? 1.0f : -1.0f);\n  }\n}\n",
}
KEYS = ["verdict", "reason", "speedup", "ci", "baseline_ns", "candidate_ns", "message", "diagnostics", "sandbox_level"]


def make_task():
    shutil.copytree(SOURCE / "configs/tasks/include", FOLDER / "tasks/include")
    shutil.copytree(SOURCE / "configs/tasks/conformance/axpb", TASK)
    document = pathlib.Path(TASK, "task.yaml")
    shapes = [f"  - {{n: {n}, role: {role}}}\n" for role, sizes in SHAPES.items() for n in sizes]
    document.write_text(document.read_text().partition("workloads:\n")[0] + "workloads:\n" + "".join(shapes))


def call(*words):
    return program.call("eval", *words, timeout=120)


def refused(words, part):
    code, out, err = call(TASK, *words)
    assert code == 2 and part in err and not out, (words, code, err)


def judged(code, *words):
    for _ in range(5):
        got, out, err = call(TASK, *words, "--json")
        answer = json.loads(out or "{}")
        if answer.get("verdict") != "unreliable":
            break
    else:
        raise Skipped("the machine is too busy to time a kernel")
    assert got == code, (words, got, out, err)
    assert [key for key in KEYS if key not in answer] == [], answer.keys()
    return answer


def has_no_figures(answer):
    return all(answer[key] is None for key in ("speedup", "ci", "baseline_ns", "candidate_ns"))


def check_figures(answer):
    low, high = answer["ci"]
    assert 0 < low <= answer["speedup"] <= high, answer
    assert answer["baseline_ns"] > 0 and answer["candidate_ns"] > 0, answer
    ratio = answer["baseline_ns"] / answer["candidate_ns"]  # medians; speedup: paired samples
    assert 0.5 < ratio / answer["speedup"] < 2, answer


def a_good_kernel():
    answer = judged(0, "good.cpp", "--flags", "-O3")
    assert (answer["verdict"], answer["reason"]) == ("ok", ""), answer
    check_figures(answer)


def told_apart(is_so, *words):
    """Retries: a timing is one pair of processes, and a process may be slow for its whole life."""
    for _ in range(3):
        answer = judged(0, *words, "--only", "timing")
        check_figures(answer)
        if is_so(*answer["ci"]):
            return
    raise AssertionError(answer)


def a_slow_kernel_and_its_opponent():
    told_apart(lambda low, high: high < 1, "slow.cpp")
    told_apart(lambda low, high: low > 1, "good.cpp", "--against", "slow.cpp")
    anchor = judged(0, "good.cpp", "--only", "timing", "--against", "anchor")
    assert anchor["against"] == "anchor", anchor


def knobs():
    correct = ["--only", "correctness"]
    judged(0, "knobs.cpp", *correct)
    judged(0, "knobs.cpp", "--knobs", "STEP=2", *correct)
    assert judged(1, "knobs.cpp", "--knobs", "STEP=1 SIGN=minus", *correct)["verdict"] == "wrong_result"
    for words, part in (("STOP=2", "knobs.cpp has no knob 'STOP': SIGN | STEP; did you mean 'STEP'?"),
                        ("STEP=3", "STEP = '3' is not one of 1 | 2"), ("SIGN", "SIGN = '' is not one of plus | minus"),
                        ("SIGN=minus STEP=2", "--knobs = 'SIGN=minus STEP=2': a @require of knobs.cpp does not hold")):
        refused(("knobs.cpp", "--knobs", words), part)


def a_wrong_kernel():
    seen = set()
    for _ in range(20):  # an undisclosed shape may be the first to fail
        answer = judged(1, "wrong.cpp")
        assert answer["verdict"] == "wrong_result" and answer["reason"], answer
        assert has_no_figures(answer), answer
        seen.add(answer["message"])
        if "got " in answer["message"] and " want " in answer["message"]:
            return
    raise AssertionError(f"no message shows a mismatch: {seen}")


def an_error_of_the_compiler():
    answer = judged(1, "broken.cpp")
    assert answer["verdict"] == "compile_error" and has_no_figures(answer), answer
    first = answer["diagnostics"][0]
    assert (first["file"], first["line"], first["severity"]) == ("kernel.cpp", 3, "error"), first
    assert "undeclared" in first["message"], first


def correctness_alone():
    assert has_no_figures(judged(0, "good.cpp", "--only", "correctness"))
    assert judged(1, "wrong.cpp", "--only", "correctness")["verdict"] == "wrong_result"


def levels_of_the_sandbox():
    offered = json_of("doctor")
    tried = 0
    for level in ("namespaces", "landlock", "rlimits"):
        code, out, err = call(TASK, "good.cpp", "--only", "correctness", "--sandbox", level, "--json")
        if code == DEVICE:
            assert f"no sandbox level {level}" in err and level in json.dumps(offered), err
            continue
        answer = json.loads(out)
        assert code == 0 and answer["sandbox_level"] == level, answer
        assert (level == "namespaces") == ("warning" not in err), err
        tried += 1
    assert tried > 0


def explanation_and_text():
    code, out, _ = call(TASK, "good.cpp", "--only", "correctness", "--explain")
    assert code == 0 and out.startswith("verdict ok\n") and "vector_width = " in out, out
    record = json.loads(out[out.index("{"):])
    assert record["verdict"] == "ok" and "error_used_of_allowed" in record, record


def bad_words():
    code, out, err = call("nowhere", "good.cpp")
    assert code == 2 and "no task 'nowhere'" in err and not out, (code, err)
    for words, part in ((["none.cpp"], "no such kernel file"),
                        (["good.cpp", "--only", "nothing"], "all | compile | correctness | timing"),
                        (["good.cpp", "--against", "nobody"], "no kernel 'nobody'"),
                        (["good.cpp", "--sandbox", "tent"], "namespaces | landlock | rlimits")):
        refused(words, part)
    answer = judged(1, "good.cpp", "--flags", "-fplugin=x.so")
    assert (answer["verdict"], answer["reason"]) == ("rejected", "forbidden_flag"), answer


if __name__ == "__main__":
    make_task()
    write(KERNELS)
    carry_out(bad_words, knobs, an_error_of_the_compiler, a_wrong_kernel, correctness_alone, levels_of_the_sandbox,
              explanation_and_text, a_slow_kernel_and_its_opponent, a_good_kernel)
