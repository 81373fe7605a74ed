"""Stands in for Triton 3.6 in tests: what the adapter uses of it, nothing more. The PTX of a kernel is what was asked
for, as JSON; its module is an ELF file with one section of code."""
import json
import struct
from types import SimpleNamespace

from . import language  # noqa: F401
from .compiler.errors import CompilationError
from .runtime.jit import Autotuner, Heuristics, jit  # noqa: F401


def autotune(configs, key):
    return Autotuner


def heuristics(values):
    return Heuristics


def module_of(name):
    """An ELF file: no section, code, names."""
    names = b"\0.text." + name.encode() + b"\0.shstrtab\0"
    code = b"code of " + name.encode()
    header = struct.pack("<16sHHIQQQIHHHHHH", b"\x7fELF\2\1\1", 2, 190, 1, 0, 0, 64 + len(code) + len(names), 0, 64, 0, 0,
                         64, 3, 2)
    section = struct.Struct("<IIQQQQIIQQ")
    return (header + code + names + section.pack(*[0] * 10)
            + section.pack(1, 1, 6, 0, 64, len(code), 0, 0, 16, 0)
            + section.pack(8 + len(name), 3, 0, 0, 64 + len(code), len(names), 0, 0, 1, 0))


def compile(src, target, options):
    for number, line in enumerate(src.fn.src.splitlines(), 1):
        if "undefined_name" in line:
            raise CompilationError(src.fn.src, SimpleNamespace(lineno=number), "NameError('undefined_name')")
    name = src.fn.__name__
    asked = {"signature": src.signature, "attrs": {str(at): value for at, value in src.attrs.items()},
             "constexprs": {str(at): value for at, value in src.constexprs.items()}, "options": options,
             "target": list(target)}
    print("ptxas info    : Used 40 registers, used 1 barriers")
    facts = SimpleNamespace(num_warps=options.get("num_warps", 4), shared=64, num_ctas=1,
                            global_scratch_size=128 if "scratch" in name else 0)
    return SimpleNamespace(metadata=facts, asm={"cubin": module_of(name), "ptx": json.dumps(asked)})
