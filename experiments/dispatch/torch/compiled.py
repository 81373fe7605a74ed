"""operator.cpp, compiled for the PyTorch that runs here: once a machine, with g++.

The file lies beside this one where `deploy` compiled it for the same PyTorch, else in the user's cache."""

import ctypes
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import torch

FOLDER = pathlib.Path(__file__).parent
SOURCE, HEADERS = FOLDER / "operator.cpp", ("call_plans.hpp", "tensors.hpp")
FLAGS = ["-std=c++20", "-O2", "-fPIC", "-shared", "-Wl,-z,noexecstack"]


def source_hash():
    text = b"".join(file.read_bytes() for file in (SOURCE, *(FOLDER / name for name in HEADERS)))
    return hashlib.sha256(text).hexdigest()[:16]


def file_name():
    """A name for this source and this PyTorch: its C++ interface changes between versions."""
    return f"operator-{source_hash()}-torch-{torch.__version__}.so"


def cache_folder():
    return pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "kernelevolve"


def command(target):
    root = pathlib.Path(torch.__file__).parent
    abi = int(torch._C._GLIBCXX_USE_CXX11_ABI)
    return [os.environ.get("CXX", "g++"), *FLAGS, f"-D_GLIBCXX_USE_CXX11_ABI={abi}", "-isystem", str(root / "include"),
            str(SOURCE), "-o", str(target), f"-L{root / 'lib'}", "-ltorch_cpu", "-lc10", "-ldl", "-lpthread"]


def build(folder):
    """Compiles into a folder; returns the file."""
    folder.mkdir(parents=True, exist_ok=True)
    made = folder / f"{file_name()}.{os.getpid()}.part"
    words = command(made)
    print(f"{__package__}: compiling {SOURCE.name} once for PyTorch {torch.__version__}", file=sys.stderr)
    try:
        done = subprocess.run(words, capture_output=True, text=True)
    except FileNotFoundError as error:
        raise ImportError(f"{__package__}: there is no {words[0]}, which compiles its operators once for PyTorch "
                          f"{torch.__version__}; install it, or import the package once on a machine that has it and "
                          f"copy {file_name()} from {cache_folder()} there to {FOLDER}") from error
    if done.returncode != 0:
        raise ImportError(f"{__package__}: {' '.join(words)} failed:\n{done.stderr}")
    os.replace(made, folder / file_name())
    return folder / file_name()


def file():
    """The compiled file, which is made where there is none."""
    for folder in (FOLDER, cache_folder()):
        if (folder / file_name()).exists():
            return folder / file_name()
    try:
        return build(cache_folder())
    except OSError:  # a cache that cannot be written
        return build(pathlib.Path(tempfile.mkdtemp()))


def keep():
    """Copies the compiled file into the package, which then needs no compiler with this PyTorch."""
    found = file()
    for old in FOLDER.glob("operator-*.so"):
        if not old.name.startswith(f"operator-{source_hash()}-"):
            old.unlink()
    if found.parent != FOLDER:
        shutil.copyfile(found, FOLDER / f"{found.name}.part")
        os.replace(FOLDER / f"{found.name}.part", FOLDER / found.name)


def load():
    library = ctypes.CDLL(str(file()))
    pointer, text, flag, number = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_bool, ctypes.c_int64
    for name, answer, arguments in (
            ("new", pointer, [text, text, flag]),
            ("add_input", None, [pointer, text, text, number, number, flag, flag]),
            ("add_output", None, [pointer, text, number, number]),
            ("add_axis", None, [pointer, text, flag]),
            ("set_library", None, [pointer, pointer, pointer, pointer, flag]),
            ("register", text, [pointer, flag]),
            ("forget_prepared", None, [pointer]),
            ("repeat", None, [pointer, pointer, pointer, ctypes.c_size_t])):
        function = getattr(library, f"operator_{name}")
        function.restype, function.argtypes = answer, arguments
    return library
