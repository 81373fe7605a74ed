#!/usr/bin/env python3
"""Every header compiles alone. The build proves it for headers that their own .cpp includes first;
each other header is compiled as the only include of a translation unit."""
import concurrent.futures
import os
import pathlib
import subprocess
import sys

import tree

COMMAND = [os.environ.get("CXX", "g++"), "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror",
           "-Wno-unused-function", f'-DKE_SOURCE_DIR="{tree.ROOT}"', f'-DKE_BINARY_DIR="{tree.ROOT}/build"', "-I", str(tree.ROOT),
           # Headers of exported libraries are copied side by side.
           "-I", str(tree.ROOT / "core"), "-I", str(tree.ROOT / "experiments/dispatch/library/common"),
           "-I", str(tree.ROOT / "experiments/dispatch/library/launched"), "-x", "c++", "-"]
NEED_PYTORCH = pathlib.Path("experiments/dispatch/torch")  # compiled against PyTorch's headers, where a package is


def compile_alone(path):
    """The first diagnostics of the header, or nothing."""
    unit = f'#include "{path}"\n'
    done = subprocess.run(COMMAND, input=unit, capture_output=True, text=True, cwd=tree.ROOT)
    if done.returncode == 0:
        return None
    return f"{path}: does not compile alone\n" + "\n".join(done.stderr.splitlines()[:6])


def built_first(path):
    """True if <path>.cpp exists and includes this header first."""
    source = (tree.ROOT / path).with_suffix(".cpp")
    if not source.is_file():
        return False
    includes = [line for line in source.read_text().splitlines() if line.startswith("#include")]
    return bool(includes) and includes[0] == f'#include "{path}"'


def main():
    findings = [f"{path}: does not begin with #pragma once" for path in tree.files(".hpp", rooms=tree.ROOMS)
                if not tree.text(path).startswith("#pragma once\n")]
    headers = [path for path in tree.files(".hpp", rooms=tree.ROOMS) if not built_first(path) and path.parent != NEED_PYTORCH]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        findings += [finding for finding in pool.map(compile_alone, headers) if finding]
    tree.report(findings, f"{len(headers)} headers")


if __name__ == "__main__":
    sys.exit(main())
