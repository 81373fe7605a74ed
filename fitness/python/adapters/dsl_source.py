"""A kernel's source as a Python module: read, looked at, run."""
import ast
import importlib.util
import os
import sys


class Refusal(Exception):
    """Why a source gives no machine code: `reason` is a short code, `line` one of kernel.py or 0."""

    def __init__(self, reason, message, line=0):
        super().__init__(message)
        self.reason = reason
        self.line = line


def parse(path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    try:
        return ast.parse(text, path)
    except SyntaxError as error:
        raise Refusal("syntax_error", error.msg, error.lineno or 0) from error
    except ValueError as error:  # a zero byte
        raise Refusal("syntax_error", str(error)) from error


def refuse_decorators(tree, refused):
    """`refused`: name of a decorator -> why functions may not have it."""
    for node in ast.walk(tree):
        for decorator in getattr(node, "decorator_list", []):
            called = decorator.func if isinstance(decorator, ast.Call) else decorator
            name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
            if name in refused:
                raise Refusal("refused_construct", f"@{name}: {refused[name]}", decorator.lineno)


def line_of(error, path):
    """The innermost line of `path` on an exception's way, or 0."""
    line, trace = 0, error.__traceback__
    while trace:
        if trace.tb_frame.f_code.co_filename == path:
            line = trace.tb_lineno
        trace = trace.tb_next
    return line


def run(path):
    """Executes the source and gives its module."""
    path = os.path.abspath(path)
    spec = importlib.util.spec_from_file_location("kernel", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["kernel"] = module
    try:
        spec.loader.exec_module(module)
    except ImportError as error:
        raise Refusal("import_error", str(error), line_of(error, path)) from error
    except BaseException as error:  # also catches sys.exit()
        raise Refusal("module_error", f"{type(error).__name__}: {error}", line_of(error, path)) from error
    return module
