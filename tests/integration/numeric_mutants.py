#!/usr/bin/env python3
# Times nothing: may run beside others.
"""Tests of numeric searches fail with one injected fault.

Each fault is another expression in a copy of one source, which the environment's INJECTED chooses: all are compiled at once.
The copies' objects (or their folder's, if a folder is compiled as one) are linked before the library and the build's test
objects, so that they replace the originals. Without a fault the tests pass; one that they do not notice fails this test."""
import os
import pathlib
import shlex
import subprocess
import sys

sys.path.insert(0, sys.path[0] + "/../support")
from program import BUILD, SOURCE, fresh_folder, skip, write  # noqa: E402

TESTS = BUILD / "tests/CMakeFiles/experiments_tests.dir"
CORE = BUILD / "core/CMakeFiles/ke_core.dir"
FILTER = "NumericGolden.*:NumericEmitters.*:NumericReference.gaussian*:NumericReference.a_grid*"
FAULTS = [
    ("bins_off_by_one", "core/numeric/numeric_archive.cpp", "static_cast<std::uint32_t>(place)",
     "std::min(static_cast<std::uint32_t>(place) + 1, axis.bins - 1)"),
    ("last_of_equals_wins", "core/numeric/numeric_archive.cpp", "objectives[row] > objectives[winner]",
     "objectives[row] >= objectives[winner]"),
    ("line_from_the_wrong_end", "core/numeric/simple_emitters.cpp", "along * (to[d] - from[d])",
     "along * (to[d] + from[d])"),
]
INJECTED = """#pragma once
#include <algorithm>
#include <cstdlib>
#include <string_view>
inline bool injected(std::string_view fault) {
  static const char* const chosen = std::getenv("INJECTED");
  return chosen != nullptr && chosen == fault;
}
"""


def cached(name):
    for line in (BUILD / "CMakeCache.txt").read_text().splitlines():
        if line.startswith(name + ":"):
            return line.partition("=")[2]
    return ""


def objects_of(target, folder):
    """The objects made from a folder's sources, in a target's folder of the build."""
    united = target / "Unity" / f"unity_{folder.replace('/', '_')}_cxx.cxx.o"
    found = [united] if united.exists() else sorted((target / folder.partition("/")[2]).glob("*.o"))
    assert found, f"no objects of {folder} in {target}"
    return found


def copies():
    """{source: its copy, with all of its faults}"""
    made = {}
    for name, path, right, wrong in FAULTS:
        copy = made.setdefault(path, pathlib.Path(path.rpartition("/")[2]).absolute())
        text = (copy if copy.exists() else SOURCE / path).read_text()
        assert text.count(right) == 1, f"{path}: '{right}' stands there {text.count(right)} times"
        copy.write_text(text.replace(right, f'(injected("{name}") ? {wrong} : {right})'))
    return made


def units_of(made):
    """Sources to compile so that the copies replace the originals."""
    united = CORE / "Unity" / "unity_core_numeric_cxx.cxx"
    if not united.exists():
        return list(made.values())
    text = united.read_text()
    for path, copy in made.items():
        assert text.count(f'"{SOURCE / path}"') == 1, f"{united} does not name {path}"
        text = text.replace(f'"{SOURCE / path}"', f'"{copy}"')
    write({"unit.cpp": text})
    return [pathlib.Path("unit.cpp")]


def build():
    write({"injected.hpp": INJECTED})
    compiler = cached("CMAKE_CXX_COMPILER")
    flags = ["-std=c++20", "-O1", "-DNDEBUG", "-ffp-contract=off", f"-I{SOURCE}", "-include", "injected.hpp",
             *subprocess.check_output(["pkg-config", "--cflags", "eigen3"], text=True).split()]
    compiled = []
    for unit in units_of(copies()):
        compiled.append(unit.with_suffix(".o"))
        subprocess.run([compiler, *flags, "-c", unit, "-o", compiled[-1]], check=True)
    libraries = [BUILD / f"{room}/libke_{room}.a" for room in ("fitness", "core")]
    objects = objects_of(TESTS, "tests/experiments/run/numeric")
    others = ["-lgtest", "-lgtest_main", "-lfmt", "-lcrypto", "-lseccomp", "-lpthread"]
    subprocess.run([compiler, *map(str, objects + compiled + libraries), *others, "-o", "tests"], check=True)


def passes(fault):
    return subprocess.run(["./tests", f"--gtest_filter={FILTER}", "--gtest_fail_fast"], stdout=subprocess.DEVNULL,
                          env={**os.environ, "INJECTED": fault}).returncode == 0


def main():
    if cached("KE_SANITIZE"):
        skip("sanitized build: faults are tried on the plain one")
    fresh_folder("numeric_mutants")
    build()
    tried = ["sound", *(name for name, *_ in FAULTS)]
    missed = [fault for fault in tried if passes(fault) != (fault == "sound")]
    print(f"{len(FAULTS)} faults; wrongly judged: {shlex.join(missed) or 'none'}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
