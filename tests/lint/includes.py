#!/usr/bin/env python3
"""Rooms include only downwards, foreign headers stay out of the libraries' headers, vendor libraries are never linked.

core <- {archive, operators, fitness} <- experiments <- tests; siblings never include each other.
Rooms of experiments: text, page <- run <- study <- view <- dispatch <- cli.
Backends, folders of fitness, are included by nothing else there: what several share has a folder of its own.
A header is private, and may name foreign headers, when no other room includes it, be it through another header.
"""
import pathlib
import re
import sys

import tree

MAY_USE = {
    "core": {"core"},
    "archive": {"core", "archive"},
    "operators": {"core", "operators"},
    "fitness": {"core", "fitness"},
    "experiments": {*tree.LIBRARIES, "experiments"},
    "tests": set(tree.ROOMS),
}
EXPERIMENTS = ("text", "page", "run", "study", "view", "dispatch", "cli")
BACKENDS = {"cpu", "cuda", "hip", "opencl", "cross", "python", "function", "landscape", "replay"}
FOREIGN = re.compile(r"^(Eigen|boost|SQLiteCpp|sqlite3|curl|yaml-cpp|nlohmann(?!/json_fwd\.)|spdlog|fmt|openssl|seccomp|Random123"
                     r"|xxhash|httplib|dtl|zstd|cblas|dnnl|oneapi|libpq|tree_sitter)(/|\.|_|$)")
VENDOR_HEADER = re.compile(r"^(cuda|nvrtc|nvml|cupti|hip|hiprtc|rocm|CL)(/|_|\.|$)")
VENDOR_LINK = re.compile(r"find_package\(\s*(CUDA\w*|hip\w*|OpenCL)|\b(CUDA::|hip::|OpenCL::)\w+"
                         r"|-l(cuda|cudart|nvrtc|nvidia-ml|amdhip64|hiprtc|OpenCL)\b", re.IGNORECASE)
# Their files are copied into one folder elsewhere, and core/formula.hpp with those of libraries.
COPIED = tuple(pathlib.Path("experiments/dispatch") / folder
               for folder in ("library/common", "library/processor", "library/launched", "library/gpu", "library/opencl", "torch"))
FORMULA = "formula.hpp"
KERNELS = pathlib.Path("tests/golden/tasks")  # their headers are found by the task's folder
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def private_headers(sources):
    """Headers of {path: text} that no other room (tests aside) includes, be it through another header."""
    targets = {path: {pathlib.Path(found.group(2)) for found in map(INCLUDE.match, source.splitlines()) if found}
               for path, source in sources.items()}
    todo = [target for path, used in targets.items() for target in used
            if path.parts[0] not in ("tests", target.parts[0])]
    public = set()
    while todo:
        header = todo.pop()
        if header not in public:
            public.add(header)
            todo += targets.get(header, ())
    return {path for path in sources if path.suffix == ".hpp"} - public


def backend_of(path):
    """Backend whose folder contains the file, or None."""
    return path.parts[1] if path.parts[0] == "fitness" and len(path.parts) > 2 and path.parts[1] in BACKENDS else None


def reaches_into_backend(path, target):
    program = len(path.parts) > 1 and path.parts[1] == "programs"
    backend = backend_of(pathlib.PurePosixPath(target))
    return path.parts[0] == "fitness" and not program and backend not in (None, backend_of(path))


def downwards(path, target):
    """True for an include within experiments that stays in its room or goes to a lower one."""
    rooms = [EXPERIMENTS.index(name) if name in EXPERIMENTS else -1
             for name in (path.parts[1], pathlib.PurePosixPath(target).parts[1])]
    return -1 < rooms[1] <= rooms[0]


def check_include(path, quote, target, private=False):
    """Problem of one #include, or nothing."""
    room = path.parts[0]
    if KERNELS in path.parents:
        return None
    if VENDOR_HEADER.match(target):
        return f"vendor header '{target}': declare what you need and load it with dlopen"
    if path.suffix == ".hpp" and room in tree.LIBRARIES and not private and FOREIGN.match(target):
        return f"foreign header '{target}' in a public header: move it to the .cpp"
    if quote == "<":
        return None
    if path.parent in COPIED:
        known = target == FORMULA or any((tree.ROOT / folder / target).is_file() for folder in COPIED)
        return None if known else f"'{target}' is no file of {' or '.join(map(str, COPIED))}"
    first = target.split("/")[0]
    if room == "tests" and first == "configs":  # headers of shipped kernels are tested as well
        return None if (tree.ROOT / target).is_file() else f"'{target}' is no file of the tree"
    if "/" not in target or first not in tree.ROOMS:
        return f"'{target}' is not written from the repository root" if not FOREIGN.match(target) else None
    if first not in MAY_USE[room]:
        return f"'{target}': {room} may use only {', '.join(sorted(MAY_USE[room]))}"
    if room == first == "experiments" and not downwards(path, target):
        return f"'{target}': rooms of experiments include downwards only: {' <- '.join(EXPERIMENTS)}"
    if reaches_into_backend(path, target):
        return f"'{target}': a backend is included by nothing else of fitness; share it in a folder that is none"
    if not (tree.ROOT / target).is_file():
        return f"'{target}' is no file of the tree"
    return None


def check_source(path, source, private=False):
    for number, line in enumerate(source.splitlines(), 1):
        found = INCLUDE.match(line)
        problem = found and check_include(path, *found.groups(), private)
        if problem:
            yield f"{path}:{number}: {problem}"


def check_links(path):
    for number, line in enumerate(tree.text(path).splitlines(), 1):
        if VENDOR_LINK.search(line.split("#")[0]):
            yield f"{path}:{number}: CUDA, HIP and OpenCL are loaded with dlopen, never linked"


def main():
    sources = {path: tree.code(tree.text(path), keep_strings=True)
               for path in tree.files(".hpp", ".cpp", rooms=tree.ROOMS)}
    builds = [path for path in tree.files() if path.name == "CMakeLists.txt" or path.suffix == ".cmake"]
    private = private_headers(sources)
    findings = [line for path, source in sources.items() for line in check_source(path, source, path in private)]
    findings += [line for path in builds for line in check_links(path)]
    tree.report(findings, f"{len(sources)} sources, {len(builds)} build files")


if __name__ == "__main__":
    sys.exit(main())
