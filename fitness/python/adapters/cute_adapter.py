"""CuTe DSL of CUTLASS: each @launch names a function under @cute.jit that launches one @cute.kernel.

Arguments become those of the function, in order: cute.Pointer for tensors and scratch, Int32, Int64; cutlass.Constexpr
parameters get knobs and constant axes.

Facts, seen with 4.5.3, 4.6.3, 4.7.1 and 4.8.1: cute.compile() takes made-up pointers and "--gpu-arch --keep-cubin
--keep-ptx", needs no driver, compiles for another GPU than the machine has, and its result has __cubin__ and __ptx__; a
block of constants is .reqntid in the PTX; a kernel's name is made from its arguments; without smem= the host code
computes the dynamic shared memory when it runs, which it never does here. 4.3.5 and 4.4.2 load libcuda.so.1 to compile.
"""
import contextlib
import io
import os
import re

import host_launch
import nvidia_code
from dsl_source import GENES, SOURCE, Refusal, line_of, parse, run

DISTRIBUTION = "nvidia-cutlass-dsl"
VERSIONS = ("4.5.", "4.6.", "4.7.", "4.8.")
TARGETS = "sm_"

REFUSED = {"autotune_jit": GENES, "autotune": GENES}
COMPILED_IN = ("grid", "block", "smem", "stream", "max_number_threads", "min_blocks_per_mp", "smem_merge_branch_allocs",
               "hint_smem_base_uniform")  # options of .launch() that the machine code or the plan contains
CLUSTERS = {".reqnctapercluster", ".explicitcluster", ".maxclusterrank", ".blocksareclusters"}
ANY_ADDRESS = 1 << 20
COLOURS = re.compile(r"\x1b\[\d*m")


def argument_of(given):
    import cutlass
    from cutlass import cute
    from cutlass.cute.runtime import make_ptr
    if given["type"][0] != "*":
        return getattr(cutlass, host_launch.TYPES[given["type"]])(1)
    element = getattr(cutlass, host_launch.TYPES[given["type"][1:]])
    return make_ptr(element, ANY_ADDRESS, cute.AddressSpace.gmem, assumed_align=16 if given["aligned"] else None)


def explain(error):
    """A Refusal of what compiling raised; the DSL runs the source's functions under their own lines."""
    line = error.line if getattr(error, "filename", None) == SOURCE and getattr(error, "line", None) else 0
    message = getattr(error, "message", None) or str(error)
    cause, advice = getattr(error, "cause", None), getattr(error, "suggestion", None)
    if " ICE " in message and cause is not None:  # the cause holds the message of the compiler's passes
        message = str(cause)
    if isinstance(advice, str):
        message += " (" + advice + ")"
    message = " ".join(COLOURS.sub("", message).split())
    return Refusal("compile_error", f"{type(error).__name__}: {message}", line or line_of(error))


def entry_of(compiled, name, arguments, line):
    """The kernel of the compiled function, whose parameters must be the plan's arguments."""
    found = nvidia_code.entries(compiled.__ptx__ or "")
    if len(found) != 1 or not isinstance(compiled.__cubin__, bytes):
        raise Refusal("refused_construct", f"{name}: its machine code must hold one kernel, it holds {len(found)}",
                      line)
    entry = found[0]
    host_launch.check_parameters(name, entry.parameter_bytes, arguments, "cute.Pointer, Int32 and Int64", line)
    if len(entry.block) == 0:
        raise Refusal("refused_construct", f"{name}: block= must be constants, without max_number_threads=", line)
    if entry.directives & CLUSTERS:
        raise Refusal("refused_construct", f"{name}: its kernel is for clusters", line)
    return entry


def shared_bytes(entry, launch, module, constants, host):
    """Dynamic shared memory."""
    if "smem" not in launch:
        if entry.dynamic_shared:
            raise Refusal("refused_construct", f"{host.name}: its kernel has dynamic shared memory, so .launch() must "
                          "say smem=BYTES", host.lineno)
        return 0
    size = host_launch.evaluate(launch["smem"], module, constants, host.name)
    if isinstance(size, bool) or not isinstance(size, int) or size < 0:
        raise Refusal("refused_construct", f"{host.name}: smem={size} is no number of bytes", launch["smem"].lineno)
    return size


def compile_one(module, tree, kernel, request):
    from cutlass import cute
    name, line = kernel["name"], kernel["line"]
    host = host_launch.host_function(tree, name, ("cute.jit", "jit"), line)
    launch = host_launch.launch_of(host, COMPILED_IN)
    constants = host_launch.constants_of(host, module, request["constants"])
    options = f"--gpu-arch {request['arch']} --keep-cubin --keep-ptx"
    if "opt_level" in request["constants"]:  # a knob with that name
        options += f" --opt-level {request['constants']['opt_level']}"
    try:
        values = host_launch.values_of(host, constants, kernel["arguments"], line, argument_of)
        compiled = cute.compile(getattr(module, name), *values, options=options)
    except Refusal:
        raise
    except Exception as error:
        raise explain(error) from error
    entry = entry_of(compiled, name, kernel["arguments"], line)
    return {"entry": entry.name, "block": entry.block, "hidden_pointers": 0,
            "shared_bytes": shared_bytes(entry, launch, module, constants, host), "code": compiled.__cubin__,
            "assembly": compiled.__ptx__, "static_shared": entry.static_shared}


def used(modules):
    """What the assembler would say of the most that a kernel uses. Local memory is what was spilled and arrays that
    are no registers; the machine code does not tell them apart."""
    registers, local = zip(*(nvidia_code.use(each["code"]) for each in modules))
    shared = max(each.pop("static_shared") for each in modules)
    return f"Used {max(registers)} registers, {shared} bytes smem\n{max(local)} bytes spill stores"


def compile_kernels(request):
    here = os.getcwd()
    os.environ.update(HOME=here, CUTE_DSL_ARCH=request["arch"], CUTE_DSL_CACHE_DIR=here, CUTE_DSL_DUMP_DIR=here,
                      CUTE_DSL_NO_CACHE="1")
    tree = parse(REFUSED)
    module = run()
    with contextlib.redirect_stdout(io.StringIO()):
        modules = [compile_one(module, tree, kernel, request) for kernel in request["kernels"]]
    host_launch.check_names(modules)
    return modules, used(modules)
