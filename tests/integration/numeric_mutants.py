#!/usr/bin/env python3
# Times nothing: may run beside others.
"""Tests of numeric searches fail on builds with one injected fault.

Each fault is one edit of a copy of one source. Its object (or its folder's, if a folder is compiled
as one) is linked before the library and the build's test objects, so that it replaces the original.
A fault that the tests do not notice fails this test."""
import concurrent.futures
import os
import pathlib
import shlex
import subprocess
import sys

sys.path.insert(0, sys.path[0] + "/../support")
from program import BUILD, SOURCE, skip  # noqa: E402

TESTS = BUILD / "tests/CMakeFiles/experiments_tests.dir"
CORE = BUILD / "core/CMakeFiles/ke_core.dir"
FILTER = "NumericGolden.*:NumericEmitters.*:NumericReference.gaussian*:NumericReference.a_grid*"
FAULTS = [
    ("bins_off_by_one", "core/numeric/numeric_archive.cpp", "static_cast<std::uint32_t>(place), 0",
     "std::min(static_cast<std::uint32_t>(place) + 1, axis.bins - 1), 0"),
    ("last_of_equals_wins", "core/numeric/numeric_archive.cpp", "objectives[row] > objectives[winner]",
     "objectives[row] >= objectives[winner]"),
    ("line_from_the_wrong_end", "core/numeric/simple_emitters.cpp", "along * (to[d] - from[d])",
     "along * (to[d] + from[d])"),
]


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


def unit_of(source, copy):
    """Source to compile so that the copy replaces the original."""
    united = CORE / "Unity" / f"unity_{source.parent.as_posix().replace('/', '_')}_cxx.cxx"
    if not united.exists():
        return copy
    text = united.read_text()
    assert text.count(f'"{SOURCE / source}"') == 1, f"{united} does not name {source}"
    unit = copy.with_suffix(".unit.cpp")
    unit.write_text(text.replace(f'"{SOURCE / source}"', f'"{copy.absolute()}"'))
    return unit


def build(name, source, text):
    copy = pathlib.Path(f"{name}.cpp")
    copy.write_text(text)
    unit = unit_of(pathlib.Path(source), copy)
    compiler = cached("CMAKE_CXX_COMPILER")
    flags = ["-std=c++20", "-O1", "-DNDEBUG", "-ffp-contract=off", f"-I{SOURCE}", "-include", "algorithm",
             *subprocess.check_output(["pkg-config", "--cflags", "eigen3"], text=True).split()]
    subprocess.run([compiler, *flags, "-c", unit, "-o", f"{name}.o"], check=True)
    libraries = [BUILD / f"{room}/libke_{room}.a" for room in ("fitness", "core")]
    objects = objects_of(TESTS, "tests/experiments/run/numeric")
    others = ["-lgtest", "-lgtest_main", "-lfmt", "-lcrypto", "-lseccomp", "-lpthread"]
    subprocess.run([compiler, *map(str, objects), f"{name}.o", *map(str, libraries), *others, "-o", name], check=True)


def passes(name):
    return subprocess.run([f"./{name}", f"--gtest_filter={FILTER}"], stdout=subprocess.DEVNULL).returncode == 0


def rightly_judged(fault):
    name, path, old, new = fault
    text = (SOURCE / path).read_text()
    assert not old or text.count(old) == 1, f"{path}: '{old}' stands there {text.count(old)} times"
    build(name, path, text.replace(old, new) if old else text)
    return passes(name) == (name == "sound")


def main():
    if cached("KE_SANITIZE"):
        skip("sanitized build: faults are tried on the plain one")
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        builds = [("sound", "core/numeric/numeric_archive.cpp", "", "")] + FAULTS
        missed = [name for name, right in zip((name for name, *_ in builds), pool.map(rightly_judged, builds)) if not right]
    print(f"{len(FAULTS)} faults; wrongly judged: {shlex.join(missed) or 'none'}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
