"""Triton: functions under @triton.jit become one module each.

Facts, seen with 3.6.0, 3.7.1, 3.8.0 and 3.9.0: triton.compile() needs neither a driver nor PyTorch; behind its own parameters a kernel takes two pointers
to scratch memory, which are null where it asks for none; a block has 32 * num_warps threads.
"""
import contextlib
import io
import os
import re

from dsl_source import GENES, Refusal, matched, parse, run

DISTRIBUTION = "triton"
VERSIONS = ("3.6.", "3.7.", "3.8.", "3.9.")
TARGETS = "sm_"

REFUSED = {"autotune": GENES, "heuristics": GENES}
OPTIONS = ("num_warps", "num_stages", "maxnreg", "enable_fp_fusion")  # knobs with these names; maxnreg = 0: no limit
TYPES = {"float32": "fp32", "float64": "fp64", "float16": "fp16", "bfloat16": "bf16", "int32": "i32", "int64": "i64",
         "int8": "i8", "uint8": "u8", "bool": "i1"}
HIDDEN_POINTERS = 2


def type_of(argument):
    return "*" + TYPES[argument["type"][1:]] if argument["type"][0] == "*" else TYPES[argument["type"]]


def constants_of(function, name, knobs, line):
    values = {}
    for parameter in function.params:
        if not parameter.is_constexpr:
            continue
        if parameter.name in knobs:
            values[parameter.name] = knobs[parameter.name]
        elif parameter.has_default:
            values[parameter.name] = parameter.default
        else:
            raise Refusal("bad_plan", f"{name}: '{parameter.name}' is neither a knob nor a fixed axis of the task", line)
    return values


def first_line(function):
    """Line of `def`, which lines of compilation errors count from."""
    for i, line in enumerate(function.raw_src):
        if line.strip().startswith("def "):
            return function.starting_line_number + i
    return function.starting_line_number


def explain(error, module):
    """A Refusal of the innermost compilation error."""
    from triton.compiler.errors import CompilationError
    from triton.runtime.jit import JITFunction
    while isinstance(error.__cause__, CompilationError):
        error = error.__cause__
    if not isinstance(error, CompilationError):
        return Refusal("compile_error", f"{type(error).__name__}: {error}")
    message = error.error_message or str(error.__cause__ or error)
    for function in vars(module).values():
        if isinstance(function, JITFunction) and function.src == error.src and hasattr(error.node, "lineno"):
            return Refusal("compile_error", message, first_line(function) + error.node.lineno - 1)
    return Refusal("compile_error", message)


def compile_one(module, kernel, request):
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource
    from triton.runtime.jit import JITFunction
    name, line, arguments = kernel["name"], kernel["line"], kernel["arguments"]
    function = getattr(module, name, None)
    if not isinstance(function, JITFunction):
        raise Refusal("no_such_kernel", f"'{name}' is no function under @triton.jit", line)
    constants = constants_of(function, name, request["constants"], line)
    parameters = [given for given in function.arg_names if given not in constants]
    given = matched(name, parameters, arguments, line)
    position = function.arg_names.index
    source = ASTSource(
        fn=function,
        signature={each: type_of(given[each]) if each in given else "constexpr" for each in function.arg_names},
        constexprs={(position(each), ): value for each, value in constants.items()},
        attrs={(position(each), ): [["tt.divisibility", 16]] for each in given if given[each]["aligned"]})
    options = {option: request["constants"][option] for option in OPTIONS if option in request["constants"]}
    options["maxnreg"] = options.get("maxnreg") or None
    try:
        compiled = triton.compile(source, target=GPUTarget("cuda", int(re.search(r"\d+", request["arch"])[0]), 32), options=options)
    except Exception as error:
        raise explain(error, module) from error
    facts = compiled.metadata
    if facts.global_scratch_size or facts.num_ctas != 1:
        raise Refusal("refused_construct", f"{name}: neither scratch memory of Triton's own, as tensor descriptors made "
                      "on the device need it, nor clusters can be launched", line)
    return {"block": [32 * facts.num_warps], "shared_bytes": facts.shared, "hidden_pointers": HIDDEN_POINTERS,
            "code": compiled.asm["cubin"], "assembly": compiled.asm["ptx"]}


def compile_kernels(request):
    here = os.getcwd()
    os.environ.update(HOME=here, TRITON_CACHE_DIR=os.path.join(here, "cache"), TRITON_DUMP_PTXAS_LOG="1",
                      TRITON_DEFAULT_FP_FUSION="1",  # 3.9 warns that its default will change
                      TRITON_DISABLE_LINE_INFO="1")  # comments must not change the machine code
    parse(REFUSED)
    from triton.runtime import cache
    cache.triton_key = lambda: DISTRIBUTION  # saves hashing 400 MB: this process has its own cache
    module = run()
    log = io.StringIO()
    with contextlib.redirect_stdout(log):
        modules = [compile_one(module, kernel, request) for kernel in request["kernels"]]
    return modules, log.getvalue()
