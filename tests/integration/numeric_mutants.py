#!/usr/bin/env python3
"""The tests of numeric searches fail on builds with one fault in them.

Each fault is one edit of a copy of one source; its object is linked before the library, so that it takes the place of
the sound one, with the test objects that the build has made. A fault that the tests do not notice fails this test."""
import os
import pathlib
import shlex
import subprocess
import sys

BUILD = pathlib.Path(os.environ["KE_BUILD"])
SOURCE = pathlib.Path(os.environ["KE_SOURCE"])
TESTS = BUILD / "tests/CMakeFiles/experiments_tests.dir/experiments/numeric"
FILTER = "NumericGolden.*:NumericEmitters.*:NumericReference.gaussian*:NumericReference.a_grid*"
FAULTS = [
    ("bins_rounded", "core/numeric/cells.cpp", "static_cast<std::uint32_t>(place), 0",
     "std::min(static_cast<std::uint32_t>(place + 0.5), axis.bins - 1), 0"),
    ("bins_off_by_one", "core/numeric/cells.cpp", "static_cast<std::uint32_t>(place), 0",
     "std::min(static_cast<std::uint32_t>(place) + 1, axis.bins - 1), 0"),
    ("last_of_equals_wins", "core/numeric/numeric_archive.cpp", "objectives[row] > objectives[winner]",
     "objectives[row] >= objectives[winner]"),
    ("first_of_a_batch_wins", "core/numeric/numeric_archive.cpp", "|| objectives[row] > objectives[winner]", ""),
    ("sigma_a_tenth_too_large", "core/numeric/simple_emitters.cpp", "options_.sigma * row[d]",
     "1.1 * options_.sigma * row[d]"),
    ("line_from_the_wrong_end", "core/numeric/simple_emitters.cpp", "along * (to[d] - from[d])",
     "along * (to[d] + from[d])"),
]


def cached(name):
    for line in (BUILD / "CMakeCache.txt").read_text().splitlines():
        if line.startswith(name + ":"):
            return line.partition("=")[2]
    return ""


def build(name, source, text):
    copy = pathlib.Path(f"{name}.cpp")
    copy.write_text(text)
    compiler = cached("CMAKE_CXX_COMPILER")
    flags = ["-std=c++20", "-O3", "-DNDEBUG", "-ffp-contract=off", f"-I{SOURCE}", "-include", "algorithm"]
    subprocess.run([compiler, *flags, "-c", copy, "-o", f"{name}.o"], check=True)
    libraries = [BUILD / f"{room}/libke_{room}.a" for room in ("fitness", "core")]
    objects = sorted(TESTS.glob("*.o"))
    assert objects, f"no test objects in {TESTS}"
    others = ["-lgtest", "-lgtest_main", "-lfmt", "-lcrypto", "-lpthread"]
    subprocess.run([compiler, *map(str, objects), f"{name}.o", *map(str, libraries), *others, "-o", name], check=True)


def passes(name):
    return subprocess.run([f"./{name}", f"--gtest_filter={FILTER}"], stdout=subprocess.DEVNULL).returncode == 0


def main():
    if cached("KE_SANITIZE"):
        print("sanitized build: faults are tried on the plain one")
        return 77
    missed = []
    for name, path, old, new in [("sound", "core/numeric/cells.cpp", "", "")] + FAULTS:
        text = (SOURCE / path).read_text()
        assert not old or text.count(old) == 1, f"{path}: '{old}' stands there {text.count(old)} times"
        build(name, path, text.replace(old, new) if old else text)
        if passes(name) != (name == "sound"):
            missed.append(name)
    print(f"{len(FAULTS)} faults; wrongly judged: {shlex.join(missed) or 'none'}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
