"""FlyDSL: each @launch names a function under @flyc.jit that launches one @flyc.kernel, compiled for an AMD GPU.

Arguments become those of the function, in order: fx.Pointer for tensors and scratch, Int32, Int64; fx.Constexpr
parameters get knobs and constant axes.

Facts, seen with 0.4.0, 0.4.2 and 0.5.0 (0.3.4.1 ends with a signal): flyc.compile() takes null pointers and needs neither a GPU nor ROCm, but for ld.lld,
which it looks for below ROCM_PATH; with FLYDSL_DUMP_IR=1 it writes what each pass left, the last one with the code object,
whose notes say the name, block, parameters, registers and LDS of the kernel. (export_to_c() writes it too, but starts
objcopy, which the sandbox does not let set the rights of files.) The package imports PyTorch to name its types, and
NumPy; it declares neither. Functions of AMD's device library (ocml) want its bitcode below ROCM_PATH.
"""
import ast
import contextlib
import glob
import io
import os
import re
import sys
import types

import amd_code
import host_launch
from dsl_source import GENES, SOURCE, Refusal, line_of, parse, run

DISTRIBUTION = "flydsl"
VERSIONS = ("0.4.", "0.5.")
TARGETS = "gfx"

REFUSED = {"autotune": GENES}
COMPILED_IN = ("grid", "block", "stream")
ROCM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "rocm")  # holds only llvm/bin/ld.lld
BINARY = re.compile(r'\bbin = "((?:[^"\\]|\\.)*)"')
TORCH_TYPES = "float16 bfloat16 float32 float64 bool uint8 int8 int16 int32 int64".split()


def import_package():
    """Imports it without PyTorch, whose import takes seconds and of which nothing is used here."""
    torch = types.ModuleType("torch")
    torch.Tensor = type("Tensor", (), {})
    torch.cuda = types.SimpleNamespace(Stream=type("Stream", (), {}))
    for name in TORCH_TYPES:
        setattr(torch, name, name)
    sys.modules["torch"] = torch
    try:
        import flydsl.compiler
        import flydsl.expr
    except ImportError as error:
        raise Refusal("refused_construct", f"flydsl: {error}; its Python needs numpy too") from error
    finally:
        del sys.modules["torch"]
    return flydsl.compiler, flydsl.expr


def require_linker():
    """The package does not say that it misses one."""
    if not glob.glob("/usr/bin/ld.lld*"):
        raise Refusal("refused_construct", "flydsl: no ld.lld in /usr/bin: apt install lld-19")


def refuse_dynamic_lds(tree):
    for node in ast.walk(tree):
        name = getattr(node, "attr", getattr(node, "id", ""))
        if name == "get_dyn_shared" or isinstance(node, ast.keyword) and node.arg == "static":
            raise Refusal("refused_construct", "LDS must be static, as SharedAllocator() allocates it by default",
                          getattr(node, "lineno", 0))


def argument_of(given):
    import flydsl.compiler
    import flydsl.expr
    if given["type"][0] != "*":
        return getattr(flydsl.expr, host_launch.TYPES[given["type"]])(1)
    element = getattr(flydsl.expr, host_launch.TYPES[given["type"][1:]])
    return flydsl.compiler.from_c_void_p(element, None, assumed_align=16 if given["aligned"] else None)


def explain(error):
    """A Refusal of what compiling raised."""
    for one in getattr(error, "diagnostics", None) or []:
        lines = [frame.line for frame in one.chain if frame.filename == SOURCE]
        return Refusal("compile_error", f"{type(error).__name__}: {one.message}", lines[0] if lines else 0)
    return Refusal("compile_error", f"{type(error).__name__}: {error}", line_of(error))


@contextlib.contextmanager
def no_error_told(line):
    """Refuses a kernel of which LLVM said an error and went on: what it lacks, it leaves out."""
    with open("told.txt", "w+b") as told:
        before = os.dup(2)
        os.dup2(told.fileno(), 2)
        try:
            yield
        finally:
            os.dup2(before, 2)
            os.close(before)
        told.seek(0)
        for text in told.read().decode("utf-8", "replace").splitlines():
            if text.startswith("error: "):
                raise Refusal("compile_error", text, line)


def code_objects(index):
    """Those of a compiled function, in the dump of what the last pass left."""
    found = []
    for name in glob.glob(f"dump{index}/*/*_gpu_module_to_binary.mlir"):
        with open(name, encoding="utf-8") as file:
            found += map(amd_code.unquoted, BINARY.findall(file.read()))
    return found


def compile_one(flyc, module, tree, kernel, request, index):
    name, line = kernel["name"], kernel["line"]
    host = host_launch.host_function(tree, name, ("flyc.jit", "jit"), line)
    host_launch.launch_of(host, COMPILED_IN)
    constants = host_launch.constants_of(host, module, request["constants"])
    try:
        values = host_launch.values_of(host, constants, kernel["arguments"], line, argument_of)
        os.environ["FLYDSL_DUMP_DIR"] = os.path.abspath(f"dump{index}")
        with no_error_told(host.lineno):
            flyc.compile(getattr(module, name), *values)
    except Refusal:
        raise
    except Exception as error:
        raise explain(error) from error
    objects = code_objects(index)
    found = [entry for each in objects for entry in amd_code.kernels(each)]
    if len(objects) != 1 or len(found) != 1:
        raise Refusal("refused_construct", f"{name}: its machine code must hold one kernel, it holds {len(found)}",
                      line)
    entry = found[0]
    host_launch.check_parameters(name, entry.parameter_bytes, kernel["arguments"], "fx.Pointer, Int32 and Int64", line)
    if not entry.block:
        raise Refusal("refused_construct", f"{name}: block= must be constants", line)
    return {"entry": entry.name, "block": entry.block, "hidden_pointers": 0, "shared_bytes": 0, "code": objects[0],
            "assembly": "", "resources": entry.resources}


def compile_kernels(request):
    here = os.getcwd()
    os.environ.update(HOME=here, TMPDIR=here, ROCM_PATH=ROCM, ARCH=request["arch"], FLYDSL_GPU_ARCH=request["arch"],
                      FLYDSL_RUNTIME_ENABLE_CACHE="0", FLYDSL_DUMP_IR="1")
    tree = parse(REFUSED)
    refuse_dynamic_lds(tree)
    require_linker()
    flyc, _ = import_package()
    module = run()
    with contextlib.redirect_stdout(io.StringIO()):
        modules = [compile_one(flyc, module, tree, kernel, request, i) for i, kernel in enumerate(request["kernels"])]
    host_launch.check_names(modules)
    return modules, ""
