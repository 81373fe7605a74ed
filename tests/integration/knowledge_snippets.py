#!/usr/bin/env python3
# Times nothing: may run beside others.
# Runs with the Python of build/dsls.
"""Every snippet of the knowledge sheets compiles in its language, for the devices that its passage names. Languages whose
compiler is not installed are skipped, and counted; the last line has one count for each language."""

import ast
import collections
import concurrent.futures
import ctypes
import functools
import glob
import importlib.util
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(os.environ["KE_SOURCE"])
CLANG = "/usr/bin/clang-19"
GPU_ARCHS = {"ampere": "sm_80", "ada": "sm_89", "hopper": "sm_90a"}  # first named one, else oldest
HIP_ARCHS = ("gfx90a", "gfx942")
CPU_FLAGS = {"avx512": ["-march=sapphirerapids"], "avx2": ["-march=haswell"]}  # others: x86-64-v3
LIBRARY_OF_CHIPS = {"memcpy", "memmove", "memset"}

Snippet = collections.namedtuple("Snippet", "place language devices code")


class Missing(Exception):
    """A compiler that this machine lacks."""


def snippets():
    found = []
    for sheet in sorted((SOURCE / "operators/llm/knowledge").glob("*.md")):
        devices, fence, code = [], None, []
        for number, line in enumerate(sheet.read_text().splitlines(), 1):
            if fence is None and line.startswith("## "):
                devices = []
            elif fence is None and line.startswith("for: "):
                devices = [word for part in line.split() if part.startswith("device=") for word in part[7:].split(",")]
            elif line.startswith("```"):
                if fence is not None:
                    found.append(Snippet(f"{sheet.name}:{start}", fence, devices, "\n".join(code) + "\n"))
                    fence, code = None, []
                else:
                    fence, start = line[3:], number
            elif fence is not None:
                code.append(line)
    return found


def knobs(code):
    """Declared knobs at their defaults."""
    return dict(re.findall(r"@knob (\w+) \w+(?: *\{[^}]*\})? *= *(-?\w+)", code))


def defines(snippet):
    return [f"-D{name}={value}" for name, value in knobs(snippet.code).items()]


def run(command, code, name):
    """Compiles `code` as a file of this name in a separate folder; returns the object file, if
    any."""
    if not os.access(command[0], os.X_OK) and shutil.which(command[0]) is None:
        raise Missing(command[0])
    with tempfile.TemporaryDirectory(dir=".") as folder:
        (pathlib.Path(folder) / name).write_text(code)
        done = subprocess.run([*command, name, "-o", "made"], cwd=folder, capture_output=True, text=True, timeout=120)
        if done.returncode != 0:
            raise AssertionError(done.stderr or done.stdout)
        return (pathlib.Path(folder) / "made").read_bytes()


def undefined_symbols(made):
    with tempfile.NamedTemporaryFile(dir=".") as file:
        file.write(made)
        file.flush()
        listed = subprocess.run(["nm", "-u", file.name], capture_output=True, text=True, check=True).stdout
    return {line.split()[-1] for line in listed.splitlines()}


def compile_riscv(snippet):
    """Compiles like the shipped chip's toolchain, which has no library."""
    text = (SOURCE / "configs/backends/riscv.yaml").read_text()
    words = re.search(r"  compile: \[(.*?)\]\n", text, re.DOTALL).group(1).replace("\n", " ").split(",")
    words = [word.strip().strip('"') for word in words]
    support = str(SOURCE / "configs/backends/riscv")
    command, skip = [], False
    for word in words:
        if word in ("{flags}", "-c", "{source}", "-o", "{object}") or skip:
            skip = False
        elif word == "{defines}":
            command += defines(snippet)
        elif word == "-I":
            skip = True  # the task's headers
        else:
            command.append(word.replace("{support}", support))
    made = run([*command, "-c"], snippet.code, "kernel.cpp")
    needs = undefined_symbols(made) - LIBRARY_OF_CHIPS
    assert not needs, f"calls {', '.join(sorted(needs))}, which the chip lacks"


def compile_neon(snippet):
    """Compiles with a cross compiler, else with clang and its own header of intrinsics."""
    cross = shutil.which("aarch64-linux-gnu-g++")
    command = [cross, "-std=c++20"] if cross else [
        CLANG, "--target=aarch64-linux-gnu", "-std=c++20", "-ffreestanding", "-nostdlibinc", "-isystem",
        str(SOURCE / "configs/backends/riscv/include")]
    run([*command, "-O3", *defines(snippet), "-c"], snippet.code, "kernel.cpp")


def compile_cpp(snippet):
    if "riscv" in snippet.devices:
        compile_riscv(snippet)
        return
    if "neon" in snippet.devices:
        compile_neon(snippet)
    if "neon" not in snippet.devices or "x86" in snippet.devices:
        isa = next((CPU_FLAGS[device] for device in snippet.devices if device in CPU_FLAGS), ["-march=x86-64-v3"])
        run(["g++", "-std=gnu++20", "-O3", "-Wall", "-Wextra", "-Wno-psabi", "-Wno-uninitialized",
             "-Wno-maybe-uninitialized", "-Werror", *isa, *defines(snippet), "-c"],
            snippet.code, "kernel.cpp")


def compile_hip(snippet):
    """Compiles like fitness/hip/amd_builder.cpp."""
    for arch in HIP_ARCHS:
        run([CLANG, "-x", "hip", f"--offload-arch={arch}", "--offload-device-only", "--no-gpu-bundle-output", "-nogpuinc",
             "-nogpulib", "-nostdinc", "-nostdinc++", "-fuse-cuid=none", "-fno-math-errno", "-std=c++17", "-O3",
             f"-I{SOURCE}/configs/backends/hip/include", "-include", "hip/hip_runtime.h", *defines(snippet)],
            snippet.code, "kernel.hip")
    headers = f"--include-path={SOURCE}/configs/backends/hip/include"
    if nvrtc() is not None:  # the same source runs on NVIDIA GPUs
        compile_by_nvrtc(snippet, "sm_80", [headers, "--pre-include=hip/hip_runtime.h"])


def compile_opencl(snippet):
    run([CLANG, "-x", "cl", "-cl-std=CL3.0", "-Xclang", "-finclude-default-header", "--target=spir64-unknown-unknown", "-O2",
         "-Werror", *defines(snippet), "-c", "-emit-llvm"], snippet.code, "kernel.cl")


@functools.lru_cache
def nvrtc():
    """Finds the library like fitness/cuda/nvrtc.cpp; its builtins are found only if loaded
    before."""
    folders = [f"{SOURCE}/build/dsls/lib/python3*/site-packages/nvidia/cu13/lib", "/usr/local/cuda/lib64", "/usr/local/cuda/lib", "/opt/cuda/lib64", "/usr/lib/x86_64-linux-gnu",
               "/usr/local/cuda/targets/x86_64-linux/lib", "/usr/local/lib/python3*/*-packages/nvidia/c*/lib"]
    for folder in folders:
        for name in ("libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"):
            for path in glob.glob(f"{folder}/{name}"):
                for builtins in glob.glob(f"{os.path.dirname(path)}/libnvrtc-builtins.so*")[:1]:
                    ctypes.CDLL(builtins, ctypes.RTLD_GLOBAL)
                return ctypes.CDLL(path)
    return None


def compile_by_nvrtc(snippet, arch, options):
    library = nvrtc()
    program = ctypes.c_void_p()
    library.nvrtcCreateProgram(ctypes.byref(program), snippet.code.encode(), b"kernel.cu", 0, None, None)
    words = [f"--gpu-architecture={arch}", "-std=c++17", *options, *defines(snippet)]
    array = (ctypes.c_char_p * len(words))(*[word.encode() for word in words])
    status = library.nvrtcCompileProgram(program, len(words), array)
    size = ctypes.c_size_t()
    library.nvrtcGetProgramLogSize(program, ctypes.byref(size))
    log = ctypes.create_string_buffer(size.value)
    library.nvrtcGetProgramLog(program, log)
    library.nvrtcDestroyProgram(ctypes.byref(program))
    assert status == 0, f"{arch}: {log.value.decode()}"


def compile_cuda(snippet):
    """Compiles with NVRTC, as the judge does, else with nvcc."""
    arch = next((GPU_ARCHS[device] for device in snippet.devices if device in GPU_ARCHS), "sm_80")
    if nvrtc() is not None:
        compile_by_nvrtc(snippet, arch, [])
    elif shutil.which("nvcc"):
        run([shutil.which("nvcc"), "-cubin", f"-arch={arch}", "-std=c++17", *defines(snippet)], snippet.code, "kernel.cu")
    else:
        raise Missing("libnvrtc and no nvcc")


def type_of(word, code):
    """Type of an argument of @launch. Pointers have a half type if the head of the code says so,
    except sums."""
    if "(" in word:
        return word.split("(")[0]
    head = code.split("\nimport ")[0]
    half = re.search(r"in (bfloat16|float16)", head)
    if word == "indices":
        return "*int32"
    return "*" + (half.group(1) if half and word not in ("y", "c") else "float32")


def request_of(snippet):
    """Request that fitness/python/dsl_compiler.cpp would send to an adapter."""
    kernels = []
    for number, line in enumerate(snippet.code.splitlines(), 1):
        launch = re.match(r"# @launch (\w+) .*\bargs=\((.*?\)?)\)( when=.*)?$", line)
        if launch:
            words = re.findall(r"int(?:32|64)\([^)]*\)|\w+", launch.group(2))
            types = [type_of(word, snippet.code) for word in words]
            kernels.append({"name": launch.group(1), "line": number,
                            "arguments": [{"type": each, "aligned": each[0] == "*"} for each in types]})
    assert kernels, "no @launch"
    constants = {name: int(value) for name, value in knobs(snippet.code).items()}
    return {"arch": "sm_90a", "constants": constants, "kernels": kernels}


def compile_dsl(snippet, package):
    """Parses the snippet; if the DSL can be imported, compiles it with the adapter that judges its
    kernels."""
    ast.parse(snippet.code)
    request = request_of(snippet)
    if importlib.util.find_spec(package) is None:
        return f"parsed only: no {package}"
    adapters = SOURCE / "fitness/python/adapters"
    program = (f"import sys, json; sys.path.insert(0, {str(adapters)!r}); import {snippet.language}_adapter as adapter;"
               "adapter.compile_kernels(json.load(sys.stdin))")
    with tempfile.TemporaryDirectory(dir=".") as folder:
        (pathlib.Path(folder) / "kernel.py").write_text(snippet.code)
        done = subprocess.run([sys.executable, "-c", program], cwd=folder, input=json.dumps(request), capture_output=True,
                              text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return "compiled"


COMPILERS = {"cpp": compile_cpp, "cuda": compile_cuda, "hip": compile_hip, "opencl": compile_opencl,
             "triton": lambda snippet: compile_dsl(snippet, "triton"), "cute": lambda snippet: compile_dsl(snippet, "cutlass")}


def outcome(snippet):
    try:
        return COMPILERS[snippet.language](snippet) or "compiled"
    except Missing as missing:
        return f"skipped: no {missing}"
    except AssertionError as error:
        print(f"{snippet.place}: {snippet.language} does not compile\n{error}")
        return "failed"


def main():
    found = snippets()
    os.makedirs("snippets", exist_ok=True)
    os.chdir("snippets")
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        counts = collections.Counter(zip((each.language for each in found), pool.map(outcome, found)))
    for (language, how), count in sorted(counts.items()):
        print(f"{language}: {count} {how}")
    print(f"{len(found)} snippets")
    return 1 if any(how == "failed" for _, how in counts) else 0


if __name__ == "__main__":
    sys.exit(main())
