#!/usr/bin/env python3
"""Every header compiles alone: each one is the only include of a translation unit of its own."""
import concurrent.futures
import os
import subprocess
import sys

import tree

COMMAND = [os.environ.get("CXX", "g++"), "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror",
           "-Wno-unused-function", f'-DKE_SOURCE_DIR="{tree.ROOT}"', f'-DKE_BINARY_DIR="{tree.ROOT}/build"', "-I", str(tree.ROOT), "-x", "c++", "-"]


def compile_alone(path):
    """The first diagnostics of the header, or nothing. Twice, so that a missing `#pragma once` shows."""
    unit = f'#include "{path}"\n#include "{path}"\n'
    done = subprocess.run(COMMAND, input=unit, capture_output=True, text=True, cwd=tree.ROOT)
    if done.returncode == 0:
        return None
    return f"{path}: does not compile alone\n" + "\n".join(done.stderr.splitlines()[:6])


def main():
    headers = tree.files(".hpp", rooms=tree.ROOMS)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        findings = [finding for finding in pool.map(compile_alone, headers) if finding]
    tree.report(findings, f"{len(headers)} headers")


if __name__ == "__main__":
    sys.exit(main())
