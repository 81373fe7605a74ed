"""CuTe DSL of CUTLASS: each @launch names a function under @cute.jit that launches one @cute.kernel.

That function is compiled, which traces it here; the host code that this gives never runs. Its kernel's machine code is
taken, and the block and the shared memory that its .launch() asks for. The launch itself is the plan's. Arguments
become those of the function, in order: cute.Pointer for tensors and scratch, Int32, Int64; cutlass.Constexpr parameters
get knobs and constant axes.

Written from the documentation of 4.7.0, of which 4.3 to 4.6 say the same in what is used here; it never ran with the
package itself. Facts from there and from the Python sources of that version: cute.compile() takes made-up pointers and
"--gpu-arch --keep-cubin --keep-ptx", compiles for another GPU than the machine has, and its result has __cubin__ and
__ptx__; a block of constants is .reqntid in the PTX; a kernel's name is made from its arguments; without smem= the host
code computes the dynamic shared memory when it runs, which it never does here.
"""
import ast
import contextlib
import io
import os

import nvidia_code
from dsl_source import Refusal, line_of, parse, refuse_decorators, run

DISTRIBUTION = "nvidia-cutlass-dsl"
VERSIONS = ("4.3.", "4.4.", "4.5.", "4.6.", "4.7.")

SOURCE = "kernel.py"
GENES = "it would choose by timing of its own: declare its parameters as '# @knob', they are genes"
REFUSED = {"autotune_jit": GENES, "autotune": GENES}
TYPES = {"float32": "Float32", "float64": "Float64", "float16": "Float16", "bfloat16": "BFloat16", "int32": "Int32",
         "int64": "Int64", "uint8": "Uint8"}
COMPILED_IN = ("grid", "block", "smem", "stream", "max_number_threads", "min_blocks_per_mp", "smem_merge_branch_allocs",
               "hint_smem_base_uniform")  # options of .launch() whose effect is in the machine code or the plan
CLUSTERS = {".reqnctapercluster", ".explicitcluster", ".maxclusterrank", ".blocksareclusters"}
ANY_ADDRESS = 1 << 20


def host_function(tree, name, line):
    for node in tree.body:
        decorators = [ast.unparse(each.func if isinstance(each, ast.Call) else each)
                      for each in getattr(node, "decorator_list", [])]
        if isinstance(node, ast.FunctionDef) and node.name == name and {"cute.jit", "jit"} & set(decorators):
            return node
    raise Refusal("no_such_kernel", f"'{name}' is no function under @cute.jit", line)


def is_launch(node):
    """`k(..).launch(..)`, or its short form `k(..)(grid=..)`."""
    if not isinstance(node, ast.Call):
        return False
    if isinstance(node.func, ast.Attribute):
        return node.func.attr == "launch"
    return isinstance(node.func, ast.Call) and not {"grid", "block"}.isdisjoint(each.arg for each in node.keywords)


def launch_of(host):
    """The only launch of a function, as option -> expression."""
    found = [node for node in ast.walk(host) if is_launch(node)]
    if len(found) != 1:
        raise Refusal("refused_construct", f"{host.name}: one .launch() must stand in it, it has {len(found)}",
                      host.lineno)
    launch = found[0]
    for option in launch.keywords:
        if option.arg not in COMPILED_IN:
            raise Refusal("refused_construct", f"{host.name}: .launch() with '{option.arg or '**'}' cannot be carried "
                          "over: clusters, cooperative and dependent launches are not for kernels of a Python DSL",
                          option.value.lineno)
    if launch.args:
        raise Refusal("refused_construct", f"{host.name}: .launch() takes its options by name", launch.lineno)
    return {option.arg: option.value for option in launch.keywords}


def constants_of(host, module, knobs):
    """Values of the parameters under cutlass.Constexpr."""
    given = host.args.posonlyargs + host.args.args
    if host.args.vararg or host.args.kwonlyargs or host.args.kwarg:
        raise Refusal("refused_construct", f"{host.name}: its parameters must be plain ones", host.lineno)
    defaults = dict(zip([each.arg for each in given][len(given) - len(host.args.defaults):], host.args.defaults))
    values = {}
    for each in given:
        if each.annotation is None or "Constexpr" not in ast.unparse(each.annotation):
            continue
        if each.arg in knobs:
            values[each.arg] = knobs[each.arg]
        elif each.arg in defaults:
            values[each.arg] = evaluate(defaults[each.arg], module, {}, host.name)
        else:
            raise Refusal("bad_plan", f"{host.name}: '{each.arg}' is neither a knob nor a fixed axis of the task",
                          host.lineno)
    return [each.arg for each in given], values


def evaluate(expression, module, constants, name):
    try:
        return eval(compile(ast.Expression(expression), SOURCE, "eval"), vars(module), dict(constants))
    except Exception as error:
        raise Refusal("refused_construct", f"{name}: '{ast.unparse(expression)}' must be computed from Constexpr "
                      f"parameters and names of the module alone: {error}", expression.lineno) from error


def argument_of(given):
    import cutlass
    from cutlass import cute
    from cutlass.cute.runtime import make_ptr
    if given["type"][0] != "*":
        return getattr(cutlass, TYPES[given["type"]])(1)
    element = getattr(cutlass, TYPES[given["type"][1:]])
    return make_ptr(element, ANY_ADDRESS, cute.AddressSpace.gmem, assumed_align=16 if given["aligned"] else None)


def architecture(capability):
    return f"sm_{capability}" + ("a" if capability >= 90 else "")


def explain(error):
    """A Refusal of what compiling raised; the DSL runs the source's functions under their own lines."""
    path = os.path.abspath(SOURCE)
    line = error.line if getattr(error, "filename", None) == path and getattr(error, "line", None) else 0
    message = getattr(error, "message", None) or str(error)
    return Refusal("compile_error", f"{type(error).__name__}: {message}", line or line_of(error, path))


def entry_of(compiled, name, arguments, line):
    """The kernel of the compiled function, whose parameters must be the plan's arguments."""
    found = nvidia_code.entries(compiled.__ptx__ or "")
    if len(found) != 1 or not isinstance(compiled.__cubin__, bytes):
        raise Refusal("refused_construct", f"{name}: its machine code must hold one kernel, it holds {len(found)}",
                      line)
    entry, wanted = found[0], [4 if each["type"] == "int32" else 8 for each in arguments]
    if entry.parameter_bytes != wanted:
        raise Refusal("bad_plan", f"{name}: its kernel takes parameters of {entry.parameter_bytes} bytes, @launch "
                      f"gives {wanted}: kernels take cute.Pointer, Int32 and Int64 in the order of args=, no "
                      "cute.Tensor", line)
    if len(entry.block) == 0:
        raise Refusal("refused_construct", f"{name}: block= must be constants, without max_number_threads=", line)
    if entry.directives & CLUSTERS:
        raise Refusal("refused_construct", f"{name}: its kernel is for clusters", line)
    return entry


def shared_bytes(entry, launch, module, constants, host):
    if "smem" not in launch:
        if entry.dynamic_shared:
            raise Refusal("refused_construct", f"{host.name}: its kernel has dynamic shared memory, so .launch() must "
                          "say smem=BYTES", host.lineno)
        return 0
    size = evaluate(launch["smem"], module, constants, host.name)
    if isinstance(size, bool) or not isinstance(size, int) or size < 0:
        raise Refusal("refused_construct", f"{host.name}: smem={size} is no number of bytes", launch["smem"].lineno)
    return size


def compile_one(module, tree, kernel, request):
    from cutlass import cute
    name, line = kernel["name"], kernel["line"]
    host = host_function(tree, name, line)
    launch = launch_of(host)
    order, constants = constants_of(host, module, request["constants"])
    parameters = [each for each in order if each not in constants]
    if len(parameters) != len(kernel["arguments"]):
        raise Refusal("bad_plan", f"{name} takes {len(parameters)} arguments ({', '.join(parameters)}), its @launch "
                      f"gives {len(kernel['arguments'])}", line)
    options = f"--gpu-arch {architecture(request['capability'])} --keep-cubin --keep-ptx"
    if "opt_level" in request["constants"]:  # a knob of that name
        options += f" --opt-level {request['constants']['opt_level']}"
    try:
        values = constants | dict(zip(parameters, map(argument_of, kernel["arguments"])))
        compiled = cute.compile(getattr(module, name), *[values[each] for each in order], options=options)
    except Exception as error:
        raise explain(error) from error
    entry = entry_of(compiled, name, kernel["arguments"], line)
    return {"entry": entry.name, "block": entry.block, "hidden_pointers": 0,
            "shared_bytes": shared_bytes(entry, launch, module, constants, host), "cubin": compiled.__cubin__,
            "ptx": compiled.__ptx__}


def compile_kernels(request):
    here = os.getcwd()
    arch = architecture(request["capability"])
    os.environ.update(HOME=here, CUTE_DSL_ARCH=arch, CUTE_DSL_CACHE_DIR=here, CUTE_DSL_DUMP_DIR=here,
                      CUTE_DSL_NO_CACHE="1")
    tree = parse(SOURCE)
    refuse_decorators(tree, REFUSED)
    module = run(SOURCE)
    with contextlib.redirect_stdout(io.StringIO()):
        modules = [compile_one(module, tree, kernel, request) for kernel in request["kernels"]]
    names = [each["entry"] for each in modules]
    if len(set(names)) != len(names):
        raise Refusal("refused_construct", "two functions launch the same kernel with the same constants")
    most = max(nvidia_code.registers(each["cubin"]) for each in modules)
    return modules, f"Used {most} registers"
