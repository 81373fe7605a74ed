"""A kernel's source as a Python module: read, looked at, run."""
import ast
import importlib.util
import os
import sys
import traceback

SOURCE = os.path.abspath("kernel.py")
GENES = "it would choose by timing of its own: declare its parameters as '# @knob', they are genes"


class Refusal(Exception):
    """Why a source gives no machine code: `reason` is a short code, `line` one of kernel.py or 0."""

    def __init__(self, reason, message, line=0):
        super().__init__(message)
        self.reason = reason
        self.line = line


def parse(refused):
    """The syntax tree of the source. `refused`: name of a decorator -> why functions may not have it."""
    with open(SOURCE, encoding="utf-8") as file:
        text = file.read()
    try:
        tree = ast.parse(text, SOURCE)
    except SyntaxError as error:
        raise Refusal("syntax_error", error.msg, error.lineno or 0) from error
    except ValueError as error:  # a zero byte
        raise Refusal("syntax_error", str(error)) from error
    for node in ast.walk(tree):
        for decorator in getattr(node, "decorator_list", []):
            called = decorator.func if isinstance(decorator, ast.Call) else decorator
            name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
            if name in refused:
                raise Refusal("refused_construct", f"@{name}: {refused[name]}", decorator.lineno)
    return tree


def matched(name, parameters, arguments, line):
    """{parameter: argument} of a kernel, of which @launch must give as many."""
    if len(parameters) != len(arguments):
        raise Refusal("bad_plan", f"{name} takes {len(parameters)} arguments ({', '.join(parameters)}), its @launch "
                      f"gives {len(arguments)}", line)
    return dict(zip(parameters, arguments))


def line_of(error):
    """The innermost line of the source on an exception's way, or 0."""
    lines = [line for frame, line in traceback.walk_tb(error.__traceback__) if frame.f_code.co_filename == SOURCE]
    return lines[-1] if lines else 0


def run():
    """Executes the source and gives its module."""
    spec = importlib.util.spec_from_file_location("kernel", SOURCE)
    module = importlib.util.module_from_spec(spec)
    sys.modules["kernel"] = module
    try:
        spec.loader.exec_module(module)
    except ImportError as error:
        raise Refusal("import_error", str(error), line_of(error)) from error
    except BaseException as error:  # also catches sys.exit()
        raise Refusal("module_error", f"{type(error).__name__}: {error}", line_of(error)) from error
    return module
